import type { Reply } from '../resp/reply.ts'
import type { SentinelConfig } from './config.ts'
import type { Effect } from './effect.ts'
import type { ClientId, InquiryId, JobId, LinkId } from './ids.ts'
import type { Answer } from './inquiry.ts'
import type { Purpose } from './purpose.ts'

/** Everything that can happen to a Sentinel. */
export type Event =
  /** The moment of `nextWakeUpMs` has come. */
  | { readonly kind: 'wake' }
  /** Connected; commands may be sent. `localHost` is our own end of it, which hellos announce. */
  | { readonly kind: 'linkUp'; readonly link: LinkId; readonly localHost: string }
  /**
   * Never connected or closed by the other side, the network or the kernel. Not sent after closeLink.
   * `isRefused`: a kernel answered that nobody listens there [ECONNREFUSED].
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
  /** `address` and `localAddress` are `host:port`. */
  | {
      readonly kind: 'clientOpened'
      readonly client: ClientId
      readonly address: string
      readonly localAddress: string
    }
  | { readonly kind: 'received'; readonly client: ClientId; readonly bytes: string }
  | { readonly kind: 'clientClosed'; readonly client: ClientId }
  /** A save reached the disk. */
  | { readonly kind: 'saved' }
  /** A save failed; `dropped` is what stood after it in its batch and has not been done. */
  | { readonly kind: 'saveFailed'; readonly reason: string; readonly dropped: readonly Effect[] }
  | { readonly kind: 'inquired'; readonly inquiry: InquiryId; readonly answer: Answer }
  | { readonly kind: 'scriptStarted'; readonly job: JobId; readonly pid: number }
  /** `signal` is the number of the one that ended it, 0 when it exited by itself with `status`. */
  | {
      readonly kind: 'scriptEnded'
      readonly job: JobId
      readonly status: number
      readonly signal: number
    }
  /** It could not be run: no process for it (`fork`), or no program at its path (`exec`). */
  | {
      readonly kind: 'scriptNotStarted'
      readonly job: JobId
      readonly failed: 'fork' | 'exec'
      readonly reason: string
    }
  /** The configuration file was read again (SIGHUP) and is sound; `before` is what it said until now. */
  | {
      readonly kind: 'reloaded'
      readonly config: SentinelConfig
      readonly before: SentinelConfig
    }
  /** The operator wants us gone (SIGTERM, SIGINT). */
  | { readonly kind: 'stopRequested' }
