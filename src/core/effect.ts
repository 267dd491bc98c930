import type { Protocol, Reply } from '../resp/reply.ts'
import type { ClientId, InquiryId, JobId, LinkId } from './ids.ts'
import type { Question } from './inquiry.ts'
import type { LogLevel } from './log-level.ts'
import type { SavedState } from './memory/saved.ts'
import type { Purpose } from './purpose.ts'

/**
 * What a Sentinel wants done. The batch is ordered, and `save` is a barrier: what stands after it
 * happens only once the state is safely on disk. If saving fails, the rest of the batch is not done and
 * the machine gets it back with `saveFailed`. The next event is fed only after the batch.
 */
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
  /** `state` says what is to be on disk, when the barrier is reached and before the next event is fed. */
  | { readonly kind: 'save'; readonly state: () => SavedState }
  | {
      readonly kind: 'respond'
      readonly client: ClientId
      readonly protocol: Protocol
      readonly reply: Reply
    }
  /** Close once everything responded has been written. */
  | { readonly kind: 'closeClient'; readonly client: ClientId }
  /** Find something out that takes time; exactly one `inquired` follows. */
  | { readonly kind: 'inquire'; readonly inquiry: InquiryId; readonly question: Question }
  /** Run a program without a shell, path first; `scriptStarted` and `scriptEnded`, or `scriptNotStarted`, follow. */
  | { readonly kind: 'runScript'; readonly job: JobId; readonly argv: readonly string[] }
  /** SIGKILL; `scriptEnded` follows all the same. */
  | { readonly kind: 'killScript'; readonly job: JobId }
  /** [loglevel] From the next log effect on. */
  | { readonly kind: 'setLogLevel'; readonly level: LogLevel | 'nothing' }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string }
  | { readonly kind: 'exit'; readonly status: number }
