/** `webhooks:` of sentinel.yml: each entry checked as far as it can be without its receiver. */

import { EVENT_NAMES } from '../core/event-table.ts'
import { parseTemplate, TEMPLATE_FIELDS } from '../hooks/template.ts'
import {
  EVENT_SET_NAMES,
  eventsMeant,
  WEBHOOK_DEFAULTS,
  WEBHOOK_TEMPLATES,
  type WebhookConfig,
} from '../hooks/webhook-config.ts'
import { didYouMean } from './suggest.ts'
import { duration, integer, oneOf, required, text, words, type YmlFault } from './yml-values.ts'
import { z } from './zod.ts'

const MAX_QUEUED = 100_000

export const WEBHOOK = z
  .strictObject({
    name: text.default(''),
    url: required(readUrl),
    events: required(readEvents).default(WEBHOOK_DEFAULTS.events),
    groups: words.default([]),
    secret: text.default(''),
    'secret-file': text.default(''),
    'secret-env': text.default(''),
    template: oneOf(WEBHOOK_TEMPLATES).default(WEBHOOK_DEFAULTS.template),
    text: required(readTemplate).default(messageOf(WEBHOOK_DEFAULTS.text)),
    headers: required(readHeaders).default([]),
    'ca-file': text.default(''),
    timeout: duration.default(WEBHOOK_DEFAULTS.timeoutMs),
    queue: integer(1, MAX_QUEUED).default(WEBHOOK_DEFAULTS.queue),
    'give-up-after': duration.default(WEBHOOK_DEFAULTS.giveUpAfterMs),
  })
  .superRefine((hook, context) => {
    const secrets = [hook.secret, hook['secret-file'], hook['secret-env']]
    if (secrets.filter((one) => one !== '').length < 2) return
    const message = 'has more than one of secret, secret-file and secret-env'
    const params = { fault: 'E_VALUE', hint: 'keep one of them' }
    context.addIssue({ code: 'custom', message, params })
  })

type WebhookYml = z.output<typeof WEBHOOK>

export function toWebhooks(hooks: readonly WebhookYml[]): readonly WebhookConfig[] {
  return hooks.map((hook, at) => ({
    name: hook.name === '' ? `${at + 1}` : hook.name,
    url: hook.url,
    events: hook.events,
    groups: hook.groups,
    secret: secretOf(hook),
    template: templateOf(hook),
    headers: hook.headers,
    caFile: hook['ca-file'],
    timeoutMs: hook.timeout,
    queue: hook.queue,
    giveUpAfterMs: hook['give-up-after'],
  }))
}

function secretOf(hook: WebhookYml): WebhookConfig['secret'] {
  if (hook.secret !== '') return { kind: 'text', value: hook.secret }
  if (hook['secret-file'] !== '') return { kind: 'file', value: hook['secret-file'] }
  if (hook['secret-env'] !== '') return { kind: 'env', value: hook['secret-env'] }
  return { kind: 'none' }
}

function templateOf({ template, text: message }: WebhookYml): WebhookConfig['template'] {
  return template === 'json' ? { kind: template } : { kind: template, message }
}

function readUrl(value: unknown): { readonly value: string } | YmlFault {
  const isUrl = typeof value === 'string' && /^https?:\/\/[^\s/?#]+\S*$/i.test(value)
  if (isUrl) return { value }
  const hint = 'https://hooks.example.com/vedette'
  return { fault: 'E_VALUE', message: 'must be an http or https URL', hint }
}

function readEvents(value: unknown): { readonly value: readonly string[] } | YmlFault {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || !list.every((word) => typeof word === 'string')) {
    const hint = 'names, patterns with *, or a word such as post-failover'
    return { fault: 'E_TYPE', message: 'must be a list of events', hint }
  }
  const wrong = list.find((word) => eventsMeant(word).length === 0)
  if (wrong === undefined) return { value: list }
  const hint = didYouMean(wrong, [...EVENT_SET_NAMES, ...EVENT_NAMES])
  return { fault: 'E_VALUE', message: `${JSON.stringify(wrong)} is no event`, hint }
}

type Message = Exclude<ReturnType<typeof parseTemplate>, { readonly fault: string }>

function readTemplate(value: unknown): { readonly value: Message } | YmlFault {
  const parsed = typeof value === 'string' ? parseTemplate(value) : { fault: 'must be text' }
  if (!('fault' in parsed)) return { value: parsed }
  const hint = `placeholders: ${TEMPLATE_FIELDS.join(', ')}, and details.<word>`
  return { fault: 'E_VALUE', message: parsed.fault, hint }
}

function messageOf(source: string): Message {
  const parsed = parseTemplate(source)
  return 'fault' in parsed ? { parts: [] } : parsed
}

function readHeaders(
  value: unknown,
): { readonly value: readonly (readonly [string, string])[] } | YmlFault {
  const pairs = Object.entries(Object(value))
  const isMap = typeof value === 'object' && !Array.isArray(value)
  const isSound = pairs.every(([name, text]) => {
    // RFC 9110: a token, and visible characters.
    return (
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\x20-\x7e]*$/.test(text)
    )
  })
  if (isMap && isSound) return { value: pairs as [string, string][] }
  const hint = '{Authorization: "Bearer …"}'
  return { fault: 'E_TYPE', message: 'must be a map of header names and texts', hint }
}
