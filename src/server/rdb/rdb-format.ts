/** The numbers of the RDB format, and the names of the types in messages. */

/** Every server since 6.2 reads version 9; the loader does not tie record types to the version. */
const WRITTEN_VERSION = '0009'
/** The newest version whose records we know (Redis 7.4 and 8.0). */
export const NEWEST_VERSION = 12
/**
 * Valkey 9 counts on by itself from here, and writes VALKEY in place of REDIS. Types up to 21 and all opcodes are those
 * of Redis, type 22 is another one.
 */
export const VALKEY_VERSION = 80

/** How many bytes tell whether something is RDB. */
export const MAGIC_BYTES = 9

/** The version that a payload begins with, under the name of its format; undefined: it is not RDB. */
export function versionOfMagic(magic: string): { name: string; version: number } | undefined {
  const [, name, digits] = /^(REDIS|VALKEY)(\d+)$/.exec(magic) ?? []
  return name === undefined ? undefined : { name, version: Number(digits) }
}

export const OPCODE = {
  slotInfo: 0xf4,
  function: 0xf5,
  functionPreview: 0xf6,
  moduleAux: 0xf7,
  idle: 0xf8,
  frequency: 0xf9,
  aux: 0xfa,
  resizeDb: 0xfb,
  expireMs: 0xfc,
  expireSeconds: 0xfd,
  selectDb: 0xfe,
  end: 0xff,
} as const

/** Smaller numbers are types: the record is a key. */
export const FIRST_OPCODE = OPCODE.slotInfo

/** The fields about replication and about the file; all others say how the writer was built. */
export const KEPT_AUX: ReadonlySet<string> = new Set([
  'repl-stream-db',
  'repl-id',
  'repl-offset',
  'vedette-replid2',
  'vedette-second-repl-offset',
  'vedette-master',
  'redis-ver',
  'ctime',
  'aof-base',
  // The name of `aof-base` in 6.2 and earlier.
  'aof-preamble',
])

/** Whose numbers a payload is written with. They differ in hashes whose fields expire, and so in the version. */
export type RdbDialect = 'redis' | 'valkey'

/** What a payload of ours begins with. */
export const WRITTEN_MAGIC: Readonly<Record<RdbDialect, string>> = {
  redis: `REDIS${WRITTEN_VERSION}`,
  valkey: `VALKEY0${VALKEY_VERSION}`,
}

/** Both formats have these types. */
const LAST_COMMON_TYPE = 21
/** Keeps Valkey's own types apart from those of Redis with the same number. */
const VALKEY_TYPES = 0x100

export const TYPE = {
  string: 0,
  list: 1,
  set: 2,
  zsetText: 3,
  hash: 4,
  zset: 5,
  /** Cannot be skipped without the module; no server since 4.0 writes it. */
  moduleV1: 6,
  module: 7,
  /** From before 2.6. */
  hashZipmap: 9,
  listZiplist: 10,
  setIntset: 11,
  zsetZiplist: 12,
  hashZiplist: 13,
  listQuicklist: 14,
  streamV1: 15,
  hashListpack: 16,
  zsetListpack: 17,
  listQuicklist2: 18,
  /** Since 7.0; the older form does not record how many entries were ever added. */
  stream: 19,
  setListpack: 20,
  streamV3: 21,
  /** From 7.4's release candidates. */
  hashTtlDraft: 22,
  hashTtlListpackDraft: 23,
  hashTtl: 24,
  hashTtlListpack: 25,
  /** Valkey's hash whose fields may expire: number 22 of its format. */
  hashValkey: VALKEY_TYPES + 22,
} as const

/** In Valkey's hashes: the field does not expire. */
export const NO_EXPIRY_MS = -1

/** The byte that stands for a type. */
export function byteOfType(type: number): string {
  return String.fromCharCode(type % VALKEY_TYPES)
}

/** The type that a byte stands for in a payload of this version. */
export function typeOfByte(byte: number, version: number): number {
  return version >= VALKEY_VERSION && byte > LAST_COMMON_TYPE ? VALKEY_TYPES + byte : byte
}

/** Whether this node reads payloads of a version. The numbers between Redis' and Valkey's are of formats to come. */
export function isKnownVersion(version: number): boolean {
  return version <= NEWEST_VERSION || version === VALKEY_VERSION
}

/** The message about a type that cannot be loaded. */
export function unsupportedType(type: number): string {
  return type < VALKEY_TYPES
    ? `unknown type ${type}`
    : `unknown type ${type - VALKEY_TYPES} of Valkey`
}
