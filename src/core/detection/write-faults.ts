/**
 * Why a node cannot take writes although it answers: its disk, its memory. Read from what it says
 * itself, in PING and in INFO, and put into words here. Pure.
 *
 * Redis answers PING with MISCONF for as long as it refuses writes because of a disk error. It tells
 * only writers that its memory is full, but counts the refusals: one more OOM in INFO is proof. If no
 * client writes, or the node is too old to count, we compare the figures as Redis does. These alone
 * would miss a node just below its limit, because Redis weighs a write with the memory it takes on its
 * way in.
 */
import type { Reply } from '../../resp/reply.ts'

/** The part that INFO tells. */
export interface ReportedWrites {
  /** [aof_last_write_status] */
  readonly aofFails: boolean
  /** The memory that counts against `maxBytes`, which is 0 if there is no limit. */
  readonly usedBytes: number
  readonly maxBytes: number
  /**
   * [maxmemory_policy] With `some`, it cannot be seen from outside whether there are any keys to
   * evict.
   */
  readonly evicts: 'nothing' | 'some' | 'anything'
  /** Writes refused for lack of memory, since its start. */
  readonly oomErrors: number
}

export interface WriteFacts extends Omit<ReportedWrites, 'oomErrors'> {
  /** The error that PING is answered with because writes are refused; undefined if it is not. */
  readonly pingError: string | undefined
  /** Undefined if not known yet, so that the first number is no news. */
  readonly oomErrors: number | undefined
  /** When the number was last seen to grow. Monotonic. */
  readonly oomAtMs: number | undefined
  /** The limit was reached, and there has been no room since. */
  readonly isFull: boolean
}

export const WELL: WriteFacts = {
  pingError: undefined,
  aofFails: false,
  usedBytes: 0,
  maxBytes: 0,
  evicts: 'nothing',
  oomErrors: undefined,
  oomAtMs: undefined,
  isFull: false,
}

/** A full node hovers at its limit: below this share of it, there is room again. */
const ROOM_SHARE = 0.99
/** A replica has the same data: if it uses no less than this share, the next writes would fill it too. */
const BETTER_SHARE = 0.9
/**
 * If clients write seldom, writes are refused seldom: after this long without an OOM, there seems
 * to be room.
 */
const OOM_QUIET_MS = 10_000

export function withPing(facts: WriteFacts, reply: Reply): WriteFacts {
  const isRefusal = reply.kind === 'error' && reply.text.startsWith('MISCONF')
  const pingError = isRefusal ? reply.text : undefined
  return pingError === facts.pingError ? facts : { ...facts, pingError }
}

export function withInfo(facts: WriteFacts, reported: ReportedWrites, nowMs: number): WriteFacts {
  const { usedBytes, maxBytes, evicts, oomErrors } = reported
  const isRefusing = facts.oomErrors !== undefined && oomErrors > facts.oomErrors
  const oomAtMs = isRefusing ? nowMs : facts.oomAtMs
  const isQuiet = oomAtMs === undefined || nowMs - oomAtMs >= OOM_QUIET_MS
  const reaches = evicts === 'nothing' && maxBytes > 0 && usedBytes >= maxBytes
  const stays = facts.isFull && !(isQuiet && usedShare(reported) < ROOM_SHARE)
  return { ...facts, ...reported, oomAtMs, isFull: reaches || isRefusing || stays }
}

/** One text for each reason, to follow the name of the node; empty if it takes writes. */
export function writeFaults({ pingError, ...facts }: WriteFacts): readonly string[] {
  return [
    ...(pingError === undefined ? [] : [`answers PING with ${firstSentence(pingError)}`]),
    ...(facts.aofFails ? ['could not write to its AOF'] : []),
    ...(facts.isFull ? [fullness(facts)] : []),
  ]
}

/**
 * Whether it would do better than a master that refuses writes. Stricter than having no fault: a
 * replica refuses nothing before it is asked, so its memory must be clearly less full.
 */
export function isBetterForWrites(replica: WriteFacts, master: WriteFacts): boolean {
  const mastersShare = master.isFull ? Math.min(1, usedShare(master) || 1) : 1
  return writeFaults(replica).length === 0 && usedShare(replica) < BETTER_SHARE * mastersShare
}

function usedShare({ usedBytes, maxBytes, evicts }: Omit<ReportedWrites, 'oomErrors'>): number {
  return maxBytes === 0 || evicts === 'anything' ? 0 : usedBytes / maxBytes
}

function fullness({ usedBytes, maxBytes, oomAtMs }: Omit<WriteFacts, 'pingError'>): string {
  const used = `used ${usedBytes} of ${maxBytes} bytes of memory`
  return oomAtMs === undefined
    ? `has ${used} and evicts nothing`
    : `answers writes with OOM, has ${used}`
}

/** Redis continues with several lines of advice. */
function firstSentence(text: string): string {
  return (text.split('. ', 1)[0] ?? '').replace(/\.$/, '')
}
