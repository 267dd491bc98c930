/**
 * What applications requested and what they were told, write by write. Runs are judged by it: an
 * acknowledged write is a promise.
 */

import type { DataRequest } from './data/requests.ts'
import type { Told } from './data/told.ts'

export type WriteOutcome =
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'acknowledged'
      readonly atMs: number
      /** The node could reach a majority of the Sentinels' hosts when it promised. */
      readonly withMajority: boolean
      /** For an increment: the counter's value after it. */
      readonly value?: number
    }
  /** `text` is the node's error, with its code. */
  | { readonly kind: 'refused'; readonly atMs: number; readonly text: string }
  /** The connection ended or the time was up: the write may have happened or not. */
  | { readonly kind: 'unknown'; readonly atMs: number }

/** What a write did, and so how to check later whether a node has it. */
export type Operation =
  /** SET key key: this key once and never again. */
  | { readonly kind: 'key'; readonly key: string }
  /** SADD set member. */
  | { readonly kind: 'member'; readonly set: string; readonly member: string }
  /** INCR of a counter that no other client increments. */
  | { readonly kind: 'increment'; readonly counter: string }
  /** SET key value, with one writer whose values only grow. */
  | { readonly kind: 'assign'; readonly key: string; readonly value: number }
  /** Commands on the client's own databases, which the model of the data follows. */
  | { readonly kind: 'data'; readonly request: DataRequest }

/** A register's value as a client read it. */
export interface Read {
  readonly client: string
  readonly group: string
  readonly node: string
  readonly key: string
  readonly attemptedAtMs: number
  readonly atMs: number
  /** Undefined if the register had no value. */
  readonly value: number | undefined
}

export interface Write {
  readonly client: string
  readonly operation: Operation
  readonly group: string
  /**
   * Name of the node the write was sent to, or the address if no node of ours is there. Behind a proxy: the address of
   * the proxy, until a node has answered.
   */
  node: string
  readonly attemptedAtMs: number
  outcome: WriteOutcome
}

/** The connection of questions that were asked beside a client's work, at whatever node. */
export const BESIDE = -1

/** The connections of a client that subscribed to its channel; what it was told is what it heard. */
export const LISTENING = -2

/** What a client asked about its own databases, and what it was told. */
export interface Question {
  readonly client: string
  readonly group: string
  readonly node: string
  /** Questions of a client with the same number went over one connection, in their order. See `BESIDE` and `LISTENING`. */
  readonly connection: number
  readonly request: DataRequest
  readonly attemptedAtMs: number
  /** Undefined if the request changes nothing. */
  readonly write: Write | undefined
  /** Undefined if none came. */
  answer: ToldAnswer | undefined
}

export interface ToldAnswer {
  readonly atMs: number
  readonly told: Told
}
