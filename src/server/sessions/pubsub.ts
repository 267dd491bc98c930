/**
 * Which sessions listen to which channels and patterns. Channels belong to the node, not to a
 * database; shard channels are a second, separate set of names. Nothing is kept for absent
 * listeners.
 */
import { matchesGlob } from '../../base/glob.ts'
import { messageFrame } from '../../session/subscriptions.ts'
import { Announcement } from './announcement.ts'
import { HELLO_CHANNEL } from './sentinel-board.ts'
import type { ClientSession } from './session.ts'

type Listeners = Map<string, Set<ClientSession>>

/** Which subscriptions of a session are meant. */
export type ListenerKind = 'channel' | 'pattern' | 'shardChannel'

export class PubSub {
  readonly #listeners: Readonly<Record<ListenerKind, Listeners>> = {
    channel: new Map(),
    pattern: new Map(),
    shardChannel: new Map(),
  }

  /** Names with at least one listener, in the order of their first listener. */
  names(topic: ListenerKind): string[] {
    return [...this.#listeners[topic].keys()]
  }

  listenerCount(topic: ListenerKind, name: string): number {
    return this.#listeners[topic].get(name)?.size ?? 0
  }

  subscribe(session: ClientSession, topic: ListenerKind, name: string): void {
    const listeners = this.#listeners[topic]
    const present = listeners.get(name)
    if (present === undefined) listeners.set(name, new Set([session]))
    else present.add(session)
    subscriptionsOf(session, topic).add(name)
    refreshKind(session)
  }

  unsubscribe(session: ClientSession, topic: ListenerKind, name: string): void {
    const listeners = this.#listeners[topic]
    const present = listeners.get(name)
    present?.delete(session)
    if (present?.size === 0) listeners.delete(name)
    subscriptionsOf(session, topic).delete(name)
    refreshKind(session)
  }

  /** Forgets everything the session listens to. */
  unsubscribeAll(session: ClientSession): void {
    for (const topic of ['channel', 'pattern', 'shardChannel'] as const) {
      for (const name of subscriptionsOf(session, topic)) this.unsubscribe(session, topic, name)
    }
  }

  /**
   * How many copies were delivered: one per channel and one per matching pattern of each listener.
   */
  publish(channel: string, message: string): number {
    let receivers = this.#deliver('channel', channel, ['message', channel, message])
    for (const pattern of this.#listeners.pattern.keys()) {
      if (!matchesGlob(pattern, channel)) continue
      receivers += this.#deliver('pattern', pattern, ['pmessage', pattern, channel, message])
    }
    return receivers
  }

  publishToShard(channel: string, message: string): number {
    return this.#deliver('shardChannel', channel, ['smessage', channel, message])
  }

  #deliver(topic: ListenerKind, name: string, words: readonly string[]): number {
    const listeners = this.#listeners[topic].get(name)
    if (listeners === undefined) return 0
    const message = new Announcement(messageFrame(words))
    // Sentinels hear of one another while voters are silent, too.
    const isPlain = name === HELLO_CHANNEL
    for (const listener of listeners) isPlain ? listener.tellPlain(message) : listener.tell(message)
    return listeners.size
  }
}

export function subscriptionsOf(session: ClientSession, topic: ListenerKind): Set<string> {
  switch (topic) {
    case 'channel':
      return session.channels
    case 'pattern':
      return session.patterns
    case 'shardChannel':
      return session.shardChannels
  }
}

/**
 * A client that listens changes its class: other output limits apply, CLIENT KILL TYPE pubsub finds
 * it.
 */
function refreshKind(session: ClientSession): void {
  if (session.kind === 'normal' && session.isSubscribed) session.kind = 'pubsub'
  else if (session.kind === 'pubsub' && !session.isSubscribed) session.kind = 'normal'
}
