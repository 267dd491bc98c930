/**
 * The other Sentinels of a group. A peer is its run id at its address: the same id at a new address has moved,
 * unless it still answers at the old one; a new id at a known address has replaced the one that was there. The
 * records of a process in several groups share one link, and an address learnt in one of them applies to all.
 *
 * Anyone can make up hellos. So there are places for peers that have proven themselves (proof.ts), and some for
 * those that have not. The latter do not count once a group is complete (quorum.ts), make room for one another,
 * are forgotten when no hello mentions them any more, and are not kept over a restart.
 */
import { hostAndPort } from '../../base/ip.ts'
import { checkDown } from '../detection/down.ts'
import { electorsOf } from '../election/quorum.ts'
import { announce, logQuietly } from '../events.ts'
import { createPeer, unwatch, watch } from '../instances.ts'
import { greet } from '../links/connections.ts'
import { forgetReplies } from '../links/links.ts'
import { sameAddress, shownHost } from '../names/names.ts'
import { save } from '../persistence/save.ts'
import type { SavedPeer } from '../persistence/saved.ts'
import type { Group, Instance, Link, Peer, State, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { log } from '../turn.ts'
import { isConfirmed, othersAt, removePeer, replace } from './proof.ts'

/** Far more than any deployment has: a stranger's made-up hellos must not fill our memory. */
export const PROVEN_MAX = 1_000
/** Places for peers that have not proven themselves. A real one needs its place for a few round trips. */
const UNPROVEN_MAX = 100
/** How many hello periods an unproven peer is kept that no hello mentions any more. */
const PERIODS_TO_KEEP = 5
/** The same as long as every peer counts, see quorum.ts: it may be one that we are cut off from. */
const KEPT_WHERE_IT_COUNTS_MS = 600_000

/**
 * Finds the peer that a hello is about, and adds or moves it if that is news. Undefined if there are too
 * many.
 */
export function meetPeer(turn: Turn, group: Group, seen: SavedPeer): Peer | undefined {
  const known = group.peers.get(seen.runId)
  if (known !== undefined && sameAddress(turn.state, known, seen)) return known
  if (known !== undefined && isAtHome(turn, known)) return staysThere(turn, known, seen)
  if (known === undefined) dropUnprovenAt(turn, seen)
  if (known === undefined && !makeRoom(turn, group)) return undefined
  if (known !== undefined) removePeer(turn, known)
  const peer = registerPeer(turn, group, seen)
  // If it is known in another group, or was at another address, there are as many voters as before.
  peer.isProven = known?.isProven ?? isProvenElsewhere(peer)
  peer.isSettled = peer.link.owners.some((twin) => twin.kind === 'sentinel' && twin.isSettled)
  announceArrival(turn, group, peer, known !== undefined)
  if (known !== undefined) moveElsewhere(turn, peer)
  if (peer.isProven) save(turn)
  // If another group already has the link, no linkUp will follow.
  if (commandLink(peer) !== undefined) greet(turn, peer)
  return peer
}

/**
 * Whether it answers where it is, on a connection on which its identity is confirmed. Anyone can claim
 * that it has moved; a peer that really has moved will not answer here much longer, and says hello
 * again.
 */
function isAtHome({ state, now }: Turn, peer: Peer): boolean {
  const { pingPendingSinceMs } = peer.link
  if (!peer.isProven || !isConfirmed(peer) || commandLink(peer) === undefined) return false
  const owedMs = pingPendingSinceMs === undefined ? 0 : now.monoMs - pingPendingSinceMs
  return owedMs <= state.config.periods.pingMs && !isSdown(peer)
}

function staysThere(turn: Turn, known: Peer, { host, port }: SavedPeer): Peer {
  const where = hostAndPort(shownHost(turn.state, host), port)
  log(turn, 'debug', `Sentinel ${known.runId} is said to be at ${where}, but answers where it was`)
  return known
}

/** Adds a peer silently, as at the start from a state file. */
export function registerPeer(turn: Turn, group: Group, seen: SavedPeer): Peer {
  const peer = createPeer(group, seen.runId, seen.host, seen.port, turn.now.monoMs)
  peer.link = linkTo(turn.state, seen) ?? peer.link
  group.peers.set(seen.runId, peer)
  watch(turn, peer)
  return peer
}

/** The link that another group already has to the same process. */
function linkTo(state: State, { runId, host, port }: SavedPeer): Link | undefined {
  for (const { peers } of state.groups.values()) {
    const twin = peers.get(runId)
    if (twin?.host === host && twin.port === port) return twin.link
  }
  return undefined
}

function announceArrival(turn: Turn, group: Group, peer: Peer, moved: boolean): void {
  const say = peer.isProven ? announce : logQuietly
  if (!moved) return say(turn, '+sentinel', peer)
  const { runId, port } = peer
  const where = { host: shownHost(turn.state, peer.host), port, runId }
  say(turn, '+sentinel-address-switch', group.master, where)
}

/** Its records in other groups move with it, and onto the link of this one. */
function moveElsewhere(turn: Turn, peer: Peer): void {
  const twins = [...turn.state.groups.values()]
    .map(({ peers }) => peers.get(peer.runId))
    .filter((twin) => twin !== undefined && twin.link !== peer.link)
  if (twins.length === 0) return
  for (const twin of twins) if (twin !== undefined) moveTwin(turn, twin, peer)
  announce(turn, '+sentinel-address-update', peer, { count: twins.length })
}

/** Its opinion and its vote stay; the answers it owed us, it owed us at the old address. */
function moveTwin(turn: Turn, twin: Peer, { host, port, link, isSettled }: Peer): void {
  unwatch(turn, twin)
  forgetReplies(twin)
  Object.assign(twin, { host, port, link, isSettled })
  watch(turn, twin)
  checkDown(turn, twin)
  if (commandLink(twin) !== undefined) greet(turn, twin)
}

/**
 * A peer with another id at this address makes room for the one we heard of last; but one that has
 * proven itself there stays until the other has as well.
 */
function dropUnprovenAt(turn: Turn, seen: SavedPeer): void {
  for (const other of othersAt(turn.state, seen, seen.runId)) {
    if (!other.isProven) replace(turn, other)
  }
}

/** Of the unproven peers the oldest goes: a real one says hello again, and proves itself at once. */
function makeRoom(turn: Turn, { peers }: Group): boolean {
  const unproven = [...peers.values()].filter(({ isProven }) => !isProven)
  if (peers.size - unproven.length >= PROVEN_MAX) return false
  const [oldest] = unproven
  if (unproven.length >= UNPROVEN_MAX && oldest !== undefined) removePeer(turn, oldest)
  return true
}

function isProvenElsewhere(peer: Peer): boolean {
  return peer.link.owners.some((twin) => {
    return twin.kind === 'sentinel' && twin.runId === peer.runId && twin.isProven
  })
}

/** Called in each hello period: an unproven peer is dropped once no hello mentions it any more. */
export function isForgotten(turn: Turn, instance: Instance): boolean {
  if (instance.kind !== 'sentinel' || instance.isProven) return false
  const { group, helloReceivedAtMs } = instance
  const counts = electorsOf(group).includes(instance)
  const keptMs = PERIODS_TO_KEEP * turn.state.config.periods.helloMs
  const limitMs = counts ? Math.max(keptMs, KEPT_WHERE_IT_COUNTS_MS) : keptMs
  if (turn.now.monoMs - helloReceivedAtMs <= limitMs) return false
  log(turn, 'debug', `Sentinel ${instance.name} has never answered and is not heard of any more`)
  removePeer(turn, instance)
  return true
}
