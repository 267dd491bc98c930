/** What a record knows of one step of a Sentinel. */
import type { Moment } from '../base/clock.ts'
import type { Event } from '../core/event.ts'
import type { CpuUsage } from '../core/report/process-facts.ts'

/** One step of the machine. */
export interface RecordEntry {
  readonly now: Moment
  readonly event: EntryEvent
  /** The digest of the step's effects; undefined: only that of the whole block is known. */
  readonly digest: string | undefined
  readonly extra: EntryExtra | undefined
}

export interface EntryExtra {
  /** How many bytes a client sent, where the record shows another number of them. */
  readonly bytes?: number
  /** What the process answered when the machine asked for its processor time. */
  readonly cpu?: readonly CpuUsage[]
  /** The machine failed with this error. */
  readonly threw?: string
}

/** What was not done after a failed save is known from the steps before. */
export type EntryEvent =
  | Exclude<Event, { readonly kind: 'saveFailed' }>
  | { readonly kind: 'saveFailed'; readonly reason: string }
  /** The answer was a piece of this record, of so many bytes: a record does not hold itself. */
  | { readonly kind: 'recordTold'; readonly inquiry: number; readonly bytes: number }
  /** INFO again on this connection: of the lines that a Sentinel reads, those that differ from the reply before, by number. */
  | {
      readonly kind: 'infoAgain'
      readonly link: number
      readonly lines: readonly (readonly [number, string])[]
    }

/** What is to be said besides an event, of which `recorded` is in the record. */
export function extraOf(
  event: Event,
  recorded: EntryEvent,
  cpu: readonly CpuUsage[],
  threw: string | undefined,
): EntryExtra | undefined {
  const isShortened =
    event.kind === 'received' && recorded.kind === 'received' && event.bytes !== recorded.bytes
  if (!isShortened && cpu.length === 0 && threw === undefined) return undefined
  return {
    ...(isShortened ? { bytes: event.bytes.length } : {}),
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(threw === undefined ? {} : { threw }),
  }
}
