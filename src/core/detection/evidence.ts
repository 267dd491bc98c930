/**
 * Evidence that a master has died, which makes waiting a whole down-after needless. A kernel whose process
 * is gone says so: it breaks the connections and refuses new ones. But a firewall can say the same of a
 * master that is well, and so can a restart that takes a moment. So the evidence is believed only if all of
 * this holds:
 *
 * - The master was well before, and every attempt to reconnect has been refused since
 *   (links/connections.ts).
 * - The quorum sees the same, or sees the master down, by what the peers say when asked (confer.ts).
 * - A replica says that it has lost this master, and none says that it still has it: that is a veto.
 * - All of that has lasted for `refused-after`, and an attempt begun when that was over was refused as well.
 *
 * Sentinels notice a death within some milliseconds of each other. The later ones need not wait as much longer: who
 * learns that a peer holds the master down does so too if that is due in a moment (`headStartMs`).
 *
 * A time-out, an unreachable host, or a connection that breaks and comes back proves nothing. Without proof
 * down-after decides, which no veto stops.
 */
import { sameAddress } from '../names/names.ts'
import type { Group, Master, Peer, Replica, Turn } from '../state.ts'
import { isSdown } from '../state.ts'

/** How many times within refused-after we retry a master that refuses connections, and ask all others. */
const LOOKS = 3
const LOOK_MIN_MS = 20
/** A process that is about to end may still accept a connection, or break it: that is over at once. */
const FIRST_LOOK_MS = 10

/** What a peer's verdict saves us of a refused-after or a down-after at most, as a share of that and at all. */
const HEAD_START_SHARE = 1 / 10
const HEAD_START_MS = 50

/** When the master counts as down by proof; undefined if it does not, or not yet. */
export function provenDownAtMs(turn: Turn, master: Master): number | undefined {
  const { refusal, group } = master
  if (refusal === undefined || group.config.detection !== 'evidence') return undefined
  const provenMs = refusal.sinceMs + refusedLongMs(master, refusal.sinceMs)
  if (refusal.isProof) return provenMs
  // The last refusal must come after that time: the master may have come back since the look
  // before.
  if (refusal.askedAtMs < provenMs || !isCorroborated(turn, group, refusal.sinceMs))
    return undefined
  return provenMs
}

/** How soon to retry a master that was well and cannot be reached; undefined if there is no hurry. */
export function nextLookMs(turn: Turn, master: Master): number | undefined {
  const { refusal, link, group } = master
  const { detection, refusedAfterMs } = group.config
  const sinceMs = refusal?.sinceMs ?? link.pingPendingSinceMs
  if (detection !== 'evidence' || !link.wasOk || sinceMs === undefined) return undefined
  // If it has lasted for long without confirmation, there is no hurry.
  const lastedMs = (turn.now.monoMs - sinceMs) / LOOKS
  if (refusal === undefined) return Math.floor(Math.max(FIRST_LOOK_MS, lastedMs))
  const lookMs = Math.floor(Math.max(LOOK_MIN_MS, refusedAfterMs / LOOKS, lastedMs))
  // One look falls on the moment from which a refusal is proof.
  const untilProofMs = sinceMs + refusedLongMs(master, sinceMs) - (link.lastOpenedAtMs ?? sinceMs)
  return untilProofMs > 0 ? Math.min(lookMs, untilProofMs) : lookMs
}

/**
 * How much sooner than after `spanMs` what we see of the master since `sinceMs` counts, because a peer holds it down
 * already; and once it does, it stays so. None if the master must be silent for a whole down-after for each Sentinel.
 */
export function headStartMs(master: Master, sinceMs: number, spanMs: number): number {
  const { config, peers } = master.group
  if (config.detection !== 'evidence') return 0
  const isHeldDown = isSdown(master) || [...peers.values()].some((one) => holdsDown(one, sinceMs))
  return isHeldDown ? Math.min(HEAD_START_MS, Math.floor(spanMs * HEAD_START_SHARE)) : 0
}

/**
 * Since when we have seen what may soon make us hold the master down, if half of the time is over: then it matters
 * that a peer does so already.
 */
export function doubtSinceMs({ now }: Turn, { refusal, link, group }: Master): number | undefined {
  const { detection, refusedAfterMs, downAfterMs } = group.config
  if (detection !== 'evidence') return undefined
  const since = (atMs: number | undefined, spanMs: number) =>
    atMs !== undefined && 2 * (now.monoMs - atMs) > spanMs ? atMs : undefined
  return since(refusal?.sinceMs, refusedAfterMs) ?? since(link.pingPendingSinceMs, downAfterMs)
}

/** [refused-after] For how long connections must have been refused. */
function refusedLongMs(master: Master, sinceMs: number): number {
  const { refusedAfterMs } = master.group.config
  return refusedAfterMs - headStartMs(master, sinceMs, refusedAfterMs)
}

/** In words, for the event that goes with +sdown. */
export function describeProof(turn: Turn, { refusal, group }: Master): string {
  const sinceMs = refusal?.sinceMs ?? turn.now.monoMs
  const sentinels = 1 + peersWhoAgree(turn, group, sinceMs)
  const lost = testimonies(turn, group, sinceMs).filter((one) => one === 'lost').length
  return (
    `connections refused for ${turn.now.monoMs - sinceMs} ms, as ${sentinels} Sentinels see it ` +
    `(quorum ${group.config.quorum}), and lost by ${lost} of ${group.replicas.size} replicas`
  )
}

function isCorroborated(turn: Turn, group: Group, sinceMs: number): boolean {
  if (1 + peersWhoAgree(turn, group, sinceMs) < group.config.quorum) return false
  const said = testimonies(turn, group, sinceMs)
  return said.includes('lost') && !said.includes('streams')
}

function peersWhoAgree(turn: Turn, group: Group, sinceMs: number): number {
  return [...group.peers.values()].filter((peer) => agrees(turn, peer, sinceMs)).length
}

/** What a peer said about refusals counts only while it is recent; we keep asking. */
function agrees(turn: Turn, peer: Peer, sinceMs: number): boolean {
  const { counsel, group } = peer
  if (holdsDown(peer, sinceMs)) return true
  if (counsel === undefined || !counsel.refused) return false
  return turn.now.monoMs - counsel.atMs <= group.config.refusedAfterMs
}

/** An opinion that came no later than `sinceMs` is about an earlier death: it says nothing about this one. */
function holdsDown({ masterDown, opinionAtMs }: Peer, sinceMs: number): boolean {
  return masterDown && opinionAtMs !== undefined && opinionAtMs > sinceMs
}

type Testimony = 'lost' | 'streams' | 'none'

function testimonies(turn: Turn, group: Group, sinceMs: number): Testimony[] {
  return [...group.replicas.values()].map((replica) => testimony(turn, replica, sinceMs))
}

/** What a replica says about our master, if it has said anything since the refusals began. */
function testimony({ state }: Turn, replica: Replica, sinceMs: number): Testimony {
  const { infoAtMs, roleReported, masterHost, masterPort, masterLinkUp, group } = replica
  if (isSdown(replica) || infoAtMs === undefined || infoAtMs <= sinceMs) return 'none'
  const followed = { host: masterHost, port: masterPort }
  if (roleReported !== 'slave' || !sameAddress(state, followed, group.master)) return 'none'
  return masterLinkUp ? 'streams' : 'lost'
}
