/**
 * The histories of shared keys, from what clients asked and were told. Keys that one request touches together
 * have one history, because it takes effect on all of them at once; any other two have nothing to do with each
 * other, and whole histories are linear if each of these is.
 */
import { codeOf, isToldError, type Told } from '../data/told.ts'
import type { Question } from '../writes.ts'
import type { LinearOperation } from './linear-candidates.ts'
import { changedNothing, sharedKeyOf, UNCHANGED } from './shared-data.ts'

export interface SharedHistory {
  readonly keys: readonly string[]
  readonly operations: readonly LinearOperation[]
}

/** A node that answers this has done nothing. Whatever else it says, it may have done what it was asked. */
const DONE_NOTHING = new Set([
  ...[
    'READONLY',
    'LOADING',
    'MASTERDOWN',
    'NOREPLICAS',
    'NOSYNCREPLICAS',
    'MISCONF',
    'OOM',
    'BUSY',
    'EXECABORT',
  ],
  ...['NOAUTH', 'NOPERM', 'UNBLOCKED'],
])

export interface SharedReading {
  /**
   * Whether nodes promise that a read sees everything that was acknowledged before it was asked. If they do
   * not, a read may see what was there at any earlier time.
   */
  readonly areReadsLinear: boolean
}

export function sharedHistories(
  questions: readonly Question[],
  reading: SharedReading = { areReadsLinear: true },
): readonly SharedHistory[] {
  const parts = new Parts()
  const used = tokensOf(questions.filter(({ request }) => request.form === 'transaction'))
  const operations = questions.flatMap((question) => {
    return isUnusedWatch(question, used) ? [] : operationsOf(inWords(question), reading)
  })
  for (const { commands } of operations) parts.join(commands.map(sharedKeyOf))
  const histories = new Map<string, LinearOperation[]>()
  for (const operation of operations) {
    const part = parts.of(sharedKeyOf(operation.commands[0] ?? []))
    const history = histories.get(part) ?? []
    history.push(operation)
    histories.set(part, history)
  }
  return [...histories].map(([part, own]) => ({ keys: parts.keysOf(part), operations: own }))
}

/**
 * A history without the transactions that did not run because a watched key had changed. The node says so too
 * when it had to take over the data of another one, and promises then that nothing was done, and no more.
 */
export function withoutVainOnes({ keys, operations }: SharedHistory): SharedHistory {
  const isVain = ({ commands, answers }: LinearOperation): boolean =>
    commands[0]?.[0] === UNCHANGED && answers?.[0] === 0
  return { keys, operations: operations.filter((operation) => !isVain(operation)) }
}

function tokensOf(questions: readonly Question[]): ReadonlySet<string> {
  return new Set(questions.flatMap(({ request }) => request.watched?.token ?? []))
}

/** No transaction followed, or the node did not promise to watch. */
function isUnusedWatch({ request, answer }: Question, used: ReadonlySet<string>): boolean {
  const { form, watched } = request
  if (watched === undefined || form === 'transaction') return false
  return !used.has(watched.token) || answer?.told !== 'OK'
}

/** Watches and what depends on them, in commands of the model. */
function inWords(question: Question): Question {
  const { request, answer } = question
  const { form, commands, watched } = request
  if (watched === undefined) return question
  const words = [watched.key, watched.token]
  if (form !== 'transaction') {
    return { ...question, request: { ...request, commands: [['WATCH', ...words]] } }
  }
  const condition = [UNCHANGED, ...words]
  if (answer?.told === null) {
    const told = { ...answer, told: [0] }
    return { ...question, request: { ...request, commands: [condition] }, answer: told }
  }
  const all = { ...request, commands: [condition, ...commands] }
  if (answer === undefined || !Array.isArray(answer.told)) return { ...question, request: all }
  return { ...question, request: all, answer: { ...answer, told: [1, ...answer.told] } }
}

function operationsOf(question: Question, { areReadsLinear }: SharedReading): LinearOperation[] {
  const { client, node, connection, attemptedAtMs, answer, request } = question
  const answers = answer === undefined ? undefined : answersOf(question, answer.told)
  if (answers === 'none') return []
  const fitting = request.commands.flatMap((argv, at) => {
    const told = answers?.[at]
    if (isToldError(told) && DONE_NOTHING.has(codeOf(told))) return []
    return [{ argv, told }]
  })
  const isKnown = answers !== undefined && fitting.every(({ told }) => !isToldError(told))
  const commands = fitting.map(({ argv }) => argv)
  if (commands.length === 0) return []
  const isRead = fitting.every(({ argv, told }) => changedNothing(argv, told))
  const isEarlier = !areReadsLinear && isRead
  return [
    {
      ...{ client, node, commands },
      connection: connection >= 0 ? connection : undefined,
      askedAtMs: isEarlier ? Number.NEGATIVE_INFINITY : attemptedAtMs,
      answeredAtMs: isKnown ? answer?.atMs : undefined,
      answers: isKnown ? fitting.map(({ told }) => told ?? null) : undefined,
    },
  ]
}

/** `none`: the node did nothing. Undefined: unknown. */
function answersOf({ request }: Question, told: Told): readonly Told[] | 'none' | undefined {
  if (isToldError(told)) return DONE_NOTHING.has(codeOf(told)) ? 'none' : undefined
  if (request.form === 'command') return [told]
  return Array.isArray(told) && told.length === request.commands.length ? told : undefined
}

/** Which keys belong together. */
class Parts {
  readonly #above = new Map<string, string>()

  join(keys: readonly string[]): void {
    const [first = ''] = keys
    for (const key of keys) {
      if (!this.#above.has(key)) this.#above.set(key, key)
      this.#above.set(this.of(key), this.of(first))
    }
  }

  of(key: string): string {
    let top = key
    for (let next = this.#above.get(top); next !== undefined && next !== top; ) {
      top = next
      next = this.#above.get(top)
    }
    return top
  }

  keysOf(part: string): readonly string[] {
    return [...this.#above.keys()].filter((key) => this.of(key) === part).sort()
  }
}
