/**
 * Whether a history has a linear order: one in which every operation takes effect at once, at some moment
 * between its request and its answer, and every answer is the right one (Herlihy and Wing). The search is
 * that of Wing and Gong: it tries the operations that may come next, and remembers every pair of what has
 * taken effect and the state after it, as Lowe proposed. An operation without an answer took effect once, at
 * any time after its request, or never.
 *
 * Three things keep it short, and none of them changes the verdict:
 * - What fits the state and leaves it as it is takes effect as soon as it may: that rules nothing out.
 * - Of operations without an answer that cannot be told apart, the first takes effect first.
 * - A value that was set without an answer and that no answer shows was never set, unless somebody watched the key.
 */
import type { Argv } from '../data/requests.ts'
import { isSameTold, type Told } from '../data/told.ts'
import {
  applyShared,
  isCondition,
  isOfWatch,
  isSharedRead,
  type SharedState,
  textOfState,
} from './shared-data.ts'

export interface LinearOperation {
  /** For texts: which client asked which node. */
  readonly client: string
  readonly node: string
  readonly askedAtMs: number
  /** Undefined: no answer came. */
  readonly answeredAtMs: number | undefined
  /** Take effect together. */
  readonly commands: readonly Argv[]
  /** One for each command; undefined: what became of it is not known. */
  readonly answers: readonly Told[] | undefined
}

export type LinearVerdict =
  | { readonly kind: 'linear' }
  /** In the order that goes furthest, `operation` must come next and its answer is wrong in this state. */
  | { readonly kind: 'broken'; readonly operation: LinearOperation; readonly state: SharedState }
  /** There are more possibilities than anybody wants to wait for. */
  | { readonly kind: 'undecided' }

/** Enough for thousands of operations where few are unanswered. */
const STEPS_MAX = 200_000

/** `operations` begin with no key at all. */
export function findLinearOrder(
  operations: readonly LinearOperation[],
  stepsMax = STEPS_MAX,
): LinearVerdict {
  return new Search(operations).run(stepsMax)
}

interface Candidate extends LinearOperation {
  /** Unanswered operations with the same text cannot be told apart; empty if it was answered. */
  readonly likeness: string
}

/** What has taken effect, and what is there after it. */
interface Position {
  /** Of those with an answer, operations before this place have all taken effect. */
  readonly first: number
  /** The others that have. */
  readonly done: ReadonlySet<number>
  readonly state: SharedState
}

class Search {
  /** In the order of their requests: first those with an answer, then those without. */
  readonly #operations: readonly Candidate[]
  readonly #answered: number
  readonly #seen = new Set<string>()
  #stuck:
    | { readonly count: number; readonly operation: LinearOperation; readonly state: SharedState }
    | undefined

  constructor(operations: readonly LinearOperation[]) {
    const shown = shownIn(operations)
    const plain = plainRegisters(operations)
    const candidates = operations
      .flatMap((operation) => candidateOf(operation, shown, plain))
      .sort((a, b) => a.askedAtMs - b.askedAtMs)
    const answered = candidates.filter(({ answers }) => answers !== undefined)
    const unanswered = candidates.filter(({ answers }) => answers === undefined)
    this.#operations = [...answered, ...unanswered]
    this.#answered = answered.length
  }

  run(stepsMax: number): LinearVerdict {
    const stack: Position[] = [this.#settled({ first: 0, done: new Set(), state: new Map() })]
    for (let steps = 0; steps < stepsMax; steps++) {
      const position = stack.pop()
      if (position === undefined) return this.#verdict()
      const dueMs = this.#dueMs(position)
      if (dueMs === undefined) return { kind: 'linear' }
      // The likeliest is looked at first, so it is put on last.
      stack.push(...this.#nexts(position, dueMs).reverse())
    }
    return { kind: 'undecided' }
  }

  #verdict(): LinearVerdict {
    const stuck = this.#stuck
    if (stuck === undefined) return { kind: 'linear' }
    return { kind: 'broken', operation: stuck.operation, state: stuck.state }
  }

  /** The next answer of those that have not taken effect: nothing that was asked later comes before it. */
  #dueMs(position: Position): number | undefined {
    const next = this.#dueOperation(position)
    return next?.answeredAtMs
  }

  #dueOperation({ first, done }: Position): Candidate | undefined {
    let due: Candidate | undefined
    for (let at = first; at < this.#answered; at++) {
      const operation = this.#operations[at]
      if (operation?.answeredAtMs === undefined || done.has(at)) continue
      if (due?.answeredAtMs !== undefined && operation.askedAtMs > due.answeredAtMs) break
      if ((due?.answeredAtMs ?? Number.POSITIVE_INFINITY) > operation.answeredAtMs) due = operation
    }
    return due
  }

  #nexts(position: Position, dueMs: number): Position[] {
    const answered: { readonly atMs: number; readonly next: Position }[] = []
    const unanswered: Position[] = []
    const alike = new Set<string>()
    for (const at of this.#enabled(position, dueMs)) {
      const operation = this.#operations[at] as Candidate
      if (operation.likeness !== '' && alike.has(operation.likeness)) continue
      alike.add(operation.likeness)
      const state = effectOf(operation, position.state)
      if (state === undefined) continue
      const next = this.#settled(this.#after(position, at, state))
      if (!this.#isNew(next)) continue
      if (operation.answeredAtMs === undefined) unanswered.push(next)
      else answered.push({ atMs: operation.answeredAtMs, next })
    }
    if (answered.length === 0) this.#noteStuck(position)
    answered.sort((a, b) => a.atMs - b.atMs)
    return [...answered.map(({ next }) => next), ...unanswered]
  }

  /** Operations that may take effect next. */
  *#enabled({ first, done }: Position, dueMs: number): Generator<number> {
    for (const [from, until] of [
      [first, this.#answered],
      [this.#answered, this.#operations.length],
    ] as const) {
      for (let at = from; at < until; at++) {
        if ((this.#operations[at] as Candidate).askedAtMs > dueMs) break
        if (!done.has(at)) yield at
      }
    }
  }

  /** What fits the state and leaves it as it is has taken effect. */
  #settled(from: Position): Position {
    let position = from
    for (;;) {
      const dueMs = this.#dueMs(position)
      if (dueMs === undefined) return position
      const { state } = position
      const fits = [...this.#enabled(position, dueMs)].filter((at) => {
        const operation = this.#operations[at] as Candidate
        return operation.answers !== undefined && effectOf(operation, state) === state
      })
      if (fits.length === 0) return position
      for (const at of fits) position = this.#after(position, at, state)
    }
  }

  #after({ first, done }: Position, at: number, state: SharedState): Position {
    const more = new Set(done).add(at)
    let next = first
    while (next < this.#answered && more.delete(next)) next++
    return { first: next, done: more, state }
  }

  #isNew({ first, done, state }: Position): boolean {
    const places = [...done].sort((a, b) => a - b).join(',')
    const key = `${first}:${places}:${textOfState(state)}`
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }

  #noteStuck(position: Position): void {
    const count = position.first + position.done.size
    if (this.#stuck !== undefined && this.#stuck.count >= count) return
    const operation = this.#dueOperation(position)
    if (operation !== undefined) this.#stuck = { count, operation, state: position.state }
  }
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

/** Every text in an answer. */
function shownIn(operations: readonly LinearOperation[]): ReadonlySet<string> {
  const shown = new Set<string>()
  const note = (told: Told): void => {
    if (Array.isArray(told)) for (const item of told) note(item as Told)
    else if (typeof told === 'string') shown.add(told)
  }
  for (const { answers } of operations) if (answers !== undefined) note(answers)
  return shown
}

/** Keys on which SET, without a condition, and GET are all that happens. */
function plainRegisters(operations: readonly LinearOperation[]): ReadonlySet<string> {
  const commands = operations.flatMap((operation) => operation.commands)
  const isPlain = ([name, , , option]: Argv): boolean =>
    name === 'GET' || (name === 'SET' && option === undefined)
  const others = new Set(commands.filter((argv) => !isPlain(argv)).map(([, key = '']) => key))
  return new Set(commands.map(([, key = '']) => key).filter((key) => !others.has(key)))
}

function candidateOf(
  operation: LinearOperation,
  shown: ReadonlySet<string>,
  plain: ReadonlySet<string>,
): Candidate[] {
  if (operation.answers !== undefined) return [{ ...operation, likeness: '' }]
  const commands = operation.commands.filter((argv) => {
    const [name, key = '', value = ''] = argv
    return !isSharedRead(argv) && !(name === 'SET' && plain.has(key) && !shown.has(value))
  })
  if (commands.every(isCondition)) return []
  const words = commands.map((argv) => {
    // Two watches are never alike.
    if (isOfWatch(argv)) return argv.join(' ')
    const [name, key, ...values] = argv
    return [name, key, ...values.map((value) => (shown.has(value) ? value : '*'))].join(' ')
  })
  return [{ ...operation, commands, answeredAtMs: undefined, likeness: words.join('; ') }]
}
