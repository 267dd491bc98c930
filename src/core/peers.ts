/**
 * The other Sentinels of a group. A peer is its run id at its address: the same id at a new address has
 * moved, a new id at a known address has replaced the one that was there.
 */
import { announce } from './events.ts'
import { createPeer, unwatch, watch } from './instances.ts'
import { save } from './save.ts'
import type { SavedPeer } from './saved.ts'
import type { Group, Peer, Turn } from './state.ts'

/** Finds the peer a hello speaks of, adding or moving it when it is news. */
export function meetPeer(turn: Turn, group: Group, seen: SavedPeer): Peer {
  const known = group.peers.get(seen.runId)
  if (known !== undefined && known.host === seen.host && known.port === seen.port) return known
  if (known === undefined) dropImpostors(turn, seen)
  else removePeer(turn, known)
  const peer = registerPeer(turn, group, seen)
  announceArrival(turn, group, peer, known !== undefined)
  save(turn)
  return peer
}

/** Adds a peer without a word, as at the start from a state file. */
export function registerPeer(turn: Turn, group: Group, seen: SavedPeer): Peer {
  const peer = createPeer(group, seen.runId, seen.host, seen.port, turn.now.monoMs)
  group.peers.set(seen.runId, peer)
  watch(turn, peer)
  return peer
}

function announceArrival(turn: Turn, group: Group, peer: Peer, moved: boolean): void {
  if (!moved) {
    announce(turn, 'notice', '+sentinel', peer)
    return
  }
  const where = `ip ${peer.host} port ${peer.port} for ${peer.runId}`
  announce(turn, 'notice', '+sentinel-address-switch', group.master, `${where}`)
}

/** Whoever had this address under another id is gone from every group: only one process can have it. */
function dropImpostors(turn: Turn, seen: SavedPeer): void {
  for (const group of turn.state.groups.values()) {
    for (const peer of group.peers.values()) {
      if (peer.host !== seen.host || peer.port !== seen.port) continue
      // The same Sentinel in another group is no impostor.
      if (peer.runId === seen.runId) continue
      announce(turn, 'notice', '+sentinel-invalid-addr', peer)
      removePeer(turn, peer)
    }
  }
}

function removePeer(turn: Turn, peer: Peer): void {
  unwatch(turn, peer)
  peer.group.peers.delete(peer.runId)
}
