/** HRANDFIELD: one field, several different ones, or (with a negative count) several with repeats. */
import { array, bulk, bulks, NULL, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, OUT_OF_RANGE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { pickKey } from '../../values/sampler.ts'
import type { HashValue } from '../../values/value.ts'
import { drawKeys, MAX_REPEATED_DRAWS } from '../random-draws.ts'

export function hRandField(context: CommandContext, argv: readonly string[]): Reply {
  const { db, node } = context
  if (argv.length === 2) {
    const hash = db.value(arg(argv, 1))
    if (hash === undefined) return NULL
    return hash.type === 'hash' ? bulk(pickKey(hash, hash.fields, node.rng)) : WRONG_TYPE
  }
  const count = parseInteger(argv[2])
  if (count === undefined) return NOT_AN_INTEGER
  const withValues = argv[3]?.toUpperCase() === 'WITHVALUES'
  if (argv.length > 4 || (argv.length === 4 && !withValues)) return SYNTAX_ERROR
  if (count < -MAX_REPEATED_DRAWS) return OUT_OF_RANGE
  return drawFields(context, arg(argv, 1), count, withValues)
}

function drawFields(
  { db, node, session }: CommandContext,
  key: string,
  count: number,
  withValues: boolean,
): Reply {
  const hash = db.value(key)
  if (hash === undefined) return array([])
  if (hash.type !== 'hash') return WRONG_TYPE
  const fields = drawKeys(hash, hash.fields, count, node.rng)
  if (!withValues) return bulks(fields)
  const pairs = fields.map((field) => [field, valueIn(hash, field)])
  return session.protocol === 3 ? array(pairs.map(bulks)) : bulks(pairs.flat())
}

function valueIn(hash: HashValue, field: string): string {
  return hash.fields.get(field) ?? ''
}
