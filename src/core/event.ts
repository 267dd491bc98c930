/** Everything that can happen to a Sentinel. */
import type { Reply } from '../resp/reply.ts'
import type { SentinelConfig } from './config.ts'
import type { Effect } from './effect.ts'
import type { Answer } from './external-query.ts'
import type { ClientId, InquiryId, JobId, LinkId } from './ids.ts'
import type { Purpose } from './purpose.ts'

export type Event =
  /** The moment of `nextWakeUpMs` has come. */
  | { readonly kind: 'wake' }
  /**
   * The link is connected; commands may be sent. `localHost` is our own end of it, which hellos
   * announce.
   */
  | { readonly kind: 'linkUp'; readonly link: LinkId; readonly localHost: string }
  /**
   * The connection was never established, or the other side, the network or the kernel closed it.
   * Not sent after closeLink. `isRefused`: a kernel answered that no process listens there
   * [ECONNREFUSED].
   */
  | {
      readonly kind: 'linkLost'
      readonly link: LinkId
      readonly reason: string
      readonly isRefused: boolean
    }
  | {
      readonly kind: 'reply'
      readonly link: LinkId
      readonly purpose: Purpose
      readonly reply: Reply
    }
  /** A Pub/Sub message on a subscribed link. */
  | {
      readonly kind: 'message'
      readonly link: LinkId
      readonly channel: string
      readonly payload: string
    }
  /**
   * `address` and `localAddress` are `host:port`. `isOperator`: the program itself speaks, for somebody
   * who has shown the token of its HTTP port: every command is open to it.
   */
  | {
      readonly kind: 'clientOpened'
      readonly client: ClientId
      readonly address: string
      readonly localAddress: string
      readonly isOperator?: true
    }
  | { readonly kind: 'received'; readonly client: ClientId; readonly bytes: string }
  /** All but a little of what the client was answered has left [awaitDrain]. */
  | { readonly kind: 'drained'; readonly client: ClientId }
  | { readonly kind: 'clientClosed'; readonly client: ClientId }
  /** A save reached the disk. */
  | { readonly kind: 'saved' }
  /** A save failed; `dropped` is what stood after it in its batch and was not done. */
  | { readonly kind: 'saveFailed'; readonly reason: string; readonly dropped: readonly Effect[] }
  | { readonly kind: 'inquired'; readonly inquiry: InquiryId; readonly answer: Answer }
  | { readonly kind: 'scriptStarted'; readonly job: JobId; readonly pid: number }
  /**
   * `signal` is the number of the signal that ended the script, 0 if it exited by itself with
   * `status`.
   */
  | {
      readonly kind: 'scriptEnded'
      readonly job: JobId
      readonly status: number
      readonly signal: number
    }
  /**
   * The script could not be run: no process for it (`fork`), or no program at its path (`exec`).
   */
  | {
      readonly kind: 'scriptNotStarted'
      readonly job: JobId
      readonly failed: 'fork' | 'exec'
      readonly reason: string
    }
  /**
   * The configuration file was read again (SIGHUP) and is sound; `before` is what the file said
   * until now.
   */
  | {
      readonly kind: 'reloaded'
      readonly config: SentinelConfig
      readonly before: SentinelConfig
    }
  /** The operator asked this process to stop (SIGTERM, SIGINT). */
  | { readonly kind: 'stopRequested' }
