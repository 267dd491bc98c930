/**
 * What a Sentinel wants done. The batch is ordered, and `save` is a barrier: what stands after it
 * happens only once the state is safely on disk. If the save fails, the driver drops the rest of
 * the batch and hands it back to the machine with `saveFailed`. The driver feeds the next event
 * only after the batch.
 */
import type { Protocol, Reply } from '../resp/reply.ts'
import type { AnnouncedEvent } from './announced-event.ts'
import type { ExternalQuery } from './external-query.ts'
import type { ClientId, InquiryId, JobId, LinkId } from './ids.ts'
import type { LogLevel } from './log-level.ts'
import type { SavedState } from './persistence/saved.ts'
import type { Purpose } from './purpose.ts'

export type Effect =
  | {
      readonly kind: 'openLink'
      readonly link: LinkId
      readonly channel: 'command' | 'pubsub'
      readonly host: string
      readonly port: number
    }
  | { readonly kind: 'closeLink'; readonly link: LinkId }
  /** Only on links that are up. Replies come back in the order of the sends. */
  | {
      readonly kind: 'send'
      readonly link: LinkId
      readonly purpose: Purpose
      readonly argv: readonly string[]
    }
  /**
   * `state` says what must be on disk. It is called when the barrier is reached, before the next
   * event is fed.
   */
  | { readonly kind: 'save'; readonly state: () => SavedState }
  | {
      readonly kind: 'respond'
      readonly client: ClientId
      readonly protocol: Protocol
      readonly reply: Reply
    }
  /**
   * Tell us with `drained` once the client has taken what we sent. Until then its input may stay
   * unread.
   */
  | { readonly kind: 'awaitDrain'; readonly client: ClientId }
  /** Close the connection once every response has been written. */
  | { readonly kind: 'closeClient'; readonly client: ClientId }
  /** Find out something that takes time; exactly one `inquired` follows. */
  | { readonly kind: 'inquire'; readonly inquiry: InquiryId; readonly question: ExternalQuery }
  /**
   * Run a program without a shell, path first. `scriptStarted` and `scriptEnded`, or
   * `scriptNotStarted`, follow.
   */
  | { readonly kind: 'runScript'; readonly job: JobId; readonly argv: readonly string[] }
  /** Send SIGKILL; `scriptEnded` follows all the same. */
  | { readonly kind: 'killScript'; readonly job: JobId }
  /** [loglevel] Applies from the next log effect on. */
  | { readonly kind: 'setLogLevel'; readonly level: LogLevel | 'nothing' }
  /** With the event, if the line is one. */
  | {
      readonly kind: 'log'
      readonly level: LogLevel
      readonly text: string
      readonly event?: AnnouncedEvent
    }
  | { readonly kind: 'exit'; readonly status: number }
