/**
 * Which clients get which event. Events are rare and clients few compared with a data node, so
 * subscriptions are kept with the client alone: no index that could disagree with it when a
 * connection goes.
 */
import { matchesGlob } from '../../base/glob.ts'
import { messageFrame, subscriptionsOf } from '../../session/subscriptions.ts'
import type { EventName } from '../event-table.ts'
import type { Turn } from '../state.ts'
import type { Client } from './client.ts'
import { respond } from './client-output.ts'

/** The bytes of names that one connection can make us remember. */
export const MAX_SUBSCRIBED_BYTES = 1024 * 1024

/** `channel` or `pattern`: the two kinds of names a client can be subscribed to. */
export type SubscriptionKind = 'channel' | 'pattern'

/**
 * Sends an event to all subscribers: once for its channel, and once more for each pattern it
 * matches. Not all are told the same addresses.
 */
export function publish(
  turn: Turn,
  channel: EventName,
  payloadFor: (client: Client) => string,
): void {
  for (const client of turn.state.clients.values()) {
    if (client.channels.has(channel)) tell(turn, client, channel, payloadFor(client))
    for (const pattern of client.patterns) {
      if (!matchesGlob(pattern, channel)) continue
      respond(turn, client, messageFrame(['pmessage', pattern, channel, payloadFor(client)]))
    }
  }
}

/** Sends an event to one client alone, which is subscribed to this channel. */
export function tell(turn: Turn, client: Client, channel: EventName, payload: string): void {
  respond(turn, client, messageFrame(['message', channel, payload]))
}

/** Adds one subscription. Returns false when the client would exceed `MAX_SUBSCRIBED_BYTES`. */
export function subscribe(client: Client, topic: SubscriptionKind, name: string): boolean {
  const names = namesOf(client, topic)
  if (names.has(name)) return true
  if (client.subscribedBytes + name.length > MAX_SUBSCRIBED_BYTES) return false
  names.add(name)
  client.subscribedBytes += name.length
  return true
}

export function unsubscribe(client: Client, topic: SubscriptionKind, name: string): void {
  if (namesOf(client, topic).delete(name)) client.subscribedBytes -= name.length
}

export function namesOf(client: Client, topic: SubscriptionKind): Set<string> {
  return topic === 'channel' ? client.channels : client.patterns
}

/**
 * A RESP2 connection with subscriptions can do little else: answers and events would look alike.
 */
export function isListenerOnly(client: Client): boolean {
  return client.protocol === 2 && subscriptionsOf(client) > 0
}
