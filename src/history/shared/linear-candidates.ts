/** What the search for a linear order knows of the operations of a history before it begins. */
import type { Argv } from '../data/requests.ts'
import type { Told } from '../data/told.ts'
import { changedNothing, isCondition, isOfWatch, isSharedRead, sharedKeyOf } from './shared-data.ts'

export interface LinearOperation {
  /** For texts: which client asked which node. */
  readonly client: string
  readonly node: string
  /** A node does what comes over one connection in its order; undefined: nobody knows which connection it was. */
  readonly connection: number | undefined
  readonly askedAtMs: number
  /** Undefined: no answer came. */
  readonly answeredAtMs: number | undefined
  /** Take effect together. */
  readonly commands: readonly Argv[]
  /** One for each command; undefined: what became of it is not known. */
  readonly answers: readonly Told[] | undefined
}

export interface LinearCandidate extends LinearOperation {
  /** Unanswered operations with the same text cannot be told apart; empty if it was answered. */
  readonly likeness: string
  /** As its answers say, it leaves every state in which they are right as it is. */
  readonly isStill: boolean
  /** A bit for each key. */
  readonly keys: number
  /** The operation with an answer that came before it over its connection. */
  readonly before: LinearCandidate | undefined
}

/** In the order of their requests. */
export function candidatesOf(operations: readonly LinearOperation[]): LinearCandidate[] {
  const shown = shownIn(operations)
  const plain = plainRegisters(operations)
  const bits = new Map<string, number>()
  const known = operations.flatMap((operation) => candidateOf(operation, shown, plain, bits))
  return inOrder(known).sort((a, b) => a.askedAtMs - b.askedAtMs)
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

/** Each knows the one before it on its connection, and is asked no earlier than that one. */
function inOrder(candidates: readonly LinearCandidate[]): LinearCandidate[] {
  const lasts = new Map<string, LinearCandidate>()
  return candidates.map((one) => {
    if (one.connection === undefined) return one
    const lane = `${one.client} ${one.connection}`
    const before = lasts.get(lane)
    const askedAtMs = Math.max(one.askedAtMs, before?.askedAtMs ?? Number.NEGATIVE_INFINITY)
    const placed = { ...one, before, askedAtMs }
    if (one.answers !== undefined) lasts.set(lane, placed)
    return placed
  })
}

/** Keys beyond these share a bit, which makes them depend on each other: the search takes longer, and finds the same. */
const KEY_BITS = 30

function keyBits(commands: readonly Argv[], bits: Map<string, number>): number {
  let keys = 0
  for (const argv of commands) {
    const key = sharedKeyOf(argv)
    const bit = bits.get(key) ?? Math.min(bits.size, KEY_BITS - 1)
    bits.set(key, bit)
    keys |= 1 << bit
  }
  return keys
}

/** Lists that only RPUSH changes, and the longest that somebody saw of each. */
export function growingLists(
  operations: readonly LinearOperation[],
): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>()
  const others = new Set<string>()
  for (const { commands, answers } of operations) {
    for (const [at, argv] of commands.entries()) {
      const [name, key = ''] = argv
      const seen = name === 'LRANGE' ? answers?.[at] : undefined
      if (Array.isArray(seen) && seen.length > (lists.get(key)?.length ?? 0)) lists.set(key, seen)
      if (name !== 'LRANGE' && name !== 'RPUSH' && !isOfWatch(argv)) others.add(key)
    }
  }
  return new Map([...lists].filter(([key]) => !others.has(key)))
}

function candidateOf(
  operation: LinearOperation,
  shown: ReadonlySet<string>,
  plain: ReadonlySet<string>,
  bits: Map<string, number>,
): LinearCandidate[] {
  const { answers } = operation
  if (answers !== undefined) {
    const isStill = operation.commands.every((argv, at) => changedNothing(argv, answers[at]))
    const keys = keyBits(operation.commands, bits)
    return [{ ...operation, likeness: '', isStill, keys, before: undefined }]
  }
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
  const keys = keyBits(commands, bits)
  const unanswered = { ...operation, commands, answeredAtMs: undefined, before: undefined }
  return [{ ...unanswered, likeness: words.join('; '), isStill: false, keys }]
}
