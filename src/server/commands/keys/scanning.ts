/** Walking over keys and elements: KEYS, RANDOMKEY, SCAN and what SSCAN and HSCAN share with it. */
import { matchesGlob } from '../../../base/glob.ts'
import { array, bulk, bulks, NULL, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { INVALID_CURSOR, NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import { isCursor, type Page, type Scannable } from '../../keyspace/scan.ts'
import { pickKey } from '../../values/sampler.ts'

const DEFAULT_COUNT = 10

/** A replica cannot delete the expired keys it draws, but must not draw for ever either. */
const MAX_DRAWS = 100

interface ScanOptions {
  readonly pattern: string | undefined
  readonly count: number
  readonly type: string | undefined
}

export function keys({ db }: CommandContext, argv: readonly string[]): Reply {
  const pattern = arg(argv, 1)
  const found: string[] = []
  for (const [key, entry] of db.entries) {
    if (matchesGlob(pattern, key) && db.isAlive(entry)) found.push(key)
  }
  return bulks(found)
}

export function randomKey({ db, node }: CommandContext): Reply {
  for (let draw = 0; draw < MAX_DRAWS && db.entries.size > 0; draw++) {
    const key = pickKey(db, db.entries, node.rng)
    if (db.peek(key) !== undefined) return bulk(key)
  }
  return NULL
}

export function scan(context: CommandContext, argv: readonly string[]): Reply {
  const cursor = arg(argv, 1)
  if (!isCursor(cursor)) return INVALID_CURSOR
  const options = parseScanOptions(argv, 2)
  if ('kind' in options) return options
  const { db, node } = context
  const page = node.scans.next(db.entries, cursor, options.count)
  const found = page.keys.filter((key) => isWanted(db, key, options))
  return scanReply(page.cursor, found)
}

function isWanted(db: Db, key: string, { pattern, type }: ScanOptions): boolean {
  if (pattern !== undefined && !matchesGlob(pattern, key)) return false
  // Either deletes the key if it has expired, as a scan should; only a look at the type is a lookup.
  if (type === undefined) return db.peek(key) !== undefined
  return type === db.value(key)?.type
}

/**
 * SSCAN and HSCAN: the next of `elements` that match. A collection that Redis would keep packed is
 * returned all at once.
 */
export function scanElements(
  { node }: CommandContext,
  argv: readonly string[],
  elements: Scannable,
  isPacked: boolean,
): Page | Reply {
  const options = parseScanOptions(argv, 3)
  if ('kind' in options) return options
  const { pattern } = options
  const page = isPacked
    ? node.scans.next(elements, '0', elements.size)
    : node.scans.next(elements, arg(argv, 2), options.count)
  const keys = page.keys.filter((key) => pattern === undefined || matchesGlob(pattern, key))
  return { cursor: page.cursor, keys }
}

/** HSCAN's words without NOVALUES, and whether it was among them. */
export function withoutNoValues(argv: readonly string[]): [argv: readonly string[], was: boolean] {
  for (let at = 3; at < argv.length; at += 2) {
    if (arg(argv, at).toUpperCase() === 'NOVALUES') return [argv.toSpliced(at, 1), true]
  }
  return [argv, false]
}

export function scanReply(cursor: string, found: readonly string[]): Reply {
  return array([bulk(cursor), bulks(found)])
}

/** `[MATCH pattern] [COUNT n] [TYPE type]`; the last only for SCAN. */
function parseScanOptions(argv: readonly string[], from: number): ScanOptions | Reply {
  let pattern: string | undefined
  let type: string | undefined
  let count = DEFAULT_COUNT
  for (let at = from; at < argv.length; at += 2) {
    const option = arg(argv, at).toUpperCase()
    const value = argv[at + 1]
    if (value === undefined) return SYNTAX_ERROR
    if (option === 'MATCH') {
      pattern = value
    } else if (option === 'COUNT') {
      const given = parseInteger(value)
      if (given === undefined) return NOT_AN_INTEGER
      if (given < 1) return SYNTAX_ERROR
      count = given
    } else if (option === 'TYPE' && from === 2) {
      type = value.toLowerCase()
    } else {
      return SYNTAX_ERROR
    }
  }
  return { pattern, count, type }
}
