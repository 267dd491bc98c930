/**
 * An event as programs outside read it: in the JSON lines of the log, and in what webhooks send. The
 * machine's byte strings become text here. docs/hooks.md describes every field; fields are added, and
 * none changes its meaning.
 */
import { hostAndPort } from '../base/ip.ts'
import { utf8Text } from '../base/utf8.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import { EVENTS } from '../core/event-table.ts'
import type { FailoverKind } from '../core/failover/failover-kinds.ts'
import { incidentId } from '../core/incident-id.ts'

/** What has no value for this event is left out. */
export interface EventDocument {
  readonly event: string
  readonly group?: string
  readonly instance?: {
    readonly role: 'master' | 'replica' | 'sentinel'
    readonly host: string
    readonly port: number
    readonly runId?: string
  }
  /** The master of the group, as this Sentinel has it. */
  readonly master?: { readonly host: string; readonly port: number }
  readonly epoch: number
  readonly configEpoch?: number
  readonly failover?: FailoverKind
  readonly evidence?: string
  /** Of a failover that is over: `vedette incident --id` tells how it came to it. */
  readonly incident?: string
  readonly details?: Readonly<Record<string, string | number>>
  /** The run id of the Sentinel that announces it. */
  readonly by: string
}

export function eventDocument(event: AnnouncedEvent): EventDocument {
  const { name, group, instance, epoch, evidence, by } = event
  const details = detailsOf(event)
  const incident = incidentId(event)
  return {
    event: name,
    ...(group && { group: utf8Text(group.name) }),
    ...(instance && { instance: instanceDocument(instance) }),
    ...(group && { master: group.master }),
    epoch,
    ...(group && { configEpoch: group.configEpoch }),
    ...(group?.failover && { failover: group.failover }),
    ...(incident !== undefined && { incident: utf8Text(incident) }),
    ...(evidence !== '' && { evidence: utf8Text(evidence) }),
    ...(Object.keys(details).length > 0 && { details }),
    by,
  }
}

function instanceDocument({ role, host, port, runId }: NonNullable<AnnouncedEvent['instance']>) {
  return { role, host, port, ...(runId !== '' && { runId }) }
}

function detailsOf({ details }: AnnouncedEvent): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => {
      return [key, typeof value === 'string' ? utf8Text(value) : value]
    }),
  )
}

/**
 * The event as a sentence without its subject, the Sentinel: `asks for votes`. Events that the table
 * has no words for are told by their name and payload.
 */
export function eventInWords(event: AnnouncedEvent): string {
  const { name, instance, group, payload } = event
  const { says } = EVENTS[name]
  if (says === '') return utf8Text(payload === '' ? name : `${name} ${payload}`)
  const address = instance && hostAndPort(instance.host, instance.port)
  const words: Readonly<Record<string, string | number>> = {
    instance: instance ? `${instance.role} ${address}` : '',
    port: address ?? '',
    ...event.details,
    group: group?.name ?? '',
    ...addressesIn(event.details),
  }
  return utf8Text(says.replace(/<(\w+)>/g, (_, word: string) => String(words[word] ?? '')))
}

/**
 * `says` names nodes by their ports, as a demonstration on one machine does. For readers elsewhere a
 * port alone is no address.
 */
function addressesIn(details: AnnouncedEvent['details']): Record<string, string> {
  const pairs = [
    ['oldHost', 'oldPort'],
    ['newHost', 'newPort'],
  ] as const
  return Object.fromEntries(
    pairs
      .filter(([host]) => details[host] !== undefined)
      .map(([host, port]) => [port, hostAndPort(String(details[host]), Number(details[port]))]),
  )
}
