/**
 * The other Sentinels of a group. A peer is its run id at its address: the same id at a new address has
 * moved, a new id at a known address has replaced the one that was there. The records a process has in
 * several groups share one link, and what is learnt of its address in one of them holds for all.
 */
import { greet } from './connections.ts'
import { checkDown } from './down.ts'
import { announce } from './events.ts'
import { createPeer, unwatch, watch } from './instances.ts'
import { save } from './memory/save.ts'
import type { SavedPeer } from './memory/saved.ts'
import { sameAddress, shownHost } from './names/names.ts'
import type { Group, Link, Peer, State, Turn } from './state.ts'
import { commandLink } from './state.ts'

/** Far more than anybody runs: a stranger's made-up hellos must not fill our memory. */
const PEERS_MAX = 1_000

/** Finds the peer a hello speaks of, adding or moving it when it is news. Undefined: there are too many. */
export function meetPeer(turn: Turn, group: Group, seen: SavedPeer): Peer | undefined {
  const known = group.peers.get(seen.runId)
  if (known !== undefined && sameAddress(turn.state, known, seen)) return known
  if (known === undefined && group.peers.size >= PEERS_MAX) return undefined
  if (known === undefined) dropImpostors(turn, seen)
  else removePeer(turn, known)
  const peer = registerPeer(turn, group, seen)
  announceArrival(turn, group, peer, known !== undefined)
  if (known !== undefined) moveElsewhere(turn, peer)
  save(turn)
  // Where the link is another group's, no linkUp will follow.
  if (commandLink(peer) !== undefined) greet(turn, peer)
  return peer
}

/** Adds a peer without a word, as at the start from a state file. */
export function registerPeer(turn: Turn, group: Group, seen: SavedPeer): Peer {
  const peer = createPeer(group, seen.runId, seen.host, seen.port, turn.now.monoMs)
  peer.link = linkTo(turn.state, seen) ?? peer.link
  group.peers.set(seen.runId, peer)
  watch(turn, peer)
  return peer
}

/** The link another group has to the same process already. */
function linkTo(state: State, { runId, host, port }: SavedPeer): Link | undefined {
  for (const { peers } of state.groups.values()) {
    const twin = peers.get(runId)
    if (twin?.host === host && twin.port === port) return twin.link
  }
  return undefined
}

function announceArrival(turn: Turn, group: Group, peer: Peer, moved: boolean): void {
  if (!moved) {
    announce(turn, 'notice', '+sentinel', peer)
    return
  }
  const host = shownHost(turn.state, peer.host)
  const where = `ip ${host} port ${peer.port} for ${peer.runId}`
  announce(turn, 'notice', '+sentinel-address-switch', group.master, where)
}

/** Its records in other groups move with it, and onto the link of the first. */
function moveElsewhere(turn: Turn, peer: Peer): void {
  const twins = [...turn.state.groups.values()]
    .map(({ peers }) => peers.get(peer.runId))
    .filter((twin) => twin !== undefined && twin.link !== peer.link)
  if (twins.length === 0) return
  for (const twin of twins) if (twin !== undefined) moveTwin(turn, twin, peer)
  const count = `${twins.length} additional matching instances`
  announce(turn, 'notice', '+sentinel-address-update', peer, count)
}

/** What it thinks and how it voted stays; what it owed us, it owed us at the old address. */
function moveTwin(turn: Turn, twin: Peer, { host, port, link }: Peer): void {
  unwatch(turn, twin)
  Object.assign(twin, { host, port, link, helloPending: false, askPending: false })
  watch(turn, twin)
  checkDown(turn, twin)
  if (commandLink(twin) !== undefined) greet(turn, twin)
}

/** Whoever had this address under another id is gone from every group: only one process can have it. */
function dropImpostors(turn: Turn, seen: SavedPeer): void {
  for (const group of turn.state.groups.values()) {
    for (const peer of group.peers.values()) {
      // The same Sentinel in another group is no impostor.
      if (peer.runId === seen.runId || !sameAddress(turn.state, peer, seen)) continue
      announce(turn, 'notice', '+sentinel-invalid-addr', peer)
      removePeer(turn, peer)
    }
  }
}

function removePeer(turn: Turn, peer: Peer): void {
  unwatch(turn, peer)
  peer.group.peers.delete(peer.runId)
}
