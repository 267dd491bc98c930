/**
 * Runs work on files. Several pieces of work may run at once; each has one open request, or one pause, at a time.
 * An answer that is known at once (from a simulated disk without latency) is used at once.
 */
import { assert } from '../../base/assert.ts'
import { earliest } from '../earliest.ts'
import type { FileAnswer, FileRequest, FileRequestId, Work, WorkPause } from './files.ts'

/** Undefined if the answer comes later, see `answered`. */
export type AskFile = (id: FileRequestId, request: FileRequest) => FileAnswer | undefined

type Resume = (answer: FileAnswer) => void

interface Paused {
  readonly pause: WorkPause
  readonly resume: Resume
}

/** A pause is over. */
const DONE: FileAnswer = { kind: 'done' }

export class Jobs {
  readonly #ask: AskFile
  readonly #waiting = new Map<FileRequestId, Resume>()
  #paused: Paused[] = []
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

  /** Goes on with the work whose pause is over. */
  wake(nowMs: number): void {
    if (this.#paused.length === 0) return
    const paused = this.#paused
    this.#paused = paused.filter(({ pause }) => pause.untilMs() > nowMs)
    for (const each of paused) if (!this.#paused.includes(each)) each.resume(DONE)
  }

  /** Monotonic; undefined if no work pauses. */
  nextWakeUpMs(): number | undefined {
    return earliest(...this.#paused.map(({ pause }) => pause.untilMs()))
  }

  #drive<T>(
    work: Work<T>,
    first: IteratorResult<FileRequest | WorkPause, T>,
    onEnd: (result: T) => void,
  ): void {
    let step = first
    while (step.done !== true) {
      const resume = (later: FileAnswer) => this.#drive(work, work.next(later), onEnd)
      const answer = this.#begin(step.value, resume)
      if (answer === undefined) return
      step = work.next(answer)
    }
    onEnd(step.value)
  }

  /** The answer, if it is known at once; otherwise `resume` gets it. */
  #begin(request: FileRequest | WorkPause, resume: Resume): FileAnswer | undefined {
    if (request.kind === 'pause') {
      this.#paused.push({ pause: request, resume })
      return undefined
    }
    const id = ++this.#lastId
    const answer = this.#ask(id, request)
    if (answer === undefined) this.#waiting.set(id, resume)
    return answer
  }
}
