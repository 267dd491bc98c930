/**
 * What can be said about a run from outside its machines: the shared language of the simulator, its
 * checkers, the expectations of a scenario and the reports. Another engine that can tell the same
 * facts (real sockets, real processes) can be judged by the same code. Times are true milliseconds
 * since the start of the run, never what some process believes.
 */
import type { Action } from './action.ts'
import type { ProcessStatus } from './process.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export type Happening = {
  readonly atMs: number
  /** Name of the process it happened at; the world's own doings have none. */
  readonly process: string | undefined
} & Occurrence

export type Occurrence =
  /** Something was done to the world: a step of the timeline. */
  | {
      readonly kind: 'fault'
      readonly text: string
      /** What it was, for those who have to know more than the words. */
      readonly action?: Action
    }
  | { readonly kind: 'status'; readonly status: ProcessStatus }
  /** A Sentinel published an event: its name and payload as on the wire. */
  | {
      readonly kind: 'event'
      readonly name: string
      readonly payload: string
      /** Of a `+sdown` of a master: since when, by its own clock, the Sentinel had no good reply to PING. */
      readonly silentMs?: number
    }
  | { readonly kind: 'log'; readonly level: string; readonly text: string }
  /** The master of a group as this Sentinel tells clients. */
  | { readonly kind: 'view'; readonly group: string; readonly master: Address }
  /** A Sentinel said in a hello who is master, and of which epoch. Repetitions are left out. */
  | {
      readonly kind: 'hello'
      readonly sentinelId: string
      readonly group: string
      readonly configEpoch: number
      readonly master: Address
      /** The highest epoch the Sentinel knows of, whatever the group. */
      readonly currentEpoch?: number
    }
  /** A vote has left the Sentinel that gave it. `sentinelId` and `leader` are run ids. */
  | {
      readonly kind: 'vote'
      readonly sentinelId: string
      readonly group: string
      readonly epoch: number
      readonly leader: string
    }
  /** A Sentinel holds itself elected; an operator's forced failover elects nobody and is left out. */
  | {
      readonly kind: 'leader'
      readonly sentinelId: string
      readonly group: string
      readonly epoch: number
      readonly electorate?: Electorate
    }
  /**
   * A Sentinel begins a failover. `isPlanned`: an operator asked for it, so nobody has to hold the master
   * down; `forced`: it does not even need votes.
   */
  | {
      readonly kind: 'candidacy'
      readonly sentinelId: string
      readonly group: string
      readonly epoch: number
      readonly forced: boolean
      readonly isPlanned?: boolean
      /** The master it wants to replace. */
      readonly master: Address
      readonly electorate: Electorate
    }
  /** A leader has chosen the replica to promote, and has not told it yet. */
  | {
      readonly kind: 'selection'
      readonly group: string
      readonly chosen: Address
      /** All replicas the leader knows, the chosen one included. */
      readonly known: readonly Address[]
      /** How the data nodes of the group stood at that moment, as they know it themselves. */
      readonly standings: readonly Standing[]
    }
  /** What a data node is, as it says itself. */
  | { readonly kind: 'role'; readonly role: NodeRole }
  | { readonly kind: 'violation'; readonly checker: string; readonly text: string }

export type NodeRole =
  | { readonly kind: 'master' }
  | { readonly kind: 'replica'; readonly master: Address; readonly isLinkUp: boolean }

/** Who could have a say in a failover, as one Sentinel has it. */
export interface Electorate {
  /** Sentinels of the group it knows of, dead ones and itself included. */
  readonly known: number
  readonly quorum: number
}

/** What Sentinels rank a data node by. */
export interface Standing {
  readonly node: string
  readonly address: Address
  readonly isReplica: boolean
  readonly isLinkUp: boolean
  readonly priority: number
  /** Bytes of the replication stream it has applied. */
  readonly offset: number
  readonly runId: string
}
