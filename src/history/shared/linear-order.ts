/**
 * Whether a history has a linear order: one in which every operation takes effect at once, at some moment
 * between its request and its answer, and every answer is the right one (Herlihy and Wing). The search is
 * that of Wing and Gong: it tries the operations that may come next, and remembers every pair of what has
 * taken effect and the state after it, as Lowe proposed. An operation without an answer took effect once, at
 * any time after its request, or never.
 *
 * Five things keep it short, and none of them changes the verdict:
 * - What fits the state and leaves it as it is takes effect as soon as it may: that rules nothing out.
 * - Of operations without an answer that cannot be told apart, the first takes effect first.
 * - A value that was set without an answer and that no answer shows was never set, unless somebody watched the key.
 * - What shares no key with the operation that is due, not even by way of others, may wait.
 * - A list that only grows begins with what it was, whenever somebody saw all of it.
 */
import { isSameTold } from '../data/told.ts'
import {
  candidatesOf,
  growingLists,
  type LinearCandidate,
  type LinearOperation,
} from './linear-candidates.ts'
import { applyShared, isCondition, type SharedState, textOfState } from './shared-data.ts'

export type LinearVerdict =
  | { readonly kind: 'linear' }
  /** In the order that goes furthest, `operation` must come next and its answer is wrong in this state. */
  | { readonly kind: 'broken'; readonly operation: LinearOperation; readonly state: SharedState }
  /** There are more possibilities than anybody wants to wait for. */
  | { readonly kind: 'undecided' }

/** Enough for thousands of operations where few are unanswered. */
const STEPS_MAX = 200_000
/** Each state takes two or three kilobytes. */
const PLACES_MAX = 60_000

/** `operations` begin with no key at all. */
export function findLinearOrder(
  operations: readonly LinearOperation[],
  stepsMax = STEPS_MAX,
): LinearVerdict {
  return new Search(operations).run(stepsMax)
}

/** A state, the same object for the same state, and what was found out about it. */
interface Place {
  readonly state: SharedState
  /** By the number of an operation: where it leads; undefined: its answers are not those of this state. */
  readonly nexts: Map<number, Place | undefined>
  /** By the answered operations that have taken effect: the others that had, each time the search came here. */
  readonly visits: Map<string, (readonly number[])[]>
}

/** What has taken effect, and what is there after it. Operations are numbers, in ascending order. */
interface Position {
  /** Of those with an answer, operations before this place have all taken effect. */
  readonly first: number
  /** The others with an answer that have. */
  readonly done: readonly number[]
  /** Those without an answer that have. */
  readonly open: readonly number[]
  readonly place: Place
}

class Search {
  /** In the order of their requests: first those with an answer, then those without. */
  readonly #operations: readonly LinearCandidate[]
  readonly #answered: number
  /** By operation: the one that must have taken effect before it, or -1. */
  readonly #befores: readonly number[]
  /** By key: what the list is a part of, or is longer than. */
  readonly #lists: ReadonlyMap<string, readonly string[]>
  readonly #places = new Map<string, Place>()
  #stuck:
    | { readonly count: number; readonly operation: LinearOperation; readonly state: SharedState }
    | undefined

  constructor(operations: readonly LinearOperation[]) {
    this.#lists = growingLists(operations)
    const candidates = candidatesOf(operations)
    const answered = candidates.filter(({ answers }) => answers !== undefined)
    const unanswered = candidates.filter(({ answers }) => answers === undefined)
    this.#operations = [...answered, ...unanswered]
    this.#answered = answered.length
    const numbers = new Map(answered.map((one, at) => [one, at]))
    this.#befores = this.#operations.map(({ before }) => (before && numbers.get(before)) ?? -1)
  }

  run(stepsMax: number): LinearVerdict {
    const start = { first: 0, done: [], open: [], place: this.#placeOf(new Map()) }
    const agenda = new Agenda()
    agenda.put(this.#settled(start))
    for (let steps = 0; steps < stepsMax && this.#places.size < PLACES_MAX; steps++) {
      const position = agenda.take()
      if (position === undefined) return this.#verdict()
      const due = this.#due(position)
      if (due === undefined) return { kind: 'linear' }
      // The likeliest is looked at first, so it is put on last.
      for (const next of this.#nexts(position, due).reverse()) agenda.put(next)
    }
    return { kind: 'undecided' }
  }

  #verdict(): LinearVerdict {
    const stuck = this.#stuck
    if (stuck === undefined) return { kind: 'linear' }
    return { kind: 'broken', operation: stuck.operation, state: stuck.state }
  }

  /** The one that was answered first of those that have not taken effect: nothing asked after its answer comes before it. */
  #due({ first, done }: Position): LinearCandidate | undefined {
    let due: LinearCandidate | undefined
    for (let at = first; at < this.#answered; at++) {
      const operation = this.#operations[at] as LinearCandidate
      if (done.includes(at)) continue
      if (due !== undefined && operation.askedAtMs > answeredAtMs(due)) break
      if (due === undefined || answeredAtMs(due) > answeredAtMs(operation)) due = operation
    }
    return due
  }

  #nexts(position: Position, due: LinearCandidate): Position[] {
    const answered: { readonly atMs: number; readonly next: Position }[] = []
    const unanswered: Position[] = []
    const alike = new Set<string>()
    for (const at of this.#dependent(position, due)) {
      const operation = this.#operations[at] as LinearCandidate
      if (operation.likeness !== '' && alike.has(operation.likeness)) continue
      alike.add(operation.likeness)
      const place = this.#nextPlace(position.place, at)
      if (place === undefined || (place === position.place && at >= this.#answered)) continue
      const next = this.#settled(this.#after(position, at, place))
      if (!isNew(next)) continue
      if (at >= this.#answered) unanswered.push(next)
      else answered.push({ atMs: answeredAtMs(operation), next })
    }
    if (answered.length === 0) this.#noteStuck(position, due)
    answered.sort((a, b) => a.atMs - b.atMs)
    return [...answered.map(({ next }) => next), ...unanswered]
  }

  /** Operations that may take effect before the answer that is due, one after the other or at once. */
  #remaining({ first, done, open }: Position, due: LinearCandidate): number[] {
    const dueMs = answeredAtMs(due)
    const remaining: number[] = []
    for (const [from, until, gone] of [
      [first, this.#answered, done],
      [this.#answered, this.#operations.length, open],
    ] as const) {
      for (let at = from; at < until; at++) {
        if ((this.#operations[at] as LinearCandidate).askedAtMs > dueMs) break
        if (!gone.includes(at)) remaining.push(at)
      }
    }
    return remaining
  }

  /** Its turn on its connection has come. */
  #isEnabled({ first, done }: Position, at: number): boolean {
    const before = this.#befores[at] as number
    return before < first || done.includes(before)
  }

  /**
   * What may take effect next of those that share keys with the one that is due, or with such an operation, or have to
   * come before such an operation on its connection. The others may as well take effect later: nothing tells.
   */
  #dependent(position: Position, due: LinearCandidate): readonly number[] {
    const remaining = this.#remaining(position, due)
    const concerned = new Set<number>()
    const befores = new Set<number>()
    let { keys } = due
    for (let count = -1; count < concerned.size; ) {
      count = concerned.size
      for (const at of remaining) {
        const operation = this.#operations[at] as LinearCandidate
        if (concerned.has(at) || !(befores.has(at) || (operation.keys & keys) !== 0)) continue
        concerned.add(at)
        befores.add(this.#befores[at] as number)
        keys |= operation.keys
      }
    }
    return remaining.filter((at) => concerned.has(at) && this.#isEnabled(position, at))
  }

  /** What fits the state and leaves it as it is has taken effect. */
  #settled(from: Position): Position {
    let position = from
    for (;;) {
      const due = this.#due(position)
      if (due === undefined) return position
      const { place } = position
      const fits = this.#remaining(position, due).filter((at) => {
        const { isStill } = this.#operations[at] as LinearCandidate
        return isStill && this.#isEnabled(position, at) && this.#nextPlace(place, at) !== undefined
      })
      if (fits.length === 0) return position
      for (const at of fits) position = this.#after(position, at, place)
    }
  }

  #after({ first, done, open }: Position, at: number, place: Place): Position {
    if (at >= this.#answered) return { first, done, open: withNumber(open, at), place }
    const more = withNumber(done, at)
    let next = first
    while (more[next - first] === next) next++
    return { first: next, done: more.slice(next - first), open, place }
  }

  #placeOf(state: SharedState): Place {
    const text = textOfState(state)
    const known = this.#places.get(text)
    if (known !== undefined) return known
    const place = { state, nexts: new Map(), visits: new Map() }
    this.#places.set(text, place)
    return place
  }

  #nextPlace(place: Place, at: number): Place | undefined {
    const known = place.nexts.get(at)
    if (known !== undefined || place.nexts.has(at)) return known
    const state = effectOf(this.#operations[at] as LinearCandidate, place.state)
    const isDeadEnd = state === undefined || !this.#mayBe(state)
    const next = isDeadEnd ? undefined : this.#placeOf(state)
    place.nexts.set(at, next)
    return next
  }

  #mayBe(state: SharedState): boolean {
    for (const [key, seen] of this.#lists) {
      const list = state.get(key) ?? []
      const length = Math.min(list.length, seen.length)
      for (let at = 0; at < length; at++) if (list[at] !== seen[at]) return false
    }
    return true
  }

  #noteStuck({ first, done, open, place }: Position, operation: LinearCandidate): void {
    const count = first + done.length + open.length
    if (this.#stuck !== undefined && this.#stuck.count >= count) return
    this.#stuck = { count, operation, state: place.state }
  }
}

/**
 * Positions that are yet to be looked at. First those with the most answers explained by the fewest operations without
 * one, and of these the latest.
 */
class Agenda {
  readonly #byRank: Position[][] = []

  put(position: Position): void {
    const { first, done, open } = position
    const rank = Math.max(0, RANK_OF_NOTHING + first + done.length - open.length)
    while (this.#byRank.length <= rank) this.#byRank.push([])
    this.#byRank[rank]?.push(position)
  }

  take(): Position | undefined {
    while (this.#byRank.at(-1)?.length === 0) this.#byRank.pop()
    return this.#byRank.at(-1)?.pop()
  }
}

/** More operations without an answer than this, before any answer is explained, need no rank of their own. */
const RANK_OF_NOTHING = 100

/** Of one with an answer. */
function answeredAtMs({ answeredAtMs: atMs }: LinearOperation): number {
  return atMs ?? Number.POSITIVE_INFINITY
}

/** A search that comes to a state again with more of the operations that need not take effect finds nothing new. */
function isNew({ first, done, open, place }: Position): boolean {
  const key = `${first}:${done.join()}`
  const visits = place.visits.get(key) ?? []
  if (visits.some((before) => before.every((at) => open.includes(at)))) return false
  visits.push(open)
  place.visits.set(key, visits)
  return true
}

function withNumber(numbers: readonly number[], number: number): readonly number[] {
  const at = numbers.findIndex((one) => one > number)
  return at < 0 ? [...numbers, number] : [...numbers.slice(0, at), number, ...numbers.slice(at)]
}

/** The state after the operation; undefined: its answers are not those that this state gives. */
function effectOf(
  { commands, answers }: LinearOperation,
  state: SharedState,
): SharedState | undefined {
  let next = state
  for (const [place, argv] of commands.entries()) {
    const outcome = applyShared(next, argv)
    if (answers !== undefined && !isSameTold(outcome.told, answers[place] ?? null)) return undefined
    // Nobody heard of it, and it did nothing: that is as if it had not been carried out.
    if (answers === undefined && isCondition(argv) && outcome.told === 0) return undefined
    next = outcome.state
  }
  return next
}
