/**
 * What a failover is called in logs, in webhooks and on the command line (`vedette incident --id`): its group
 * and its epoch. Every Sentinel knows both, so all of them give one failover the same id, also those that
 * learn of it afterwards.
 */
import type { AnnouncedEvent } from './announced-event.ts'
import { type EventName, isAbort } from './event-table.ts'

/** `mymaster-7`, a byte string. Undefined: the event ends no failover. */
export function incidentId({ name, group, epoch }: AnnouncedEvent): string | undefined {
  if (group === undefined) return undefined
  if (isAbort(name)) return `${group.name}-${epoch}`
  // Other Sentinels may know later epochs: that of the configuration is the same for all.
  return SUCCESSES.has(name) ? `${group.name}-${group.configEpoch}` : undefined
}

const SUCCESSES: ReadonlySet<EventName> = new Set([
  '+switch-master',
  '+failover-end',
  '+failover-end-for-timeout',
])
