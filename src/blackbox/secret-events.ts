/** The events that may tell a secret and are no requests of clients, without it. */
import type { Event } from '../core/event.ts'
import { type Echoes, type Hiding, hideAclFile, hideProperty, withoutEchoes } from './secrets.ts'

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>

/** SIGHUP: both configurations. */
export function hideConfigs(hiding: Hiding, event: EventOf<'reloaded'>): EventOf<'reloaded'> {
  return JSON.parse(JSON.stringify(event, (key, value) => hideProperty(hiding, key, value)))
}

export function hideAnswer(hiding: Hiding, event: EventOf<'inquired'>): EventOf<'inquired'> {
  const { answer } = event
  if (answer.kind !== 'readAclFile') return event
  return { ...event, answer: { ...answer, text: hideAclFile(hiding, answer.text) } }
}

/** `ERR unknown command 'AUTH', with args beginning with: …` */
export function hideEcho(echoes: Echoes, event: EventOf<'reply'>): EventOf<'reply'> {
  const { reply } = event
  if (reply.kind !== 'error') return event
  const text = withoutEchoes(reply.text, echoes)
  return text === reply.text ? event : { ...event, reply: { kind: 'error', text } }
}
