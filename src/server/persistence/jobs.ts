/**
 * Runs work on files. Several pieces of work may run at once; each has one open request at a time.
 * An answer that is known at once (from a simulated disk without latency) is used at once.
 */
import { assert } from '../../base/assert.ts'
import type { FileAnswer, FileRequest, FileRequestId, Work } from './files.ts'

/** Undefined if the answer comes later, see `answered`. */
export type AskFile = (id: FileRequestId, request: FileRequest) => FileAnswer | undefined

type Resume = (answer: FileAnswer) => void

export class Jobs {
  readonly #ask: AskFile
  readonly #waiting = new Map<FileRequestId, Resume>()
  #lastId = 0

  constructor(ask: AskFile) {
    this.#ask = ask
  }

  /** Begins at once; `onEnd` gets the result of the work, perhaps before this call returns. */
  start<T>(work: Work<T>, onEnd: (result: T) => void): void {
    this.#drive(work, work.next(), onEnd)
  }

  answered(id: FileRequestId, answer: FileAnswer): void {
    const resume = this.#waiting.get(id)
    assert(resume !== undefined, 'only what was asked is answered, and once')
    this.#waiting.delete(id)
    resume(answer)
  }

  #drive<T>(
    work: Work<T>,
    first: IteratorResult<FileRequest, T>,
    onEnd: (result: T) => void,
  ): void {
    let step = first
    while (step.done !== true) {
      const id = ++this.#lastId
      const answer = this.#ask(id, step.value)
      if (answer === undefined) {
        this.#waiting.set(id, (later) => this.#drive(work, work.next(later), onEnd))
        return
      }
      step = work.next(answer)
    }
    onEnd(step.value)
  }
}
