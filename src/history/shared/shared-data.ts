/**
 * What the commands of clients that share keys do: registers, counters, lists and locks. The model has no
 * clock and no chance, so that a history of such commands either has an order or has none.
 */
import { assert } from '../../base/assert.ts'
import type { Argv } from '../data/requests.ts'
import type { Told } from '../data/told.ts'

/**
 * Registers, counters and locks are texts, lists are lists. A key that is not there has no value. A watch has the
 * key that it watches, and is there until that key changes.
 */
export type SharedState = ReadonlyMap<string, string | readonly string[]>

export interface SharedOutcome {
  /** The same object if nothing has changed. */
  readonly state: SharedState
  readonly told: Told
}

interface SharedCommand {
  readonly apply: (state: SharedState, key: string, args: readonly string[]) => SharedOutcome
  /** It never changes anything. */
  readonly isRead?: true
}

/** No command of a node: the condition of a transaction, as a command of the model. */
export const UNCHANGED = 'UNCHANGED'

const WATCH_PREFIX = 'watch '
const watchName = (token: string): string => `${WATCH_PREFIX}${token}`

const COMMANDS: Readonly<Record<string, SharedCommand>> = {
  SET: {
    apply: (state, key, [value = '', option]) => {
      if (option === 'NX' && state.has(key)) return { state, told: null }
      return { state: withValue(state, key, value), told: 'OK' }
    },
  },
  GET: { apply: (state, key) => ({ state, told: textAt(state, key) }), isRead: true },
  DEL: {
    apply: (state, key) => ({
      state: state.has(key) ? withValue(state, key, undefined) : state,
      told: state.has(key) ? 1 : 0,
    }),
  },
  INCR: {
    apply: (state, key) => {
      const value = Number(textAt(state, key) ?? 0) + 1
      return { state: withValue(state, key, `${value}`), told: value }
    },
  },
  RPUSH: {
    apply: (state, key, values) => {
      const list = [...listAt(state, key), ...values]
      return { state: withValue(state, key, list), told: list.length }
    },
  },
  LRANGE: { apply: (state, key) => ({ state, told: listAt(state, key) }), isRead: true },
  LPOP: {
    apply: (state, key) => {
      const [first, ...rest] = listAt(state, key)
      if (first === undefined) return { state, told: null }
      return { state: withValue(state, key, rest.length === 0 ? undefined : rest), told: first }
    },
  },
  WATCH: {
    apply: (state, key, [token = '']) => {
      return { state: new Map(state).set(watchName(token), key), told: 'OK' }
    },
  },
  /** What EXEC asks before it runs the rest: whether the key of its watch is as it was. */
  [UNCHANGED]: {
    apply: (state, _key, [token = '']) => {
      if (!state.has(watchName(token))) return { state, told: 0 }
      const next = new Map(state)
      next.delete(watchName(token))
      return { state: next, told: 1 }
    },
  },
  BLPOP: {
    apply: (state, key) => {
      const outcome = commandOf('LPOP').apply(state, key, [])
      return { ...outcome, told: outcome.told === null ? null : [key, outcome.told] }
    },
  },
}

export function applyShared(
  state: SharedState,
  [name = '', key = '', ...args]: Argv,
): SharedOutcome {
  return commandOf(name).apply(state, key, args)
}

export function isSharedRead([name = '']: Argv): boolean {
  return commandOf(name).isRead === true
}

/** Whether a client's command may change a key. */
export function changesShared(argv: Argv): boolean {
  return !isSharedRead(argv) && !isOfWatch(argv)
}

export function isOfWatch(argv: Argv): boolean {
  return argv[0] === 'WATCH' || isCondition(argv)
}

export function isCondition([name = '']: Argv): boolean {
  return name === UNCHANGED
}

/** It only reads, or its answer says that it found nothing to change. */
export function changedNothing(argv: Argv, told: Told | undefined): boolean {
  if (isSharedRead(argv) || (isCondition(argv) && told === 0)) return true
  return told === null || (argv[0] === 'DEL' && told === 0)
}

export function sharedKeyOf([, key = '']: Argv): string {
  return key
}

function commandOf(name: string): SharedCommand {
  const command = COMMANDS[name]
  assert(command !== undefined, `${name} is a command on shared keys`)
  return command
}

function textAt(state: SharedState, key: string): string | null {
  const value = state.get(key)
  assert(value === undefined || typeof value === 'string', `${key} is no list`)
  return value ?? null
}

function listAt(state: SharedState, key: string): readonly string[] {
  const value = state.get(key)
  assert(typeof value !== 'string', `${key} is a list`)
  return value ?? []
}

function withValue(
  state: SharedState,
  key: string,
  value: string | readonly string[] | undefined,
): SharedState {
  const next = new Map(state)
  if (value === undefined) next.delete(key)
  else next.set(key, value)
  for (const [name, watched] of state) {
    if (watched === key && name.startsWith(WATCH_PREFIX)) next.delete(name)
  }
  return next
}

/** Two states with the same text are the same. */
export function textOfState(state: SharedState): string {
  return JSON.stringify([...state].sort(([a], [b]) => (a < b ? -1 : 1)))
}
