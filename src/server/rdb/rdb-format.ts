/** The numbers of the RDB format, and what the types are called in messages. */

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

export const TYPE = {
  string: 0,
  list: 1,
  set: 2,
  zsetText: 3,
  hash: 4,
  zset: 5,
  listZiplist: 10,
  setIntset: 11,
  zsetZiplist: 12,
  hashZiplist: 13,
  listQuicklist: 14,
  streamV1: 15,
  hashListpack: 16,
  zsetListpack: 17,
  listQuicklist2: 18,
  /** Since 7.0; the older form would lose how many entries were ever added. */
  stream: 19,
  setListpack: 20,
  streamV3: 21,
} as const

/** Types that exist and that this node cannot hold. */
const UNSUPPORTED: ReadonlyMap<number, string> = new Map([
  [6, 'a module value'],
  [7, 'a module value'],
  [9, 'a zipmap hash'],
  [22, 'a hash with field expiry'],
  [23, 'a hash with field expiry'],
  [24, 'a hash with field expiry'],
  [25, 'a hash with field expiry'],
])

/** What to say about a type that cannot be loaded. */
export function unsupportedType(type: number): string {
  const name = UNSUPPORTED.get(type)
  return name === undefined ? `unknown type ${type}` : `${name} (type ${type}) is not supported`
}
