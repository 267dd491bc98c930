/**
 * The text of a message, with placeholders: `{event}`, `{details.quorum}`. A placeholder without a value
 * for this event becomes an empty text; `{{` is a brace. Nothing is evaluated, so a name that
 * an operator gave a group or a node stays a name.
 */
import { hostAndPort } from '../base/ip.ts'
import type { EventDocument } from './event-document.ts'

/** Alternately text and placeholder, text first. */
export interface MessageTemplate {
  readonly parts: readonly TemplatePart[]
}

type TemplatePart = { readonly text: string } | { readonly field: string }

/** What is known of an event when a message is made of it. */
export interface MessageFacts extends EventDocument {
  readonly time: string
  readonly level: string
  readonly payload: string
  readonly summary: string
  readonly sequence: number
  readonly dropped: number
  readonly sentinel: { readonly runId: string; readonly host: string; readonly port: number }
}

const FIELDS: Readonly<Record<string, (facts: MessageFacts) => string | number | undefined>> = {
  event: ({ event }) => event,
  level: ({ level }) => level,
  time: ({ time }) => time,
  group: ({ group }) => group,
  role: ({ instance }) => instance?.role,
  host: ({ instance }) => instance?.host,
  port: ({ instance }) => instance?.port,
  instance: ({ instance }) => instance && hostAndPort(instance.host, instance.port),
  master: ({ master }) => master && hostAndPort(master.host, master.port),
  epoch: ({ epoch }) => epoch,
  failover: ({ failover }) => failover,
  evidence: ({ evidence }) => evidence,
  payload: ({ payload }) => payload,
  summary: ({ summary }) => summary,
  sentinel: ({ sentinel }) => hostAndPort(sentinel.host, sentinel.port),
  'run-id': ({ by }) => by,
  sequence: ({ sequence }) => sequence,
  dropped: ({ dropped }) => dropped,
}

export const TEMPLATE_FIELDS = Object.keys(FIELDS)
const DETAIL = 'details.'

/** Returns what is wrong in words if a placeholder is unknown or open. */
export function parseTemplate(source: string): MessageTemplate | { readonly fault: string } {
  const parts: TemplatePart[] = []
  const pattern = /\{\{|\{([^{}]*)\}|\{|[^{]+/g
  for (const [token, field] of source.matchAll(pattern)) {
    if (token === '{') return { fault: 'a brace is not closed; write {{ for a brace' }
    if (field === undefined) parts.push({ text: token === '{{' ? '{' : token })
    else if (isField(field)) parts.push({ field })
    else return { fault: `{${field}} is no placeholder` }
  }
  return { parts }
}

function isField(field: string): boolean {
  return Object.hasOwn(FIELDS, field) || /^details\.\w+$/.test(field)
}

/** `escaped` is applied to values, not to the text around them. */
export function fillTemplate(
  { parts }: MessageTemplate,
  facts: MessageFacts,
  escaped: (value: string) => string,
): string {
  const filled = parts.map((part) => {
    return 'text' in part ? part.text : escaped(String(fieldValue(part.field, facts) ?? ''))
  })
  return filled.join('').trim()
}

function fieldValue(field: string, facts: MessageFacts): string | number | undefined {
  if (!field.startsWith(DETAIL)) return FIELDS[field]?.(facts)
  const { details = {} } = facts
  const name = field.slice(DETAIL.length)
  return Object.hasOwn(details, name) ? details[name] : undefined
}
