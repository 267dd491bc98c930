/** `vedette replay --step`: through a record with single keys, with what the Sentinel believes after each step. */
import { createLogUpdate } from 'log-update'
import { countOf } from '../../base/count-of.ts'
import { beliefOf } from '../../blackbox/belief.ts'
import type { SegmentSource } from '../../io/blackbox/segment-reader.ts'
import { colors as pc } from '../colors.ts'
import { Keyboard } from '../keyboard.ts'
import { EXIT_FAILED } from '../report.ts'
import { wrapped } from '../table.ts'
import type { Paint } from '../up/paint.ts'
import { type PlacedStep, playSegment, type SegmentOutcome } from './play.ts'
import {
  announcedLines,
  bigAsText,
  clipped,
  clockTime,
  heardLine,
  outcomeLine,
  shownText,
} from './words.ts'

const KEYS = 'space, n: next decision · s: next step · m: ten decisions on · b: back · q: end'
const LEAP = 10
/** How many effects of a step are shown. */
const SHOWN_EFFECTS = 8

/** A segment that is not complete. */
const NOTHING: SegmentSource = { path: '', content: Buffer.alloc(0) }

export class StepView {
  readonly #sources: readonly SegmentSource[]
  readonly #screen = createLogUpdate(process.stdout)
  #at = 0
  #steps: Generator<PlacedStep, SegmentOutcome>
  #step: PlacedStep | undefined
  /** How many decisions of this segment have been played. */
  #decisions = 0
  #status = 0
  #end: (status: number) => void = () => undefined

  constructor(sources: readonly SegmentSource[]) {
    this.#sources = sources
    this.#steps = playSegment(sources[0] ?? NOTHING)
  }

  /** Resolves to the exit status. */
  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#end = resolve
    })
    const keyboard = new Keyboard(process.stdin, (key) => this.#pressed(key))
    const onResize = () => this.#show()
    process.stdout.on('resize', onResize)
    this.#forward(1)
    try {
      return await ended
    } finally {
      process.stdout.off('resize', onResize)
      keyboard.close()
      this.#screen.done()
    }
  }

  #pressed(key: string): void {
    if (key === 'q') this.#end(this.#status)
    else if (key === ' ' || key === 'n') this.#forward(1)
    else if (key === 'm') this.#forward(LEAP)
    else if (key === 's') this.#advance()
    else if (key === 'b') this.#back()
    else return
    this.#show()
  }

  /** So many decisions on. */
  #forward(count: number): void {
    const until = this.#decisions + count
    while (this.#decisions < until && this.#advance());
    this.#show()
  }

  /** False at the end of the last segment. */
  #advance(): boolean {
    const next = this.#steps.next()
    if (next.done !== true) {
      this.#step = next.value
      if (next.value.isDecision) this.#decisions++
      return true
    }
    const { fault } = next.value
    if (fault !== undefined) this.#status = EXIT_FAILED
    this.#screen.clear()
    process.stdout.write(`${outcomeLine(next.value)}\n`)
    const source = this.#sources[this.#at + 1]
    if (source === undefined) {
      this.#end(this.#status)
      return false
    }
    this.#at++
    this.#open(source)
    return true
  }

  #open(source: SegmentSource): void {
    this.#steps = playSegment(source)
    this.#decisions = 0
  }

  /** A machine does not run backwards: the segment is played again, to the decision before. */
  #back(): void {
    const before = Math.max(1, this.#decisions - 1)
    this.#open(this.#sources[this.#at] ?? NOTHING)
    this.#forward(before)
  }

  #show(): void {
    const step = this.#step
    if (step === undefined) return
    const { state, now, path, offset, effects } = step
    const said = announcedLines(step).map((text): ShownLine => ({ text, paint: pc.bold }))
    const did = effects.filter(({ kind }) => kind !== 'log' && kind !== 'save')
    const shown = did.slice(0, SHOWN_EFFECTS).map((effect) => {
      return `  does ${shownText(clipped(JSON.stringify(effect, bigAsText)))}`
    })
    const more = did.length > SHOWN_EFFECTS ? [`  and ${did.length - SHOWN_EFFECTS} more`] : []
    const place = `${path}, offset ${offset}, ${clockTime(now.wallMs)} (${now.monoMs} ms of its clock)`
    const believed = ['', ...beliefOf(state, now).map(shownText)]
    const lines = [
      { text: place, paint: pc.dim },
      { text: `heard: ${shownText(heardLine(step))}` },
      ...said,
      ...[...shown, ...more, ...believed].map((text) => ({ text })),
    ]
    this.#screen(fitted(lines, process.stdout).join('\n'))
  }
}

export interface ShownLine {
  readonly text: string
  readonly paint?: Paint
}

/**
 * For a terminal of this size. What is too wide is folded at blanks. Of what is too tall the end is left out, because what
 * was heard and done stands first; the keys are always in sight.
 */
export function fitted(
  lines: readonly ShownLine[],
  { columns, rows }: { readonly columns?: number; readonly rows?: number },
): readonly string[] {
  const width = columns || Number.POSITIVE_INFINITY
  const keys = wrapped(KEYS.split(' · '), ' · ', width, 0).map((line) => pc.dim(line))
  const folded = lines.flatMap(({ text, paint }) =>
    foldedAt(text, width).map((line) => paint?.(line) ?? line),
  )
  // The blank line above the keys, and the one below in which the cursor stands.
  const room = (rows || Number.POSITIVE_INFINITY) - keys.length - 2
  if (folded.length <= room) return [...folded, '', ...keys]
  const kept = folded.slice(0, Math.max(1, room - 1))
  const left = pc.dim(`… ${countOf(folded.length - kept.length, 'more line')}`)
  return [...kept, left, '', ...keys]
}

function foldedAt(text: string, width: number): readonly string[] {
  const indent = text.length - text.trimStart().length
  return wrapped(text.split(' '), ' ', width, indent + 2)
}
