/**
 * What keeps a node from taking writes although it answers: its disk, its memory. Read off what it says
 * itself, in PING and in INFO, and put into words here. Pure.
 *
 * Redis answers PING with MISCONF for as long as it refuses writes for an error of its disk. That its
 * memory is full it says to writers only, and counts: an OOM more in INFO is proof. Where nobody writes,
 * or the node is too old to count, the figures are compared as Redis does it. They alone would miss a
 * node just below its limit, since a write is weighed with the memory it takes on its way in.
 */
import type { Reply } from '../resp/reply.ts'

/** The part of it INFO tells. */
export interface ReportedWrites {
  /** [aof_last_write_status] */
  readonly aofFails: boolean
  /** What counts against `maxBytes`; that is 0 where there is no limit. */
  readonly usedBytes: number
  readonly maxBytes: number
  /** [maxmemory_policy] Of `some` nobody can see from outside whether there are any. */
  readonly evicts: 'nothing' | 'some' | 'anything'
  /** Writes refused for want of memory, since its start. */
  readonly oomErrors: number
}

export interface WriteFacts extends Omit<ReportedWrites, 'oomErrors'> {
  /** The error PING is answered with because writes are refused; undefined: it is not. */
  readonly pingError: string | undefined
  /** Undefined: not known yet, so that the first number is no news. */
  readonly oomErrors: number | undefined
  /** When the number was last seen to have grown. Monotonic. */
  readonly oomAtMs: number | undefined
  /** The limit was reached, and there has not been room again since. */
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

/** A full node hovers at its limit: below this share of it there is room again. */
const ROOM_SHARE = 0.99
/** A replica has the same data: with no less than this in use it would be as full with the next writes. */
const BETTER_SHARE = 0.9
/** Whoever writes seldom is refused seldom: so long without an OOM there seems to be room. */
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

/** One text for each reason, to stand behind the name of the node; none: it takes writes. */
export function writeFaults({ pingError, ...facts }: WriteFacts): readonly string[] {
  return [
    ...(pingError === undefined ? [] : [`answers PING with ${firstSentence(pingError)}`]),
    ...(facts.aofFails ? ['could not write to its AOF'] : []),
    ...(facts.isFull ? [fullness(facts)] : []),
  ]
}

/**
 * Whether it would do better than one that refuses writes. Stricter than having no fault: a replica
 * refuses nothing before it is asked, so it takes a clearly smaller share of its memory in use.
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

/** Redis goes on with advice of several lines' length. */
function firstSentence(text: string): string {
  return (text.split('. ', 1)[0] ?? '').replace(/\.$/, '')
}
