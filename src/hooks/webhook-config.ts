/** What sentinel.yml says of a webhook, and which events it wants. */
import { matchesGlob } from '../base/glob.ts'
import { EVENT_NAMES, EVENTS, type EventName } from '../core/event-table.ts'
import type { MessageTemplate } from './template.ts'

export interface WebhookConfig {
  /** How the log calls it: the URL may contain a secret. */
  readonly name: string
  readonly url: string
  /** Names, patterns or the words of `EVENT_SETS`. */
  readonly events: readonly string[]
  /** Patterns; empty: all groups, and events of no group. */
  readonly groups: readonly string[]
  readonly secret: SecretSource
  readonly template: WebhookTemplate
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Certificates of the authorities to believe, as a file; empty: the usual ones. */
  readonly caFile: string
  /** How long one attempt may take. */
  readonly timeoutMs: number
  /** How many events may wait. */
  readonly queue: number
  /** How long an event is tried. */
  readonly giveUpAfterMs: number
}

/** Where the secret of the signature is; `none`: nothing is signed. */
export type SecretSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' | 'file' | 'env'; readonly value: string }

/** `json`: the whole event. `slack`, `discord`: a text as these take it. `text`: the text alone. */
export type WebhookTemplate =
  | { readonly kind: 'json' }
  | { readonly kind: 'slack' | 'discord' | 'text'; readonly message: MessageTemplate }

export const WEBHOOK_TEMPLATES = ['json', 'slack', 'discord', 'text'] as const

export const WEBHOOK_DEFAULTS = {
  events: ['warning'],
  template: 'json',
  text: '{group} {event}: {summary} (Sentinel {sentinel})',
  timeoutMs: 5_000,
  queue: 1_000,
  giveUpAfterMs: 600_000,
} as const

/** Words for several events. What a leader alone announces comes once for a failover. */
const EVENT_SETS: Readonly<Record<string, readonly EventName[]>> = {
  all: EVENT_NAMES,
  warning: EVENT_NAMES.filter((name) => EVENTS[name].level === 'warning'),
  'pre-failover': ['+failover-hook-asked', '-failover-hook-failed', '-failover-refused-by-hook'],
  'post-failover': ['+failover-end', '+failover-end-for-timeout'],
  // A lost election is none of them: another Sentinel has most likely won it.
  'post-unsuccessful-failover': [
    '-failover-abort-no-good-slave',
    '-failover-abort-slave-timeout',
    '-failover-abort-master-timeout',
    '-failover-refused-by-hook',
  ],
}

export const EVENT_SET_NAMES = Object.keys(EVENT_SETS)

/** The events that a word of the filter means; none: it means nothing. */
export function eventsMeant(word: string): readonly EventName[] {
  const set = Object.hasOwn(EVENT_SETS, word) ? EVENT_SETS[word] : undefined
  return set ?? EVENT_NAMES.filter((name) => matchesGlob(word, name))
}

export type WebhookFilter = (event: EventName, group: string | undefined) => boolean

export function filterOf({ events, groups }: WebhookConfig): WebhookFilter {
  const wanted = new Set(events.flatMap(eventsMeant))
  return (event, group) => {
    if (!wanted.has(event)) return false
    if (groups.length === 0) return true
    return group !== undefined && groups.some((pattern) => matchesGlob(pattern, group))
  }
}
