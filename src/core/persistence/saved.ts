/**
 * What a Sentinel must not forget, whatever moment it dies at: its identity, the epochs it has seen,
 * the votes it gave, and what it learnt at run time. `config/state-file.ts` turns it into bytes and
 * back.
 */
import type { Address } from '../../base/ip.ts'
import type { GroupConfig } from '../config.ts'
import type { GlobalSettings } from '../global-settings.ts'
import type { SavedPause } from '../pause/pause-record.ts'

export interface SavedState {
  /** 40 lower-case hex characters, drawn once in a Sentinel's life. */
  readonly myid: string
  readonly currentEpoch: number
  /**
   * Kept over a crash, or half of the Sentinels would vote by the old numbers; undefined if no renumbering
   * is under way.
   */
  readonly renumbering?: Renumbering | undefined
  readonly groups: readonly SavedGroup[]
  /** Groups of the user's file that SENTINEL REMOVE took away, as the file had them at that time. */
  readonly removed: readonly GroupConfig[]
  /** What SENTINEL CONFIG SET changed; undefined in files from before that command existed. */
  readonly settings: Learnt<GlobalSettings> | undefined
  /**
   * The users as ACL SETUSER and DELUSER left them, each as the words of a `user` line; undefined if they are
   * those of the file.
   */
  readonly users: Learnt<readonly (readonly string[])[]> | undefined
}

/** The lowering of the epochs, as far as this Sentinel has come; see core/election/renumber.ts. */
export interface Renumbering {
  /**
   * Identifies the run of the operator's program: printable characters, drawn anew for each
   * attempt.
   */
  readonly token: string
  /** Whether its epochs are the new ones. */
  readonly isLowered: boolean
}

/**
 * A value as the user's file had it when this was saved, and its present value. The file wins if it has changed
 * since.
 */
export interface Learnt<Value> {
  readonly file: Value
  readonly current: Value
}

export interface SavedGroup {
  /**
   * The group as the user's file had it when this was saved; undefined if SENTINEL MONITOR added it. If
   * the file says something else today, the operator has changed it since: the file wins.
   */
  readonly file: GroupConfig | undefined
  /** The present group: the learnt address of the master, options changed by SENTINEL SET. */
  readonly current: GroupConfig
  /** Epoch of the failover that promoted the current master. */
  readonly configEpoch: number
  /** Highest epoch in which we voted for this group. One vote per epoch, restarts included. */
  readonly leaderEpoch: number
  /** The candidate we voted for in `leaderEpoch`; empty if unknown (imported from a sentinel.conf). */
  readonly leader: string
  /**
   * [failover-block] Until when no automatic failover begins, by the wall clock: no other clock goes on over a
   * restart. Missing: there is no block.
   */
  readonly blockedUntilWallMs?: number | undefined
  readonly replicas: readonly Address[]
  /** The peers that have proven to be Sentinels. */
  readonly peers: readonly SavedPeer[]
  /** The last order to pause automatic failover, or to resume it; undefined: there was none. */
  readonly pause?: SavedPause | undefined
}

export interface SavedPeer extends Address {
  readonly runId: string
}
