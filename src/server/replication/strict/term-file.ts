/**
 * What a node of a strict group must not forget: the highest term it has heard of, whether it has
 * ever been in one, and which nodes are the voters. It is on disk before the node tells it, like the vote of
 * a Sentinel: a node that forgot a fence could acknowledge a write to a master that has been replaced.
 *
 * The position in the history is not in it. A process that ends loses what it had in memory, so a
 * restarted node is no voter before it has caught up, see strict.ts.
 */
import { change, type FileFailure, readBytes, sizeOf, type Work } from '../../persistence/files.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import { type KeptTerm, layoutText, NO_TERM, parseLayout, parseTerm } from './term.ts'

export const TERM_FILE = 'strict.state'
const NEXT_PATH = 'strict.state.next'
const HEAD = 'vedette strict 1'
const END = 'end'
/** Far more than any file of ours has. */
const MAX_BYTES = 64 * 1024

export class TermFile {
  readonly #warn: (text: string) => void
  #jobs: Jobs | undefined
  #kept: KeptTerm = NO_TERM
  /** What is on disk of it. */
  #stored: KeptTerm = NO_TERM
  #isLoaded = false
  #waiting: { readonly kept: KeptTerm; readonly onKept: (failure?: string) => void }[] = []
  #isWriting = false

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  /** What holds for the node, on disk or not. */
  get kept(): KeptTerm {
    return this.#kept
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  get isStored(): boolean {
    return this.#stored === this.#kept
  }

  /** Calls back with the reason why it cannot be read, if so. */
  load(jobs: Jobs, onEnd: (problem?: string) => void): void {
    this.#jobs = jobs
    jobs.start(readKept(), (kept) => {
      if (typeof kept === 'string') return onEnd(kept)
      this.#kept = kept
      this.#stored = kept
      this.#isLoaded = true
      onEnd()
    })
  }

  /** It holds from now on, and is written with what is kept next. */
  take(kept: KeptTerm): void {
    this.#kept = kept
  }

  /** It holds from now on. Calls back when it is on disk, or with the reason why it is not. */
  keep(kept: KeptTerm, onKept: (failure?: string) => void): void {
    if (this.#isEven && JSON.stringify(kept) === JSON.stringify(this.#stored)) {
      this.#kept = this.#stored
      return onKept()
    }
    this.#kept = kept
    this.#waiting.push({ kept, onKept })
    this.#writeNext()
  }

  /** A disk that was full may take it now. */
  tryAgain(onKept: () => void): void {
    if (!this.isStored && this.#isEven) this.keep(this.#kept, onKept)
  }

  /** Everything that was told to it is on disk, or has failed. */
  get #isEven(): boolean {
    return !this.#isWriting && this.#waiting.length === 0
  }

  /** One write at a time, in the order they came. */
  #writeNext(): void {
    const next = this.#waiting[0]
    if (this.#isWriting || next === undefined) return
    this.#waiting.shift()
    this.#isWriting = true
    this.#jobs?.start(write(textOf(next.kept)), (failure) => {
      this.#isWriting = false
      if (failure === undefined) this.#stored = next.kept
      else this.#warn(`term ${next.kept.number} cannot be kept: ${failure.text}`)
      next.onKept(failure?.text)
      this.#writeNext()
    })
  }
}

function* write(text: string): Work<FileFailure | undefined> {
  return (
    (yield* change({ kind: 'create', path: NEXT_PATH })) ??
    (yield* change({ kind: 'append', path: NEXT_PATH, bytes: text })) ??
    (yield* change({ kind: 'sync', path: NEXT_PATH })) ??
    (yield* change({ kind: 'rename', from: NEXT_PATH, to: TERM_FILE }))
  )
}

function* readKept(): Work<KeptTerm | string> {
  const size = yield* sizeOf(TERM_FILE)
  if (size === 'absent') return NO_TERM
  if (typeof size !== 'number') return size.text
  if (size > MAX_BYTES) return 'it is too long'
  const bytes = yield* readBytes(TERM_FILE, 0, MAX_BYTES)
  if (typeof bytes !== 'string') return bytes.text
  return parseTermFile(bytes) ?? 'it is damaged'
}

function textOf({ number, leader, hasJoined, layout }: KeptTerm): string {
  const group = layout === undefined ? [] : [`layout ${layoutText(layout)}`]
  const term = `term ${number} ${leader}`
  return `${[HEAD, term, `joined ${hasJoined ? 1 : 0}`, ...group, END].join('\n')}\n`
}

/** Undefined: it is damaged. */
export function parseTermFile(text: string): KeptTerm | undefined {
  const lines = text.split('\n')
  if (lines[0] !== HEAD || lines.at(-2) !== END || lines.at(-1) !== '') return undefined
  const value = (name: string) =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
  const term = parseTerm((value('term') ?? '').split(' '))
  const joined = value('joined')
  if (term === undefined || (joined !== '0' && joined !== '1')) return undefined
  const layout = value('layout')
  return { ...term, hasJoined: joined === '1', layout: layout ? parseLayout(layout) : undefined }
}
