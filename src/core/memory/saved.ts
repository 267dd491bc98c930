import type { GlobalSettings, GroupConfig } from '../config.ts'

/**
 * What a Sentinel must not forget, whatever moment it dies at: who it is, the epochs it has seen, the
 * votes it gave, and what it learnt at run time. `config/state-file.ts` turns it into bytes and back.
 */
export interface SavedState {
  /** 40 lower-case hex characters, drawn once in a Sentinel's life. */
  readonly myid: string
  readonly currentEpoch: number
  readonly groups: readonly SavedGroup[]
  /** Groups of the user's file that SENTINEL REMOVE took away, as the file had them at that time. */
  readonly removed: readonly GroupConfig[]
  /** What SENTINEL CONFIG SET changed; undefined in what was written before there was such a command. */
  readonly settings: Learnt<GlobalSettings> | undefined
  /** The users as ACL SETUSER and DELUSER left them, each the words of a `user` line; undefined: as the file has them. */
  readonly users: Learnt<readonly (readonly string[])[]> | undefined
}

/** A value as the user's file had it when this was saved, and as it stands. The file wins where it has changed since. */
export interface Learnt<Value> {
  readonly file: Value
  readonly current: Value
}

export interface SavedGroup {
  /**
   * The group as the user's file had it when this was saved; undefined for one added by SENTINEL
   * MONITOR. Where the file says something else today, the operator has changed it since: the file wins.
   */
  readonly file: GroupConfig | undefined
  /** The group as it stands: the learnt address of the master, options changed by SENTINEL SET. */
  readonly current: GroupConfig
  /** Epoch of the failover that put the current master in place. */
  readonly configEpoch: number
  /** Highest epoch in which we voted for this group. One vote per epoch, restarts included. */
  readonly leaderEpoch: number
  /** Whom we voted for in `leaderEpoch`; empty when forgotten (imported from a sentinel.conf). */
  readonly leader: string
  readonly replicas: readonly Address[]
  readonly peers: readonly SavedPeer[]
}

export interface Address {
  readonly host: string
  readonly port: number
}

export interface SavedPeer extends Address {
  readonly runId: string
}
