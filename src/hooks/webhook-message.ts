/** What is sent to a webhook for an event: the body in the form its template says, and its type. */
import { unreachable } from '../base/assert.ts'
import { utf8Text } from '../base/utf8.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import { eventDocument, eventInWords } from './event-document.ts'
import { fillTemplate, type MessageFacts } from './template.ts'
import type { WebhookTemplate } from './webhook-config.ts'

/** Where the events come from; `host` and `port` are where clients find this Sentinel. */
export interface WebhookSender {
  readonly runId: string
  readonly host: string
  readonly port: number
}

export interface WebhookMessage {
  readonly contentType: string
  readonly body: string
}

/** When the event was announced, and its place among those for this webhook. */
export interface DeliveryPlace {
  /** ISO 8601, in UTC. */
  readonly time: string
  /** Counts every event for this webhook since the Sentinel started, dropped ones included. */
  readonly sequence: number
  /** How many events right before this one were dropped. */
  readonly dropped: number
}

export function deliveryId({ runId }: WebhookSender, startedMs: number, sequence: number): string {
  return `${runId.slice(0, 12)}-${startedMs.toString(36)}-${sequence}`
}

export function webhookMessage(
  template: WebhookTemplate,
  event: AnnouncedEvent,
  sender: Omit<WebhookSender, 'runId'>,
  id: string,
  place: DeliveryPlace,
): WebhookMessage {
  const facts = factsOf(event, sender, place)
  switch (template.kind) {
    case 'json':
      return json({ type: 'vedette.event', id, ...facts })
    case 'slack':
      return json({ text: fillTemplate(template.message, facts, slackText) })
    case 'discord':
      return json({ content: fillTemplate(template.message, facts, (value) => value) })
    case 'text':
      return {
        contentType: 'text/plain; charset=utf-8',
        body: fillTemplate(template.message, facts, (value) => value),
      }
    default:
      return unreachable(template)
  }
}

function factsOf(
  event: AnnouncedEvent,
  { host, port }: Omit<WebhookSender, 'runId'>,
  { time, sequence, dropped }: DeliveryPlace,
): MessageFacts {
  return {
    level: event.level,
    ...eventDocument(event),
    payload: utf8Text(event.payload),
    summary: eventInWords(event),
    sentinel: { runId: event.by, host, port },
    ...{ time, sequence, dropped },
  }
}

function json(value: unknown): WebhookMessage {
  return { contentType: 'application/json', body: JSON.stringify(value) }
}

/** Slack's own escapes: https://docs.slack.dev/messaging/formatting-message-text */
function slackText(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
