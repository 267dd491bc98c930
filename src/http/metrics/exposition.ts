/**
 * The text format of Prometheus, version 0.0.4: for each family a line of help and one of type, then its
 * samples, one line each. All samples of a family must stand together, so each family has a page of its
 * own, and pages without a sample are left out.
 */
import { assert } from '../../base/assert.ts'
import type { Histogram } from '../../base/histogram.ts'
import { soundUtf8 } from '../../base/utf8.ts'
import type { MetricFamily, MetricRow } from './family.ts'

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What takes samples. */
export interface SampleTaker {
  /** `labels` comes from `labelText`. */
  add(family: MetricFamily, labels: string, value: number | boolean): void
}

/** Adds a sample of each row that has a value just now. */
export function addRows<Source>(
  taker: SampleTaker,
  rows: readonly MetricRow<Source>[],
  labels: string,
  source: Source,
): void {
  for (const { family, read } of rows) {
    const value = read(source)
    if (value !== undefined) taker.add(family, labels, value)
  }
}

export class Exposition implements SampleTaker {
  readonly #pages: ReadonlyMap<MetricFamily, Page>

  /** `families`: those that may have samples, in the order in which they are shown. */
  constructor(families: readonly MetricFamily[]) {
    this.#pages = new Map(families.map((family) => [family, { text: '', inserted: [] }]))
  }

  add(family: MetricFamily, labels: string, value: number | boolean): void {
    this.#pageOf(family).text += `${family.name}${labels} ${valueText(Number(value))}\n`
  }

  /** Adds samples that are text already. */
  insert(family: MetricFamily, samples: string): void {
    this.#pageOf(family).inserted.push(samples)
  }

  /** `labels`: pairs of a name and its value. */
  addHistogram(
    family: MetricFamily,
    labels: readonly LabelPair[],
    { bounds, counts, sum }: Histogram,
  ): void {
    let count = 0
    let text = ''
    for (const [at, inRange] of counts.entries()) {
      count += inRange
      const le = at < bounds.length ? valueText(bounds[at] ?? 0) : '+Inf'
      text += `${family.name}_bucket${labelText([...labels, ['le', le]])} ${count}\n`
    }
    const own = labelText(labels)
    text += `${family.name}_sum${own} ${valueText(sum)}\n${family.name}_count${own} ${count}\n`
    this.#pageOf(family).text += text
  }

  /** The document, in pieces. */
  pieces(): readonly string[] {
    const pieces: string[] = []
    for (const [family, { text, inserted }] of this.#pages) {
      if (text === '' && inserted.length === 0) continue
      pieces.push(headOf(family), text, ...inserted)
    }
    return pieces
  }

  #pageOf(family: MetricFamily): Page {
    const page = this.#pages.get(family)
    assert(page !== undefined, 'every family that has samples is in the table')
    return page
  }
}

interface Page {
  text: string
  readonly inserted: string[]
}

function headOf({ name, help, type }: MetricFamily): string {
  return `# HELP ${name} ${helpText(help)}\n# TYPE ${name} ${type}\n`
}

export type LabelPair = readonly [name: string, value: string]

/** `{name="value",…}`, to be written behind the name of a family; empty without labels. */
export function labelText(pairs: readonly LabelPair[]): string {
  if (pairs.length === 0) return ''
  return `{${pairs.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`
}

/** Prometheus refuses a document with a byte that is no UTF-8 as a whole, and no group would be watched. */
function escaped(value: string): string {
  const sound = soundUtf8(value)
  return /[\\"\n]/.test(sound) ? sound.replace(/[\\"\n]/g, (char) => ESCAPES[char] ?? '') : sound
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

function helpText(help: string): string {
  return help.replace(/[\\\n]/g, (char) => ESCAPES[char] ?? '')
}

export function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** Milliseconds as seconds, without the long tail of digits that a division leaves. */
export function inSeconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6
}
