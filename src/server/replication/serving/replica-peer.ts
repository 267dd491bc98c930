/**
 * What a master knows about one replica attached to it. A peer is made by the first REPLCONF or
 * PSYNC of a connection and lives as long as the connection.
 */
import { hostAndPort } from '../../../base/ip.ts'
import type { ConnectionId } from '../../port.ts'
import { TOO_OLD } from '../history/stream-times.ts'

/**
 * Where a peer stands on its way into the stream:
 * - `announced`: it sent REPLCONF; it is an ordinary client until it asks for PSYNC.
 * - `waiting`: it needs a snapshot and none has started for it.
 * - `copying`: the snapshot is being written to it; the stream is held back.
 * - `loading`: it has the whole snapshot, closed by a mark. A replica finds the mark only at the
 *   end of what it read, so nothing may follow before its first ACK.
 * - `online`: every change is passed on as it happens.
 */
export type PeerPhase = 'announced' | 'waiting' | 'copying' | 'loading' | 'online'

/** The connection a peer came on. */
export interface PeerConnection {
  readonly id: ConnectionId
  readonly ends: { readonly remoteHost: string }
  /** Monotonic. When the last bytes came, even if they were only a newline. */
  readonly lastInputAtMs: number
}

export interface ReplicaPeer {
  readonly connection: PeerConnection
  /** REPLCONF ip-address: overrides the address the connection comes from. */
  announcedHost: string | undefined
  listeningPort: number
  /** The replica can read a payload whose length is not known beforehand. */
  canEof: boolean
  /** The replica understands a new replication id in +CONTINUE. */
  canPsync2: boolean
  /** The replica reads Valkey's form of RDB: Valkey since 9.0, and we. */
  readsValkey: boolean
  /** The replica wants the payload and nothing after it (backup tools). */
  rdbOnly: boolean
  /** What the replica wants of the payload; for a payload without keys see full-sync.ts. */
  wants: 'all' | 'functions' | 'nothing'
  /** The replica came with SYNC: it never acknowledges and is never dropped for its silence. */
  preSync: boolean
  phase: PeerPhase
  /** While the stream is held back from it: the offset its snapshot stands for. */
  heldFromOffset: number
  ackOffset: number
  /** Its last ACK said that it expects to become the master. */
  expectsRole: boolean
  /** Its word counts once it has acknowledged this much, see `Replicas.attach`. */
  countsFromOffset: number
  /** How much of the stream the replica has on its disk (FACK), if it says so. */
  fsyncedOffset: number
  /** The reign in which it was told our term, see strict/; undefined: it did not ask. */
  reign: number | undefined
  /** Its acknowledgements count from this offset on. */
  votesFromOffset: number
  /** Monotonic. When the last ACK came, or when it was attached. */
  ackAtMs: number
  /** Monotonic. It has shown that it has everything of the stream that was written before. */
  hasAllUntilMs: number
  /** Monotonic. Since when its output has been above the soft limit. */
  overSoftLimitSinceMs: number | undefined
  /** Monotonic. When a snapshot being written to it last made room in its output queue. */
  drainedAtMs: number
}

export function newReplicaPeer(connection: PeerConnection): ReplicaPeer {
  return {
    connection,
    announcedHost: undefined,
    listeningPort: 0,
    canEof: false,
    canPsync2: false,
    readsValkey: false,
    rdbOnly: false,
    wants: 'all',
    preSync: false,
    phase: 'announced',
    heldFromOffset: 0,
    ackOffset: 0,
    expectsRole: false,
    countsFromOffset: 0,
    fsyncedOffset: 0,
    reign: undefined,
    votesFromOffset: 0,
    ackAtMs: 0,
    hasAllUntilMs: TOO_OLD,
    overSoftLimitSinceMs: undefined,
    drainedAtMs: 0,
  }
}

/** Backup tools name no port. */
export function peerAddress(peer: ReplicaPeer): string {
  return hostAndPort(peerHost(peer), peer.listeningPort)
}

/** The address under which Sentinels and operators know the replica. */
export function peerHost(peer: ReplicaPeer): string {
  return peer.announcedHost ?? peer.connection.ends.remoteHost
}
