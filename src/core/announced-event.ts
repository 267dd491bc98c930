/**
 * An event as data, for programs that should not have to take a line apart: what happened, to which
 * instance of which group, in which epoch, on what evidence, and which Sentinel says so. It travels with
 * the log effect; the log writes it beside the line, and webhooks send it.
 *
 * Names, run ids and texts are byte strings, like everything the machine knows.
 */
import type { Address } from '../base/ip.ts'
import type { EventName } from './event-table.ts'
import type { FailoverKind } from './failover/failover-kinds.ts'
import type { LogLevel } from './log-level.ts'

export interface AnnouncedEvent {
  readonly name: EventName
  readonly level: LogLevel
  /** What subscribers get. */
  readonly payload: string
  readonly group: AnnouncedGroup | undefined
  readonly instance: AnnouncedInstance | undefined
  /** The epoch of the failover that is running here, otherwise the highest one this Sentinel knows. */
  readonly epoch: number
  /** What the event gives as its reason: its text behind a `#`; empty if it gives none. */
  readonly evidence: string
  /** The words that vary in the text of the event, by their names in the table. */
  readonly details: EventDetails
  /** The run id of the Sentinel that announces it. */
  readonly by: string
  /** Wall-clock milliseconds. */
  readonly atMs: number
}

export interface AnnouncedGroup {
  readonly name: string
  readonly configEpoch: number
  /** The address clients are told, as far as this Sentinel knows. */
  readonly master: Address
  /** How the failover that is under way here came about; undefined: none is. */
  readonly failover: FailoverKind | undefined
}

export interface AnnouncedInstance extends Address {
  readonly role: 'master' | 'replica' | 'sentinel'
  /** Empty while it is unknown. */
  readonly runId: string
}

export type EventDetails = Readonly<Record<string, string | number>>
