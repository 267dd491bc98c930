/** XRANGE and XREVRANGE. */
import { array, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import {
  entriesReply,
  findStream,
  isReply,
  parseCount,
  parseEnd,
  parseStart,
} from './streams-common.ts'

export function xRange({ db }: CommandContext, argv: readonly string[]): Reply {
  return range({ db }, argv, arg(argv, 2), arg(argv, 3), false)
}

/** The interval is given from its end to its beginning. */
export function xRevRange({ db }: CommandContext, argv: readonly string[]): Reply {
  return range({ db }, argv, arg(argv, 3), arg(argv, 2), true)
}

function range(
  { db }: Pick<CommandContext, 'db'>,
  argv: readonly string[],
  from: string,
  to: string,
  isBackwards: boolean,
): Reply {
  const start = parseStart(from)
  if (typeof start !== 'string') return start
  const end = parseEnd(to)
  if (typeof end !== 'string') return end
  const count = parseCountOption(argv)
  if (typeof count === 'object') return count
  const stream = findStream(db, arg(argv, 1))
  if (stream === undefined) return array([])
  if (isReply(stream)) return stream
  if (count === 0) return NULL_ARRAY
  const entries = isBackwards ? stream.backwards(start, end) : stream.range(start, end)
  return entriesReply(entries, count ?? 0)
}

/** The last one counts; undefined: there is none. */
function parseCountOption(argv: readonly string[]): number | Reply | undefined {
  let count: number | undefined
  for (let at = 4; at < argv.length; at += 2) {
    if (arg(argv, at).toUpperCase() !== 'COUNT' || at + 1 === argv.length) return SYNTAX_ERROR
    count = parseCount(argv[at + 1])
    if (count === undefined) return NOT_AN_INTEGER
  }
  return count
}
