/**
 * What a Sentinel may ask the outside world. The answer comes later, as an event: only the command
 * or the connection that needs the answer waits for a name server or a disk.
 */
import type { HookRequest } from './election/hook-verdict.ts'

export type ExternalQuery =
  /** The address of a host name. */
  | { readonly kind: 'resolve'; readonly host: string }
  /** Whether there is a program at this path that we may run. */
  | { readonly kind: 'executable'; readonly path: string }
  /** [aclfile] Read its text. */
  | { readonly kind: 'readAclFile' }
  /** [aclfile] Replace its text, safely on disk. */
  | { readonly kind: 'writeAclFile'; readonly text: string }
  /** [black-box] The segments of the record, with what happened up to now. */
  | { readonly kind: 'listRecord' }
  /** [black-box] So many bytes of a segment. */
  | {
      readonly kind: 'readRecord'
      readonly segment: string
      readonly offset: number
      readonly bytes: number
    }
  /** [pre-failover-hook] Whether a failover may begin. The answer takes no longer than that. */
  | {
      readonly kind: 'preFailover'
      readonly hook: string
      readonly timeoutMs: number
      readonly request: HookRequest
    }

/** The answer has the kind of its question, or is `failed` with the reason in a few words. */
export type Answer =
  | { readonly kind: 'resolve'; readonly address: string }
  | { readonly kind: 'executable'; readonly isExecutable: boolean }
  | { readonly kind: 'readAclFile'; readonly text: string }
  | { readonly kind: 'writeAclFile' }
  /** The oldest first. */
  | { readonly kind: 'listRecord'; readonly segments: readonly RecordedSegment[] }
  /** A byte string; shorter than asked for where the segment ends. */
  | { readonly kind: 'readRecord'; readonly bytes: string }
  /** `reason` is what the hook says for people; it may be empty, and is a byte string. */
  | { readonly kind: 'preFailover'; readonly allows: boolean; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export interface RecordedSegment {
  readonly name: string
  readonly bytes: number
  /** Wall-clock milliseconds of the last write. */
  readonly writtenAtMs: number
}

/** What asked the question, kept as data like the purpose of a command. */
export type InquiryPurpose =
  /** A command of a client, which is carried out once the answer is there. */
  | { readonly kind: 'command'; readonly client: number; readonly question: ExternalQuery }
  /** The address of a host on which instances live. */
  | { readonly kind: 'name'; readonly host: string }
  /** A failover of this group, which waits for the operator's hook. */
  | { readonly kind: 'preFailover'; readonly group: string }
