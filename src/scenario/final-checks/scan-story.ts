/**
 * Whether a scan has shown what was there all the time. Its client is alone in its databases, so every state
 * between the first page and the last is known, or one of several.
 */
import type { CarriedOut, Holdings } from '../../history/data/holdings.ts'
import { namesIn, scannedIn, scanPageOf } from '../../history/data/scans.ts'
import type { Told } from '../../history/data/told.ts'
import type { Question } from '../../history/writes.ts'

/** A state, and the one that it came from. */
interface Moment {
  readonly holdings: Holdings
  readonly parent: Moment | undefined
}

/** States before this many are not looked for. */
const STATES_MAX = 500

export class ScanStory {
  /** The pages of each scan, in their order. */
  readonly #pages = new Map<string, Question[]>()

  constructor(questions: readonly Question[]) {
    for (const question of questions) {
      const { scan } = question.request
      if (scan === undefined || question.answer === undefined) continue
      this.#pages.set(scan, [...(this.#pages.get(scan) ?? []), question])
    }
  }

  /** The first page of the scan that goes on after this one; undefined: none does. */
  firstAfter({ request, answer }: Question): Question | undefined {
    const cursor = scanPageOf(answer?.told)?.cursor ?? '0'
    return cursor === '0' ? undefined : this.#pages.get(request.scan ?? '')?.[0]
  }

  /** All pages of the scan that ends with this one; undefined: none does. */
  pagesUntil(question: Question): readonly Question[] | undefined {
    const { scan } = question.request
    if (scan === undefined || scanPageOf(question.answer?.told)?.cursor !== '0') return undefined
    return this.#pages.get(scan)
  }
}

/**
 * `since`: every state that was possible after the first page. If none of them led to `last`, nothing can be said.
 * Without: the scan had one page.
 */
export function isWholeScan(
  pages: readonly Question[],
  last: Moment,
  since: ReadonlySet<Moment> | undefined,
  at: CarriedOut,
): boolean {
  const words = pages[0]?.request.commands[0] ?? []
  const shown = new Set<Told>()
  for (const { answer } of pages) {
    const page = scanPageOf(answer?.told)
    for (const name of page === undefined ? [] : namesIn(words, page)) shown.add(name)
  }
  const states = since === undefined ? [last] : statesSince(last, since)
  return [...lasting(states, words, at).keys()].every((name) => shown.has(name))
}

/**
 * What must be shown of a scan that goes on, as a text: two ways to the same data are alike only if it is the same.
 * `first`: its first page; `since`: every state that was possible after it.
 */
export function owedSince(
  first: Question,
  last: Moment,
  since: ReadonlySet<Moment>,
  at: CarriedOut,
): string {
  const words = first.request.commands[0] ?? []
  const owed = lasting(statesSince(last, since), words, at)
  return [...owed]
    .map(([name, diesAtMs]) => `${name} ${diesAtMs}`)
    .sort()
    .join(' ')
}

/** What is there in all states, with the earliest time of its death in any of them. */
function lasting(
  states: readonly Moment[],
  words: readonly string[],
  at: CarriedOut,
): ReadonlyMap<string, number> {
  const [first, ...others] = states.map(({ holdings }) => scannedIn(holdings, words, at))
  const found = new Map<string, number>()
  for (const [name, diesAtMs] of first ?? []) {
    const times = others.map((some) => some.get(name))
    if (times.includes(undefined)) continue
    found.set(name, Math.min(diesAtMs, ...times.map((time) => time ?? 0)))
  }
  return found
}

/** From the last one back to the earliest that may have been there when the scan began. */
function statesSince(last: Moment, since: ReadonlySet<Moment>): readonly Moment[] {
  const states: Moment[] = []
  let count = 0
  for (let one: Moment | undefined = last; one !== undefined; one = one.parent) {
    states.push(one)
    if (since.has(one)) count = states.length
    if (states.length >= STATES_MAX) break
  }
  return states.slice(0, count)
}
