/** Whether something read from a record is an event, as far as the machine relies on it. */
import type { EntryEvent } from './entry.ts'

type Check = 'number' | 'string' | 'object'

/** By kind: the properties that every such event has. */
const SHAPES: Readonly<Record<EntryEvent['kind'], Readonly<Record<string, Check>>>> = {
  wake: {},
  linkUp: { link: 'number', localHost: 'string' },
  linkLost: { link: 'number', reason: 'string' },
  reply: { link: 'number', purpose: 'object', reply: 'object' },
  infoAgain: { link: 'number', lines: 'object' },
  message: { link: 'number', channel: 'string', payload: 'string' },
  clientOpened: { client: 'number', address: 'string', localAddress: 'string' },
  received: { client: 'number', bytes: 'string' },
  drained: { client: 'number' },
  clientClosed: { client: 'number' },
  saved: {},
  saveFailed: { reason: 'string' },
  inquired: { inquiry: 'number', answer: 'object' },
  scriptStarted: { job: 'number', pid: 'number' },
  scriptEnded: { job: 'number', status: 'number', signal: 'number' },
  scriptNotStarted: { job: 'number', failed: 'string', reason: 'string' },
  reloaded: { config: 'object', before: 'object' },
  stopRequested: {},
}

/** What is wrong with it, in words; undefined: nothing. */
export function eventFault(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return 'there is no such event'
  const { kind } = event as { readonly kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(SHAPES, kind))
    return `no event is of the kind ${JSON.stringify(kind)}`
  const shape = SHAPES[kind as EntryEvent['kind']]
  const missing = Object.entries(shape).find(([key, type]) => {
    const value = (event as Readonly<Record<string, unknown>>)[key]
    return typeof value !== type || value === null
  })
  return missing && `an event of the kind ${kind} needs ${missing[0]}, a ${missing[1]}`
}
