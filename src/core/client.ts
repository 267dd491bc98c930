import type { Account } from '../acl/users.ts'
import type { Protocol } from '../resp/reply.ts'
import type { RequestDecoder } from '../resp/request-decoder.ts'
import type { ClientId } from './ids.ts'
import type { Answer } from './inquiry.ts'

/** Server-assisted client-side caching, as a client set it up. */
export interface Tracking {
  readonly mode: 'default' | 'optin' | 'optout' | 'bcast'
  readonly noLoop: boolean
  /** Connection invalidations are to go to; 0: this one. */
  readonly redirect: ClientId
  /** With `bcast` only; the empty one stands for all keys. */
  readonly prefixes: readonly string[]
  /** [CLIENT CACHING] was said and no key has been read since. */
  readonly isCachingSaid: boolean
}

/** A client of this Sentinel: an application, an operator, or a peer that asks and tells. */
export interface Client {
  readonly id: ClientId
  /** Its end of the connection and ours, each `host:port`. */
  readonly address: string
  readonly localAddress: string
  readonly openedAtMs: number
  readonly decoder: RequestDecoder
  /** Channels and patterns it is subscribed to, in the order it asked. */
  readonly channels: Set<string>
  readonly patterns: Set<string>
  /** Bytes of all those names together. */
  subscribedBytes: number
  /** [CLIENT SETNAME] Empty: none. */
  name: string
  /** [CLIENT SETINFO] Which client library it says it is. */
  libraryName: string
  libraryVersion: string
  protocol: Protocol
  isAuthenticated: boolean
  /** Who it is; the default user until it says otherwise. */
  account: Account
  /** Full name of the last command, as CLIENT LIST shows it. */
  lastCommand: string
  lastActiveAtMs: number
  /** [CLIENT REPLY] `skipNext` becomes `skip` when the present command ends, and that becomes `on`. */
  replies: 'on' | 'off' | 'skip' | 'skipNext'
  /** [CLIENT TRACKING] What it asked for. There are no keys here, so nothing is ever invalidated. */
  tracking: Tracking | undefined
  /** [CLIENT NO-EVICT] Shown in its flags; nobody is evicted here. */
  isSpared: boolean
  /** The present command waits for an answer from outside; what comes behind it waits too. */
  isWaiting: boolean
  /** The words of the command that waits. */
  waitingArgv: readonly string[]
  /** Answers the present command has been given, by question. */
  readonly answers: Map<string, Answer>
  /** The present command is its last one: answer, then close. */
  isLeaving: boolean
  /** We have closed it; what it still sends is not looked at. */
  isClosing: boolean
}
