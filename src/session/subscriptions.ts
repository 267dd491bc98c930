/**
 * What SUBSCRIBE and its family answer, how a message reaches a listener, and what users may listen
 * to. Each program keeps its own subscriptions: the data node has an index, a Sentinel has few
 * clients and no index.
 */
import { mayListen } from '../acl/check.ts'
import type { User } from '../acl/user.ts'
import { bulk, integer, NULL, type Reply } from '../resp/reply.ts'
import type { SessionClient } from './client.ts'

/** Channels and patterns together, which is the number in confirmations. */
export function subscriptionsOf({ channels, patterns }: SessionClient): number {
  return channels.size + patterns.size
}

/**
 * The names to leave: those in the request, or all; a single undefined if there is none to leave.
 */
export function namesToLeave(
  asked: readonly string[],
  current: ReadonlySet<string>,
): readonly (string | undefined)[] {
  const names = asked.length > 0 ? asked : [...current]
  return names.length > 0 ? names : [undefined]
}

/**
 * `[p](un)subscribe`, the name (null if there was none to leave), and how many subscriptions are
 * left.
 */
export function confirmation(verb: string, name: string | undefined, count: number): Reply {
  const subject = name === undefined ? NULL : bulk(name)
  return { kind: 'push', items: [bulk(verb), subject, integer(count)] }
}

/** `message`, the channel and the text; with the pattern in between if one matched. */
export function messageFrame(words: readonly string[]): Reply {
  return { kind: 'push', items: words.map(bulk) }
}

/** Whether the user may listen to all of this. */
export function mayListenTo(
  user: User,
  channels: Iterable<string>,
  patterns: Iterable<string>,
): boolean {
  return (
    [...channels].every((name) => mayListen(user, name, false)) &&
    [...patterns].every((name) => mayListen(user, name, true))
  )
}
