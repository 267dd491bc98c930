/**
 * The ledger file: what one node threw away in one resynchronisation, so that an operator can look at it
 * and restore it.
 *
 *     VEDETTE LEDGER 1              what it is, and the version of the format
 *     history: 8f3a…                lines of facts, see LedgerFacts
 *     …
 *     (an empty line)
 *     *2 $6 SELECT …                the commands, as clients send them
 *     …
 *     END 12 5 0a1b2c3d4e5f6071     how many writes and different keys, and the checksum of all before
 *
 * The counts come last because they are known only then: the file is written in one go. A file without
 * its last line is incomplete.
 */
import { decimalInteger } from './ledger-numbers.ts'

export const LEDGER_TITLE = 'VEDETTE LEDGER'
export const LEDGER_VERSION = 1

/**
 * How the beginning of the lost part was determined. `exact`: the new master said where its history left
 * ours. `at most`: it did not, or the two have nothing in common that we know of. Then the lost part is
 * everything we have, of which the backlog has the end, and much of it may have reached the new master.
 */
export type LedgerRule = 'exact' | 'at most'

export interface LedgerFacts {
  /** `host:port` as the node announces itself; the host may be empty. */
  readonly node: string
  /** Unix time in milliseconds. */
  readonly writtenAtMs: number
  /** The history whose end was thrown away. */
  readonly history: string
  /** Offset of the first byte that is lost. */
  readonly from: number
  /** Offset of the last byte that is lost. */
  readonly to: number
  /** Offset of the first byte in the file: later than `from` if the backlog or the file is too small. */
  readonly kept: number
  readonly rule: LedgerRule
  /** `host:port` of the master whose data replace ours. */
  readonly master: string
  /** The master's history, and its offset. */
  readonly masterHistory: string
  readonly masterOffset: number
}

export interface LedgerEnd {
  readonly commands: number
  readonly keys: number
  /** 16 hex digits. */
  readonly checksum: string
}

export function renderHeader(facts: LedgerFacts): string {
  const lines: [string, string | number][] = [
    ['node', facts.node],
    ['written-at-ms', facts.writtenAtMs],
    ['history', facts.history],
    ['from', facts.from],
    ['to', facts.to],
    ['kept', facts.kept],
    ['rule', facts.rule],
    ['master', facts.master],
    ['master-history', facts.masterHistory],
    ['master-offset', facts.masterOffset],
  ]
  const text = lines.map(([name, value]) => `${name}: ${oneLine(String(value))}\n`).join('')
  return `${LEDGER_TITLE} ${LEDGER_VERSION}\n${text}\n`
}

/** The part of the last line before the checksum; the checksum covers it. */
export function renderCounts(commands: number, keys: number): string {
  return `END ${commands} ${keys} `
}

/** Undefined if this is not the last line. */
export function parseEnd(line: string): LedgerEnd | undefined {
  const match = /^END (\d{1,15}) (\d{1,15}) ([0-9a-f]{16})\n$/.exec(line)
  if (match === null) return undefined
  const [, commands, keys, checksum = ''] = match
  return { commands: Number(commands), keys: Number(keys), checksum }
}

/** A text says what is missing or wrong. */
export function parseFacts(lines: readonly string[]): LedgerFacts | string {
  const fields = new Map(lines.map(splitLine))
  const text = (name: string) => fields.get(name) ?? ''
  const numbers = ['written-at-ms', 'from', 'to', 'kept', 'master-offset'].map((name) => ({
    name,
    value: decimalInteger(text(name)),
  }))
  const wrong = numbers.find(({ value }) => value === undefined)
  if (wrong !== undefined) return `its header has no number '${wrong.name}'`
  const [writtenAtMs = 0, from = 0, to = 0, kept = 0, masterOffset = 0] = numbers.map(
    ({ value }) => value,
  )
  const rule = text('rule')
  if (rule !== 'exact' && rule !== 'at most') return "its header has no 'rule'"
  const [node, history, master] = [text('node'), text('history'), text('master')]
  const masterHistory = text('master-history')
  return { node, writtenAtMs, history, from, to, kept, rule, master, masterHistory, masterOffset }
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)]
}

/** Names come from outside: nothing in them may end the line. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
