/**
 * A journal as text and back: a head that says who keeps it, and lists of entries. What is read may come from
 * anywhere, so a reader gets either entries of the right form or the words for what is wrong.
 */

import type { Moment } from '../base/clock.ts'
import { byteJson, jsonIn } from '../base/json.ts'
import { type JournalEvent, rowOf } from './event-table.ts'

export type JournalKeeper = 'node' | 'proxy'

export interface JournalHead {
  /** Name and version of the program. */
  readonly program: string
  readonly keeper: JournalKeeper
  /** Another one after each start. */
  readonly runId: string
  /** `host:port`, as far as the process knows its own address. */
  readonly address: string
  readonly now: Moment
}

export interface JournalEntry {
  readonly now: Moment
  /** A row of the table, or one of a later version. */
  readonly kind: string
  readonly text: string
  /** Undefined: this version does not know the kind. */
  readonly event: JournalEvent | undefined
}

/** The words of other processes may have any length. */
const MAX_TEXT = 300
const MAX_ENTRIES = 1_000_000

/** A byte string. */
export function journalHeadText(head: JournalHead): string {
  return byteJson(JSON.stringify(head))
}

/** A string: what is wrong. */
export function readJournalHead(text: string): JournalHead | string {
  const head = jsonIn(text) as Partial<JournalHead> | undefined
  const { now, program, keeper, runId, address } = head ?? {}
  const isNamed = [program, runId, address].every((one) => typeof one === 'string')
  const isWhole = isNamed && (keeper === 'node' || keeper === 'proxy') && isMoment(now)
  return isWhole ? (head as JournalHead) : 'the head of the segment is not complete'
}

/** One entry. A byte string, see `entriesText`. */
export function entryText({ monoMs, wallMs }: Moment, event: JournalEvent): string {
  const { kind, ...values } = event
  const shown = Object.entries(values).map(([name, value]) => [name, clipped(value)])
  return byteJson(JSON.stringify([monoMs, wallMs, kind, Object.fromEntries(shown)]))
}

/** What one frame holds. */
export function entriesText(entries: readonly string[]): string {
  return `[${entries.join(',\n')}]`
}

/** A string: what is wrong. */
export function readEntries(text: string): readonly JournalEntry[] | string {
  const list = jsonIn(text)
  if (!Array.isArray(list) || list.length > MAX_ENTRIES) return 'it is no list of entries'
  const entries: JournalEntry[] = []
  for (const one of list) {
    const entry = readEntry(one)
    if (typeof entry === 'string') return `entry ${entries.length + 1}: ${entry}`
    entries.push(entry)
  }
  return entries
}

function readEntry(one: unknown): JournalEntry | string {
  if (!Array.isArray(one)) return 'it is no list'
  const [monoMs, wallMs, kind, values] = one
  const now = { monoMs, wallMs }
  if (!isMoment(now) || typeof kind !== 'string') return 'it has no moment or no kind'
  if (typeof values !== 'object' || values === null) return 'it has no fields'
  const row = rowOf(kind)
  if (row === undefined)
    return { now, kind, text: `${kind} (this version does not know it)`, event: undefined }
  for (const [name, type] of Object.entries(row.fields)) {
    const value = (values as Record<string, unknown>)[name]
    const isRight = type === 'number' ? Number.isSafeInteger(value) : typeof value === 'string'
    if (!isRight) return `${kind} has no ${name}`
  }
  return { now, kind, text: row.words(values), event: { ...values, kind } }
}

function isMoment(now: Moment | undefined): now is Moment {
  return Number.isSafeInteger(now?.monoMs) && Number.isSafeInteger(now?.wallMs)
}

function clipped(value: string | number): string | number {
  return typeof value === 'string' && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT)}…`
    : value
}
