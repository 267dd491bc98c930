/**
 * What data nodes and proxies put on record of themselves: facts, each with its fields and its words. A Sentinel's
 * record holds what it was told, so that it can be played again; here nothing is decided again. Types, files and
 * texts follow from this table. No field may ever hold a password, a key or a value.
 */
import { countOf } from '../base/count-of.ts'

type FieldType = 'number' | 'text'
type FieldTypes = Readonly<Record<string, FieldType>>
type ValuesOf<Fields extends FieldTypes> = {
  readonly [Name in keyof Fields]: Fields[Name] extends 'number' ? number : string
}

interface Row<Fields extends FieldTypes> {
  readonly fields: Fields
  readonly words: (values: ValuesOf<Fields>) => string
}

/** Times are in milliseconds, names end in `Ms`. Of an address, `host:port`. */
export const JOURNAL_EVENTS = {
  // The life of a node.
  starting: row({}, () => 'the process starts, and loads its data'),
  /** `role`: `master`, or `replica of …`. */
  started: row(
    { role: 'text', keys: 'number', history: 'text', offset: 'number' },
    ({ role, keys, history, offset }) =>
      `is ready as ${role}, with ${countOf(keys, 'key')}, ${placeOf(history, offset)}`,
  ),
  stopping: row({ why: 'text' }, ({ why }) => `is to end: ${why}`),
  stopped: row(
    { keys: 'number', history: 'text', offset: 'number' },
    ({ keys, history, offset }) => `ends with ${countOf(keys, 'key')}, ${placeOf(history, offset)}`,
  ),
  failed: row({ reason: 'text' }, ({ reason }) => `ends with an error: ${reason}`),

  // Its role.
  master: row(
    { why: 'text', history: 'text', offset: 'number' },
    ({ why, history, offset }) => `is a master now: ${why}; ${placeOf(history, offset)}`,
  ),
  replica: row(
    { of: 'text', why: 'text', history: 'text', offset: 'number' },
    ({ of, why, history, offset }) =>
      `is a replica of ${of} now: ${why}; ${placeOf(history, offset)}`,
  ),

  // The link to its master.
  linkUp: row({ to: 'text', sync: 'text', offset: 'number' }, ({ to, sync, offset }) => {
    return `follows ${to} after a ${sync} resynchronisation, from offset ${offset}`
  }),
  linkLost: row({ to: 'text', reason: 'text' }, ({ to, reason }) => {
    return `has lost the link to ${to}: ${reason}`
  }),
  noLink: row(
    { to: 'text', reason: 'text' },
    ({ to, reason }) => `has no link to ${to}: ${reason}`,
  ),
  copyBegun: row({ from: 'text', place: 'text' }, ({ from, place }) => {
    return `begins a full resynchronisation with ${from}, to ${place}`
  }),

  // The replicas that follow it.
  copyAsked: row({ by: 'text' }, ({ by }) => `the replica ${by} needs a full copy`),
  replicaOnline: row({ replica: 'text', offset: 'number' }, ({ replica, offset }) => {
    return `the replica ${replica} gets the stream, from offset ${offset}`
  }),
  replicaLost: row({ replica: 'text', reason: 'text' }, ({ replica, reason }) => {
    return `the replica ${replica} is gone: ${reason}`
  }),

  // What clients are told, counted by the code of the error. One entry for many commands.
  refusing: row({ code: 'text', withinMs: 'number' }, ({ code, withinMs }) => {
    return `refuses commands with ${code}, for at most ${durationOf(withinMs)}`
  }),
  refused: row(
    { code: 'text', count: 'number', forMs: 'number', quietMs: 'number' },
    ({ code, count, forMs, quietMs }) =>
      `refused ${countOf(count, 'command')} with ${code}${forMs === 0 ? '' : ` in ${durationOf(forMs)}`}, the last ${durationOf(quietMs)} ago`,
  ),

  // A proxy.
  proxyStarted: row({}, () => 'the proxy starts'),
  proxyStopping: row({ clients: 'number' }, ({ clients }) => {
    return `is to end, and lets ${countOf(clients, 'client')} finish`
  }),
  proxyStopped: row({}, () => 'the proxy ends'),
  forwards: row({ group: 'text', to: 'text' }, ({ group, to }) => {
    return `forwards commands for ${group} to ${to}`
  }),
  forwardsNoMore: row({ group: 'text', from: 'text', why: 'text' }, ({ group, from, why }) => {
    return `forwards no more commands for ${group} to ${from}: ${why}`
  }),
  sentinelHeard: row({ sentinel: 'text' }, ({ sentinel }) => `hears the Sentinel ${sentinel}`),
  sentinelLost: row({ sentinel: 'text' }, ({ sentinel }) => {
    return `does not hear the Sentinel ${sentinel} any more`
  }),
  holding: row({ clients: 'number' }, ({ clients }) => {
    return `holds the commands of ${countOf(clients, 'client')}`
  }),
  held: row({ clients: 'number', forMs: 'number' }, ({ clients, forMs }) => {
    return `holds no command any more: ${countOf(clients, 'client')} at most waited, over ${durationOf(forMs)}`
  }),

  // Itself.
  stalled: row({ forMs: 'number', lateMs: 'number' }, ({ forMs, lateMs }) => {
    return `stood still for ${durationOf(lateMs)} at least, ${durationOf(forMs)} at most`
  }),
  clockMoved: row({ byMs: 'number' }, ({ byMs }) => {
    const way = byMs < 0 ? 'back' : 'on'
    return `its wall clock went ${way} by ${durationOf(Math.abs(byMs))}: it was set, or the machine was suspended`
  }),
  ledger: row(
    { file: 'text', writes: 'number', keys: 'number', master: 'text' },
    ({ file, writes, keys, master }) =>
      `gives up ${countOf(writes, 'write')} to ${countOf(keys, 'key')} that ${master} never had; they are in ${file}`,
  ),
} as const

export type JournalKind = keyof typeof JOURNAL_EVENTS

export type JournalEvent = {
  [Kind in JournalKind]: { readonly kind: Kind } & ValuesOf<(typeof JOURNAL_EVENTS)[Kind]['fields']>
}[JournalKind]

/** Of a row of the table, without knowing which. */
export interface AnyRow {
  readonly fields: FieldTypes
  readonly words: (values: Readonly<Record<string, string | number>>) => string
}

export function rowOf(kind: string): AnyRow | undefined {
  return Object.hasOwn(JOURNAL_EVENTS, kind)
    ? (JOURNAL_EVENTS[kind as JournalKind] as unknown as AnyRow)
    : undefined
}

export function eventInWords(event: JournalEvent): string {
  const { kind, ...values } = event
  return rowOf(kind)?.words(values) ?? kind
}

function row<const Fields extends FieldTypes>(
  fields: Fields,
  words: Row<Fields>['words'],
): Row<Fields> {
  return { fields, words }
}

const ID_CHARACTERS = 8

function placeOf(history: string, offset: number): string {
  return `at offset ${offset} of history ${history.slice(0, ID_CHARACTERS)}`
}

function durationOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 100_000 ? 1 : 0)} s`
}
