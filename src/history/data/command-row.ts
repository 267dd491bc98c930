/**
 * One kind of command: how a client draws it, and what it does to holdings. A row is the whole of
 * what the laboratory knows about a command.
 */
import type { Rng } from '../../base/rng.ts'
import {
  type CarriedOut,
  type HeldEntry,
  type HeldValue,
  type Holdings,
  type Span,
  selectedOf,
  type ValueOf,
  type ValueType,
  withEntry,
  withSelected,
} from './holdings.ts'
import type { Told } from './told.ts'

/** What a client must be told, or whether it may be told this. */
export type Expected = Told | ((told: Told) => boolean)

/** One way in which a command may come out. */
export interface Outcome {
  readonly holdings: Holdings
  readonly expected: Expected
}

/** What a command is applied to. `args` are those after its name; `at`: when it was carried out. */
export interface Application {
  readonly holdings: Holdings
  readonly args: readonly string[]
  readonly at: CarriedOut
}

/** What a drawing client knows: its databases, and a number that it uses only once. */
export interface Drawing {
  readonly rng: Rng
  readonly unique: number
  readonly home: number
  readonly second: number
  /** No other request of the client waits for its answer. */
  readonly isAlone: boolean
}

export interface CommandRow {
  readonly kind: 'read' | 'write'
  /** How often the command is drawn beside the others; 0: only as part of something else. */
  readonly weight: number
  /** The arguments after the name. */
  readonly draw: (drawing: Drawing) => readonly string[]
  /** Every way in which the command may come out; without chance there is one. */
  readonly apply: (application: Application) => readonly Outcome[]
  /**
   * Chance decides what the command does, so that an answer that is lost leaves many possibilities:
   * it is drawn only when no others are on the way.
   */
  readonly isChance?: true
  /** It may wait, which no script may. */
  readonly isBlocking?: true
  /**
   * The keys that it looks at, in either database; undefined: the first argument. A write with none
   * changes whole databases.
   */
  readonly keys?: (args: readonly string[]) => readonly string[]
  /** The answer's order means nothing: of single items, or of pairs. */
  readonly unordered?: 'items' | 'pairs'
}

export type CommandRows = Readonly<Record<string, CommandRow>>

const WRONG_TYPE: Told = { error: 'WRONGTYPE' }

/** A value after a command; null: the key is gone. The same value: nothing has changed. */
export interface Change {
  readonly value: HeldValue | null
  readonly told: Expected
  /** Undefined: as before. */
  readonly dies?: Span | 'never'
}

/** A command that reads or changes the value of its first argument, which must have this type. */
export function onValue<Type extends ValueType>(
  type: Type,
  change: (
    value: ValueOf<Type> | undefined,
    args: readonly string[],
    at: CarriedOut,
  ) => Change | readonly Change[],
): CommandRow['apply'] {
  return ({ holdings, args, at }) => {
    const [key = '', ...rest] = args
    const entry = selectedOf(holdings).get(key)
    if (entry !== undefined && entry.value.type !== type) {
      return [{ holdings, expected: WRONG_TYPE }]
    }
    const changes = change(entry?.value as ValueOf<Type> | undefined, rest, at)
    const all = isList(changes) ? changes : [changes]
    return all.map((one) => ({ holdings: changed(holdings, key, one), expected: one.told }))
  }
}

function isList(changes: Change | readonly Change[]): changes is readonly Change[] {
  return Array.isArray(changes)
}

function changed(holdings: Holdings, key: string, { value, dies }: Change): Holdings {
  const database = selectedOf(holdings)
  const before = database.get(key)
  if (value === null) return before === undefined ? holdings : put(holdings, key, undefined)
  if (value === before?.value && dies === undefined) return holdings
  const death = dies === undefined ? before?.dies : dies
  return put(holdings, key, { value, dies: death === 'never' ? undefined : death })
}

export function put(holdings: Holdings, key: string, entry: HeldEntry | undefined): Holdings {
  return withSelected(holdings, withEntry(selectedOf(holdings), key, entry))
}

/** The same holdings, and an answer. */
export function only(holdings: Holdings, expected: Expected): readonly Outcome[] {
  return [{ holdings, expected }]
}

/** Two values that are the same object after a command that changed nothing. */
export function unchanged(value: HeldValue | undefined, told: Expected): Change {
  return { value: value ?? null, told }
}

/** The value of the right type, `WRONGTYPE`, or undefined if there is no such key. */
export function valueAt<Type extends ValueType>(
  holdings: Holdings,
  key: string,
  type: Type,
): ValueOf<Type> | undefined | typeof WRONG_TYPE {
  const value = selectedOf(holdings).get(key)?.value
  if (value === undefined) return undefined
  return value.type === type ? (value as ValueOf<Type>) : WRONG_TYPE
}

export function isWrongType(value: unknown): value is typeof WRONG_TYPE {
  return value === WRONG_TYPE
}

/** An index that may count from the end, or lie outside. */
export function placeOf(text: string | undefined, length: number): number {
  const at = Number(text)
  return at < 0 ? length + at : at
}

/** The part of a sequence from one index to another, both included. */
export function slice<T>(items: readonly T[], from?: string, to?: string): readonly T[] {
  const first = Math.max(0, placeOf(from, items.length))
  const last = Math.min(items.length - 1, placeOf(to, items.length))
  return first > last ? [] : items.slice(first, last + 1)
}
