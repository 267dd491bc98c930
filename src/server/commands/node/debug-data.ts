/** DEBUG subcommands that make or describe data. */
import { MAX_BULK_BYTES } from '../../../resp/input.ts'
import { array, error, OK, type Reply, simple } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { MUST_BE_POSITIVE, NO_SUCH_KEY, NOT_AN_INTEGER, OUT_OF_MEMORY } from '../../errors.ts'
import { dumpPayload, FOOTER_BYTES } from '../../rdb/dump-payload.ts'
import { rdbString } from '../../rdb/rdb-encode.ts'
import { valueDigest } from '../../values/digest.ts'
import { encodingOf, referencesTo } from '../../values/encoding.ts'
import { textBytes } from '../../values/engine-sizes.ts'

/** How often POPULATE looks whether there is room. */
const KEYS_PER_LOOK = 1024

/** Expired keys included: DEBUG shows what is stored. */
export function digestsOfValues({ db }: CommandContext, argv: readonly string[]): Reply {
  return array(argv.slice(2).map((key) => simple(valueDigest(db.entries.get(key)))))
}

/** The fields that tests for Redis look for; addresses mean nothing here. */
export function object({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const entry = db.entries.get(arg(argv, 2))
  if (entry === undefined) return NO_SUCH_KEY
  const { usage } = node.keyspace
  const payload = dumpPayload(entry.value, rdbString, MAX_BULK_BYTES) ?? ''
  const fields = [
    'Value at:0x000000000000',
    `refcount:${referencesTo(entry.value, node.settings)}`,
    `encoding:${encodingOf(entry.value, node.settings)}`,
    `serializedlength:${Math.max(0, payload.length - FOOTER_BYTES)}`,
    `lru:${Math.max(0, entry.usage)}`,
    `lru_seconds_idle:${usage.idleSeconds(entry.usage)}`,
  ]
  return simple(fields.join(' '))
}

/** Keys that are there stay as they are. Replicas and files are told nothing, as in Redis. */
export function populate({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const count = parseInteger(argv[2])
  const size = parseInteger(argv[4] ?? '0')
  if (count === undefined || size === undefined || count < 0 || size < 0) return MUST_BE_POSITIVE
  if (size > MAX_BULK_BYTES) return MUST_BE_POSITIVE
  const prefix = argv[3] ?? 'key'
  for (let at = 0; at < count; at++) {
    if (at % KEYS_PER_LOOK === 0 && node.heap.fullness() !== undefined) return OUT_OF_MEMORY
    const key = `${prefix}:${at}`
    if (db.find(key) !== undefined) continue
    const text = `value:${at}`
    const bytes = size === 0 ? text : text.slice(0, size).padEnd(size, '\0')
    db.put(key, { type: 'string', bytes })
  }
  return OK
}

const NO_STRING = error('ERR Not an sds encoded string.')

/** What the engine takes for a text stands where Redis shows what it has allocated. */
export function stringSizes({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 2)
  const value = db.entries.get(key)?.value
  if (value === undefined) return NO_SUCH_KEY
  if (value.type !== 'string' || encodingOf(value, node.settings) === 'int') return NO_STRING
  const sizes = [key.length, value.bytes.length]
  const [ofKey, ofValue] = ['key', 'val'].map((name, at) => {
    const length = sizes[at] ?? 0
    return `${name}_sds_len:${length}, ${name}_sds_avail:0, ${name}_zmalloc: ${textBytes(length)}`
  })
  return simple(`${ofKey}, ${ofValue}`)
}

const BAD_DB = error('ERR Out of range database')
const NO_TABLE = error(
  'ERR The value stored at the specified key is not represented using an hash table',
)

/** The headings that programs look for; chains are no part of our tables, see key-index.ts. */
export function tablesOfDb({ node }: CommandContext, argv: readonly string[]): Reply {
  const index = parseInteger(argv[2])
  if (index === undefined) return NOT_AN_INTEGER
  const db = node.keyspace.dbs[index]
  if (db === undefined) return BAD_DB
  const parts = [
    '[Dictionary HT]',
    tableText(db.entries.size),
    '[Expires HT]',
    tableText(db.expires.size),
  ]
  return { kind: 'verbatim', format: 'txt', text: `${parts.join('\n')}\n` }
}

export function tableOfKey({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const value = db.entries.get(arg(argv, 2))?.value
  if (value === undefined) return NO_SUCH_KEY
  const encoding = encodingOf(value, node.settings)
  if (encoding !== 'hashtable' && encoding !== 'skiplist') return NO_TABLE
  const sizes = { set: 'members', hash: 'fields', zset: 'set' } as const
  const name = sizes[value.type as keyof typeof sizes]
  const size = (value as unknown as Record<typeof name, { readonly size: number }>)[name].size
  return { kind: 'verbatim', format: 'txt', text: `${tableText(size)}\n` }
}

function tableText(elements: number): string {
  const found =
    elements === 0
      ? 'No stats available for empty dictionaries'
      : ` number of elements: ${elements}`
  return `Hash table 0 stats (main hash table):\n${found}`
}
