/** Keeps what happened, in order, and shows it to the checkers as it happens. */
import type { Checker } from './checkers/checker.ts'
import { type Happening, isForCheckers, type Occurrence } from './happening.ts'

export class Recorder {
  readonly happenings: Happening[] = []
  readonly #nowMs: () => number
  readonly #checkers: readonly Checker[]
  #isWanted: ((happening: Happening) => boolean) | undefined
  #found: () => void = () => {}

  constructor(nowMs: () => number, checkers: readonly Checker[]) {
    this.#nowMs = nowMs
    this.#checkers = checkers
  }

  record(process: string | undefined, occurrence: Occurrence): void {
    const happening: Happening = { atMs: this.#nowMs(), process, ...occurrence }
    const isKept = !isForCheckers(happening)
    if (isKept) this.happenings.push(happening)
    for (const checker of this.#checkers) this.#check(checker, happening)
    if (isKept && this.#isWanted?.(happening) === true) this.#found()
  }

  /** A process answered a command of the timeline with an error: untold, a slip would go unnoticed. */
  refused(process: string, argv: readonly string[], reason: string): void {
    this.record(process, { kind: 'refused', command: argv.join(' '), reason })
  }

  /** For how long nothing has happened. */
  get quietMs(): number {
    return this.#nowMs() - (this.happenings.at(-1)?.atMs ?? 0)
  }

  /** Shows the checkers that time has passed, for what should have happened by now. */
  timePassed(): void {
    const atMs = this.#nowMs()
    for (const checker of this.#checkers) {
      const text = checker.elapsed?.(atMs)
      if (text !== undefined) this.#violated(checker, text, { atMs, process: undefined })
    }
  }

  /** Calls `found` after each happening that `isWanted` accepts; undefined: after none. */
  watch(isWanted: ((happening: Happening) => boolean) | undefined, found: () => void): void {
    this.#isWanted = isWanted
    this.#found = found
  }

  get violations(): readonly Happening[] {
    return this.happenings.filter((happening) => happening.kind === 'violation')
  }

  #check(checker: Checker, happening: Happening): void {
    const text = checker.observe(happening)
    if (text !== undefined) this.#violated(checker, text, happening)
  }

  #violated(checker: Checker, text: string, at: Pick<Happening, 'atMs' | 'process'>): void {
    const { atMs, process } = at
    const violation = { atMs, process, kind: 'violation', checker: checker.name, text } as const
    this.happenings.push(violation)
    if (this.#isWanted?.(violation) === true) this.#found()
  }
}
