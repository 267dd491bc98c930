/**
 * What the node asks of its folder ([dir]), and how work that takes several such steps is written: as a
 * generator that yields one request after another and is resumed with the answer. So a save reads from
 * top to bottom, and between two steps commands go on.
 *
 * Paths are relative to the folder. Bytes are latin1 strings.
 */
import { assert } from '../../base/assert.ts'

export type FileRequest =
  /** Answered by `names`; a folder that does not exist has none. */
  | { readonly kind: 'list'; readonly folder: string }
  /** Answered by `size`; undefined if there is no such file. */
  | { readonly kind: 'size'; readonly path: string }
  /** Answered by `bytes`: up to `maxBytes` from `offset` on; none at the end. */
  | {
      readonly kind: 'read'
      readonly path: string
      readonly offset: number
      readonly maxBytes: number
    }
  /** An empty file, replacing any other. Its name is durable after the next `rename` in its folder. */
  | { readonly kind: 'create'; readonly path: string }
  /** Appends to an existing file. */
  | { readonly kind: 'append'; readonly path: string; readonly bytes: string }
  /** What has been written to the file survives a power cut from the answer on. */
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'truncate'; readonly path: string; readonly sizeBytes: number }
  /** Replaces a file of that name; durable from the answer on, like every earlier change in that folder. */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  /** A missing file is no failure. */
  | { readonly kind: 'remove'; readonly path: string }
  /** An existing folder is no failure. Durable from the answer on. */
  | { readonly kind: 'makeFolder'; readonly folder: string }
  /**
   * [black-box] Of the node's own journal, wherever it is: a piece of a segment, answered by `bytes`; undefined: which
   * segments there are, answered by `segments`.
   */
  | { readonly kind: 'journal'; readonly piece: JournalPiece | undefined }

export interface JournalPiece {
  readonly segment: string
  readonly offset: number
  readonly bytes: number
}

export interface JournalSegmentFile {
  readonly name: string
  readonly bytes: number
  /** Wall-clock milliseconds. */
  readonly writtenAtMs: number
}

export interface FileFailure {
  readonly kind: 'failed'
  /** The operating system's name for it: ENOSPC, EIO, ENOENT. */
  readonly code: string
  /** For people: `ENOSPC: no space left on device`. */
  readonly text: string
}

export type FileAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'size'; readonly sizeBytes: number | undefined }
  | { readonly kind: 'bytes'; readonly bytes: string }
  | { readonly kind: 'segments'; readonly segments: readonly JournalSegmentFile[] }
  | FileFailure

/** Whoever keeps no journal answers this. */
export const NO_JOURNAL: FileFailure = {
  kind: 'failed',
  code: 'NORECORD',
  text: 'this node keeps no record: it takes black-box yes in its configuration, and a restart',
}

/** Identifies a request; the answer has the same number. */
export type FileRequestId = number

/** Asks for nothing: the work goes on when this moment has come, which may come nearer meanwhile. Monotonic. */
export interface WorkPause {
  readonly kind: 'pause'
  untilMs(): number
}

/** Work on files: yields requests, is resumed with their answers, and returns the result. */
export type Work<T> = Generator<FileRequest | WorkPause, T, FileAnswer>

/** Waits while the moment that this tells lies ahead. Monotonic. */
export function* pause(untilMs: () => number): Work<void> {
  if (untilMs() > 0) yield { kind: 'pause', untilMs }
}

/** One question. */
export function* askFor(request: FileRequest): Work<FileAnswer> {
  return yield request
}

/** Undefined if it succeeded. */
export function* change(
  request: FileRequest & {
    kind: 'create' | 'append' | 'sync' | 'truncate' | 'rename' | 'remove' | 'makeFolder'
  },
): Work<FileFailure | undefined> {
  const answer = yield request
  return answer.kind === 'failed' ? answer : undefined
}

export function* readBytes(
  path: string,
  offset: number,
  maxBytes: number,
): Work<string | FileFailure> {
  const answer = yield { kind: 'read', path, offset, maxBytes }
  if (answer.kind === 'failed') return answer
  assert(answer.kind === 'bytes', 'reading is answered by bytes')
  return answer.bytes
}

/** `absent`: there is no such file. */
export function* sizeOf(path: string): Work<number | 'absent' | FileFailure> {
  const answer = yield { kind: 'size', path }
  if (answer.kind === 'failed') return answer
  assert(answer.kind === 'size', 'asking for a size is answered by one')
  return answer.sizeBytes ?? 'absent'
}

export function* namesIn(folder: string): Work<readonly string[] | FileFailure> {
  const answer = yield { kind: 'list', folder }
  if (answer.kind === 'failed') return answer
  assert(answer.kind === 'names', 'listing is answered by names')
  return answer.names
}

/** The same work, except that once it is given up it does nothing more and ends with undefined. */
export function* abandonable<T>(work: Work<T>, isGivenUp: () => boolean): Work<T | undefined> {
  let step = work.next()
  while (step.done !== true) {
    const answer = yield step.value
    if (isGivenUp()) {
      work.return(undefined as never)
      return undefined
    }
    step = work.next(answer)
  }
  return step.value
}
