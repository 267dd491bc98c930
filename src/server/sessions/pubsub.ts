/**
 * Who listens to which channel and pattern. Channels belong to the node, not to a database; shard
 * channels are a second, separate set of names. Nothing is kept for absent listeners.
 */
import { matchesGlob } from '../../base/glob.ts'
import { bulk, type Reply } from '../../resp/reply.ts'
import type { Session } from './session.ts'

type Listeners = Map<string, Set<Session>>

/** Which of a session's subscriptions is meant. */
export type Topic = 'channel' | 'pattern' | 'shardChannel'

export class PubSub {
  readonly #listeners: Readonly<Record<Topic, Listeners>> = {
    channel: new Map(),
    pattern: new Map(),
    shardChannel: new Map(),
  }

  /** Names somebody listens to, in the order of their first listener. */
  names(topic: Topic): string[] {
    return [...this.#listeners[topic].keys()]
  }

  listenerCount(topic: Topic, name: string): number {
    return this.#listeners[topic].get(name)?.size ?? 0
  }

  subscribe(session: Session, topic: Topic, name: string): void {
    const listeners = this.#listeners[topic]
    const present = listeners.get(name)
    if (present === undefined) listeners.set(name, new Set([session]))
    else present.add(session)
    subscriptionsOf(session, topic).add(name)
    refreshKind(session)
  }

  unsubscribe(session: Session, topic: Topic, name: string): void {
    const listeners = this.#listeners[topic]
    const present = listeners.get(name)
    present?.delete(session)
    if (present?.size === 0) listeners.delete(name)
    subscriptionsOf(session, topic).delete(name)
    refreshKind(session)
  }

  /** Forgets everything the session listens to. */
  unsubscribeAll(session: Session): void {
    for (const topic of ['channel', 'pattern', 'shardChannel'] as const) {
      for (const name of subscriptionsOf(session, topic)) this.unsubscribe(session, topic, name)
    }
  }

  /** How many copies were delivered: one per channel and one per matching pattern of each listener. */
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

  #deliver(topic: Topic, name: string, words: readonly string[]): number {
    const listeners = this.#listeners[topic].get(name)
    if (listeners === undefined) return 0
    const frame: Reply = { kind: 'push', items: words.map(bulk) }
    for (const listener of listeners) listener.push(frame)
    return listeners.size
  }
}

export function subscriptionsOf(session: Session, topic: Topic): Set<string> {
  switch (topic) {
    case 'channel':
      return session.channels
    case 'pattern':
      return session.patterns
    case 'shardChannel':
      return session.shardChannels
  }
}

/** A client that listens is of another class: its output is limited, CLIENT KILL TYPE pubsub finds it. */
function refreshKind(session: Session): void {
  if (session.kind === 'normal' && session.isSubscribed) session.kind = 'pubsub'
  else if (session.kind === 'pubsub' && !session.isSubscribed) session.kind = 'normal'
}
