/**
 * What can be said about a run from outside its machines: the shared language of the simulator, its
 * checkers, the expectations of a scenario and the reports. Another engine that reports the same
 * facts (real sockets, real processes) can be judged by the same code. Times are true milliseconds
 * since the start of the run, never what some process believes.
 */

import type { Address } from '../base/ip.ts'
import type { Sizes } from '../base/sizes.ts'
import type { HeardEvent } from '../core/event-table.ts'
import type { FailoverKind } from '../core/failover/failover-kinds.ts'

import type { Action } from './action.ts'

export type { EventTopic } from '../core/event-spec.ts'
// Code that reads events may know nothing of the Sentinel itself, only what it publishes.
export {
  type AbortReason,
  abortReasonInWords,
  EVENT_NAMES,
  EVENTS,
  type EventName,
  type HeardEvent,
  isAbort,
  isEventName,
} from '../core/event-table.ts'
export { eventWords } from '../core/event-words.ts'
export type { FailoverKind } from '../core/failover/failover-kinds.ts'

export type ProcessStatus = 'down' | 'running' | 'paused'

export type Happening = {
  readonly atMs: number
  /** Name of the process where it happened; undefined for what was done to the world. */
  readonly process: string | undefined
} & Occurrence

export type Occurrence =
  /** Something was done to the world: a step of the timeline. */
  | {
      readonly kind: 'fault'
      readonly text: string
      /** The action itself, for code that needs more than the words. */
      readonly action?: Action
    }
  | {
      readonly kind: 'status'
      readonly status: ProcessStatus
      /** Where it is known only from what others say: what to call it. */
      readonly word?: string
    }
  /** In records: from here on there is none of this process, so what it was and said is not known. */
  | { readonly kind: 'unrecorded' }
  /** In records: what Sentinels hold of a process beside its state; undefined: that is over. */
  | { readonly kind: 'remark'; readonly text: string | undefined }
  /** In records: what a data node or a proxy put on record of itself. */
  | { readonly kind: 'said'; readonly fact: string; readonly text: string }
  /** A Sentinel published an event: its name and payload as on the wire. */
  | {
      readonly kind: 'event'
      readonly name: HeardEvent
      readonly payload: string
      /**
       * For a `+sdown` of a master: how long, by its own clock, the Sentinel had no good reply to
       * PING.
       */
      readonly silentMs?: number
      /** For a `+try-failover`: how the failover came about; undefined: this engine does not say. */
      readonly failover?: FailoverKind
      /** For a `+try-failover` on record: the Sentinels that counted then. */
      readonly electorate?: Electorate
    }
  /** A process answered a command of the timeline with an error. */
  | { readonly kind: 'refused'; readonly command: string; readonly reason: string }
  | { readonly kind: 'log'; readonly level: string; readonly text: string }
  /** The master of a group, as this Sentinel tells clients. */
  | { readonly kind: 'view'; readonly group: string; readonly master: Address }
  /**
   * A Sentinel said in a hello which node is master, and in which epoch. Repetitions are left out.
   */
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
  /**
   * A Sentinel counts itself elected. An operator's forced failover needs no election and is left
   * out.
   */
  | {
      readonly kind: 'leader'
      readonly sentinelId: string
      readonly group: string
      readonly epoch: number
      readonly electorate?: Electorate
    }
  /**
   * A Sentinel begins a failover. `isPlanned`: an operator asked for it, so no Sentinel has to hold
   * the master down; `forced`: it does not even need votes.
   */
  | {
      readonly kind: 'candidacy'
      readonly sentinelId: string
      readonly group: string
      readonly epoch: number
      readonly forced: boolean
      readonly isPlanned?: boolean
      /** The master that the Sentinel wants to replace. */
      readonly master: Address
      readonly electorate: Electorate
    }
  /** A leader has chosen the replica to promote, and has not told the replica yet. */
  | {
      readonly kind: 'selection'
      readonly group: string
      readonly chosen: Address
      /** The master that is replaced. */
      readonly master?: Address
      /** An operator has named the replica. */
      readonly isNamed?: boolean
      /** All replicas the leader knows, the chosen one included. */
      readonly known: readonly Address[]
      /** The state of the group's data nodes at that moment, as they know it themselves. */
      readonly standings: readonly NodePosition[]
    }
  /** Bytes of a client have left its proxy for this node. */
  | { readonly kind: 'forwarded'; readonly group: string; readonly node: Address }
  /** A client that closed its half was let go in order, and not told all that it had asked. */
  | {
      readonly kind: 'unanswered'
      /** Of the node or the proxy. */
      readonly host: string
      readonly asked: number
      readonly answered: number
      /** By the clock of the client. */
      readonly tookMs: number
    }
  /** The role of a data node, as the node reports it. */
  | { readonly kind: 'role'; readonly role: NodeRole }
  /**
   * A Sentinel knows far more peers or replicas of a group than anybody runs; reported again
   * whenever their number has grown by a quarter.
   */
  | {
      readonly kind: 'crowd'
      readonly group: string
      readonly peers: number
      readonly replicas: number
    }
  /** A Sentinel tells a data node which master to follow; undefined: to be one itself. */
  | {
      readonly kind: 'order'
      readonly group: string
      readonly node: Address
      readonly master: Address | undefined
      /** The config epoch of the group, as far as the Sentinel knows. */
      readonly configEpoch: number
    }
  /** A Sentinel answers another one that it sees the master down, or its connections refused. */
  | { readonly kind: 'opinion'; readonly says: 'down' | 'refused' }
  /** A Sentinel tells one subscriber that the master of a group has changed. */
  | {
      readonly kind: 'switchTold'
      /** The connection of the subscriber. */
      readonly client: number
      readonly group: string
      readonly from: Address
      readonly to: Address
    }
  /** A Sentinel's memory, its state file and what it tells do not fit together. */
  | { readonly kind: 'misremembered'; readonly text: string }
  /** Whether a data node holds back the writes of its clients, and why. */
  | { readonly kind: 'writesHeld'; readonly isHeld: boolean }
  /** A replica has asked a data node for a full copy. These are all that wait for one, or get one. */
  | { readonly kind: 'copies'; readonly to: readonly Address[] }
  /** How much the process holds, by where it holds it. */
  | { readonly kind: 'sizes'; readonly sizes: Sizes }
  | { readonly kind: 'violation'; readonly checker: string; readonly text: string }

/**
 * Happenings that only checkers need. They are not kept: a trace stays what it was when another checker wants to
 * know more.
 */
const FOR_CHECKERS: ReadonlySet<Happening['kind']> = new Set([
  ...(['order', 'opinion', 'switchTold', 'misremembered', 'copies', 'forwarded'] as const),
  ...(['unanswered'] as const),
])

export function isForCheckers({ kind }: Happening): boolean {
  return FOR_CHECKERS.has(kind)
}

/** The judge of a finished run needs these as well, but a trace stays what it was. */
export function isInTrace(happening: Happening): boolean {
  return !isForCheckers(happening) && happening.kind !== 'writesHeld'
}

export type NodeRole =
  /** `refuses`: the code of the error that its writes get, where Sentinels know it. */
  | { readonly kind: 'master'; readonly refuses?: string }
  | { readonly kind: 'replica'; readonly master: Address; readonly isLinkUp: boolean }

/** The Sentinels that could have a say in a failover, as one Sentinel knows them. */
export interface Electorate {
  /** Sentinels of the group that it knows, including dead ones and itself. */
  readonly known: number
  readonly quorum: number
}

/** The majority, and the quorum if that is more. */
export function votesNeeded({ known, quorum }: Electorate): number {
  return Math.max(quorum, Math.floor(known / 2) + 1)
}

/** What Sentinels rank a data node by. */
export interface NodePosition {
  readonly node: string
  readonly address: Address
  readonly isReplica: boolean
  readonly isLinkUp: boolean
  readonly priority: number
  /** Bytes of the replication stream that the node has applied. */
  readonly offset: number
  /** Its replication history. */
  readonly replid: string
  readonly runId: string
}
