/**
 * Whether a scan has shown what was there all the time. Its client is alone in its databases, so every state
 * between the first page and the last is known, or one of several.
 */
import type { CarriedOut, Holdings } from '../../history/data/holdings.ts'
import { keysChangedBy } from '../../history/data/requests.ts'
import { namesIn, scannedIn, scanPageOf } from '../../history/data/scans.ts'
import type { Told } from '../../history/data/told.ts'
import type { Question } from '../../history/writes.ts'

/** A state, and the one that it came from. */
interface Moment {
  readonly holdings: Holdings
  readonly parent: Moment | undefined
  /** The request that led there. */
  readonly question: Pick<Question, 'request'> | undefined
}

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
 * What a scan has to show: the names that were there in every state since its first page, with the earliest time of
 * their death in any of them. Many versions come from the same states, so each state is looked at once.
 */
export class LastingNames {
  readonly #words: readonly string[]
  readonly #since: ReadonlySet<Moment> | undefined
  readonly #at: CarriedOut
  readonly #known = new Map<Moment, ReadonlyMap<string, number> | undefined>()

  /** `since`: every state that was possible after the first page; undefined: the scan had one page. */
  constructor(words: readonly string[], since: ReadonlySet<Moment> | undefined, at: CarriedOut) {
    this.#words = words
    this.#since = since
    this.#at = at
  }

  /** Up to this state. If none of `since` led to it, nothing can be said, and nothing has to be shown. */
  until(last: Moment): ReadonlyMap<string, number> {
    if (this.#since === undefined) return this.#namesIn(last)
    const path: Moment[] = []
    let one: Moment | undefined = last
    for (; one !== undefined && !this.#known.has(one); one = one.parent) path.push(one)
    let lasting = one && this.#known.get(one)
    for (const next of path.toReversed()) {
      if (lasting !== undefined) lasting = this.#lastingInto(next, lasting)
      else if (this.#since.has(next)) lasting = this.#namesIn(next)
      this.#known.set(next, lasting)
    }
    return lasting ?? new Map()
  }

  #lastingInto(next: Moment, before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const lasting = common(before, this.#namesIn(next))
    const { commands } = next.question?.request ?? { commands: [] }
    if (commands.length < 2) return lasting
    // Between two commands of a transaction a name may have been away, which no state shows.
    const changed = keysChangedBy(commands)
    const [command, key = ''] = this.#words
    const isSteady = (name: string) => changed?.has(command === 'SCAN' ? name : key) === false
    return new Map([...lasting].filter(([name]) => isSteady(name)))
  }

  #namesIn({ holdings }: Moment): ReadonlyMap<string, number> {
    return scannedIn(holdings, this.#words, this.#at)
  }
}

function common(
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [name, diesAtMs] of one) {
    const otherMs = other.get(name)
    if (otherMs !== undefined) found.set(name, Math.min(diesAtMs, otherMs))
  }
  return found
}

/** Whether these pages have shown all that they had to. */
export function isWholeScan(
  pages: readonly Question[],
  owed: ReadonlyMap<string, number>,
): boolean {
  const words = pages[0]?.request.commands[0] ?? []
  const shown = new Set<Told>()
  for (const { answer } of pages) {
    const page = scanPageOf(answer?.told)
    for (const name of page === undefined ? [] : namesIn(words, page)) shown.add(name)
  }
  return [...owed.keys()].every((name) => shown.has(name))
}

/** As a text: two ways to the same data are alike only if it is the same. */
export function owedText(owed: ReadonlyMap<string, number>): string {
  return [...owed]
    .map(([name, diesAtMs]) => `${name} ${diesAtMs}`)
    .sort()
    .join(' ')
}
