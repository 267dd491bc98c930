/**
 * What can be said about a run from outside its machines: the shared language of the simulator, its
 * checkers, the expectations of a scenario and the reports. Another engine that can tell the same
 * facts (real sockets, real processes) can be judged by the same code. Times are true milliseconds
 * since the start of the run, never what some process believes.
 */
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
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'status'; readonly status: ProcessStatus }
  /** A Sentinel published an event: its name and payload as on the wire. */
  | { readonly kind: 'event'; readonly name: string; readonly payload: string }
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
    }
  /** What a data node is, as it says itself. */
  | { readonly kind: 'role'; readonly role: NodeRole }
  | { readonly kind: 'violation'; readonly checker: string; readonly text: string }

export type NodeRole =
  | { readonly kind: 'master' }
  | { readonly kind: 'replica'; readonly master: Address; readonly isLinkUp: boolean }
