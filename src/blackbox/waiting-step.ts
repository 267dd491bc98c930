/**
 * Steps that are put into words later, when there are many, or when the failover that they belong to is over: what so
 * rarely runs is slow, and words take as long as a decision. Nothing that happens meanwhile may change what a step says, so it
 * takes with it what is needed of the state, and those that need more do not wait.
 */
import type { Moment } from '../base/clock.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { CpuUsage } from '../core/report/process-facts.ts'
import type { State } from '../core/state.ts'
import type { Reply } from '../resp/reply.ts'
import { isTalk } from './effect-text.ts'

export interface WaitingStep {
  readonly now: Moment
  readonly event: WaitingEvent
  readonly effects: readonly Effect[]
  /** The machine did more than talk. */
  readonly isNotable: boolean
  readonly cpu: readonly CpuUsage[]
  readonly config: State['config']
  /** Of INFO. */
  readonly lines: readonly string[] | undefined
}

/** The others hold secrets, or what may be a secret of the state as it is. */
export type WaitingEvent = Exclude<Event, { readonly kind: 'saveFailed' | 'inquired' | 'reloaded' }>

/** Longer texts do not wait, so that those that do stay few bytes together. */
const MAX_CHARACTERS = 32 * 1024
/** What one Sentinel answers another about a master has three. */
const MAX_ITEMS = 8

export function canWait(event: Event): event is WaitingEvent {
  switch (event.kind) {
    case 'message':
      return event.payload.length <= MAX_CHARACTERS
    case 'received':
      return event.bytes.length <= MAX_CHARACTERS
    case 'reply':
      return isHarmless(event.reply)
    case 'saveFailed':
    case 'inquired':
    case 'reloaded':
      return false
    default:
      return true
  }
}

/** An error may repeat a secret of the state as it is now; what failed within a transaction is told without it. */
function isHarmless(reply: Reply): boolean {
  if (reply.kind === 'bulk') return reply.bytes.length <= MAX_CHARACTERS
  return reply.kind !== 'error' && isFixed(reply)
}

/** `now`: what they say has to be written before the next step. */
export function mannerOf(effects: readonly Effect[]): 'talk' | 'notable' | 'now' {
  let manner: 'talk' | 'notable' = 'talk'
  for (const effect of effects) {
    if (effect.kind === 'send') continue
    if (effect.kind === 'respond') {
      if (!isFixed(effect.reply)) return 'now'
    } else if (!isTalk(effect)) manner = 'notable'
  }
  return manner
}

/** It is what it is; others read the state of the machine when they are written. */
function isFixed(reply: Reply): boolean {
  switch (reply.kind) {
    case 'simple':
    case 'bulk':
    case 'integer':
    case 'error':
    case 'null':
    case 'nullArray':
      return true
    case 'array':
      return reply.items.length <= MAX_ITEMS && reply.items.every(isFixed)
    default:
      return false
  }
}
