/** The numbers of the RDB format, and the names of the types in messages. */

/** Every server since 6.2 reads version 9; the loader does not tie record types to the version. */
export const WRITTEN_VERSION = '0009'
/** The newest version whose records we know (Redis 7.4 and 8.0). */
export const NEWEST_VERSION = 12

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
} as const

/** The message about a type that cannot be loaded. */
export function unsupportedType(type: number): string {
  return `unknown type ${type}`
}
