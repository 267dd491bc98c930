/**
 * Who hears which event. Events are rare and clients few compared with a data node, so subscriptions
 * are kept with the client alone: no index that could disagree with it when a connection goes.
 */
import { matchesGlob } from '../base/glob.ts'
import { bulk, integer, NULL, type Reply } from '../resp/reply.ts'
import type { Client } from './client.ts'
import { respond } from './client-output.ts'
import type { Turn } from './state.ts'

/** One connection cannot make us remember more than this in names. */
export const MAX_SUBSCRIBED_BYTES = 1024 * 1024

/** `channel` or `pattern`: the two kinds of names a client can be subscribed to. */
export type Topic = 'channel' | 'pattern'

/** Tells an event to all who listen: once for its channel, and once more for each pattern it matches. */
export function publish(turn: Turn, channel: string, payload: string): void {
  for (const client of turn.state.clients.values()) {
    if (client.channels.has(channel)) tell(turn, client, channel, payload)
    for (const pattern of client.patterns) {
      if (!matchesGlob(pattern, channel)) continue
      respond(turn, client, frame('pmessage', pattern, channel, payload))
    }
  }
}

/** Tells one client alone, which listens to this channel. */
export function tell(turn: Turn, client: Client, channel: string, payload: string): void {
  respond(turn, client, frame('message', channel, payload))
}

/** Adds one subscription. Returns false when the client would exceed `MAX_SUBSCRIBED_BYTES`. */
export function subscribe(client: Client, topic: Topic, name: string): boolean {
  const names = namesOf(client, topic)
  if (names.has(name)) return true
  if (client.subscribedBytes + name.length > MAX_SUBSCRIBED_BYTES) return false
  names.add(name)
  client.subscribedBytes += name.length
  return true
}

export function unsubscribe(client: Client, topic: Topic, name: string): void {
  if (namesOf(client, topic).delete(name)) client.subscribedBytes -= name.length
}

/** `[p](un)subscribe`, the name (null when there was none to leave), and what is left in total. */
export function confirmation(client: Client, verb: string, name: string | undefined): Reply {
  const topic = name === undefined ? NULL : bulk(name)
  return { kind: 'push', items: [bulk(verb), topic, integer(subscriptionsOf(client))] }
}

export function namesOf(client: Client, topic: Topic): Set<string> {
  return topic === 'channel' ? client.channels : client.patterns
}

export function subscriptionsOf(client: Client): number {
  return client.channels.size + client.patterns.size
}

/** A RESP2 connection that listens can do little else: answers and events would look alike. */
export function isListenerOnly(client: Client): boolean {
  return client.protocol === 2 && subscriptionsOf(client) > 0
}

function frame(...words: readonly string[]): Reply {
  return { kind: 'push', items: words.map(bulk) }
}
