/**
 * SUBSCRIBE and its family, and PUBLISH, with which peers send us their hellos directly. Each name
 * gets a confirmation of its own, so these commands answer as they go and return nothing.
 */
import { error, integer, type Reply } from '../../resp/reply.ts'
import { confirmation, namesToLeave, subscriptionsOf } from '../../session/subscriptions.ts'
import type { Client } from '../clients/client.ts'
import { respond } from '../clients/client-output.ts'
import { namesOf, type SubscriptionKind, subscribe, unsubscribe } from '../clients/subscriptions.ts'
import { HELLO_CHANNEL } from '../discovery/hello-format.ts'
import { receiveHello } from '../discovery/hello-receive.ts'
import { RETAINED_CHANNEL, replaySwitches } from '../failover/last-switch.ts'
import type { Turn } from '../state.ts'
import { command, type PortCommand } from './command.ts'

const HELLO_ONLY = error('ERR Only HELLO messages are accepted by Sentinel instances.')
const TOO_MANY = error('ERR the subscriptions of this connection take too much memory')

/**
 * A channel that retains its last event sends it right after the confirmation. A pattern that
 * matches the channel does not: a client that subscribes to all events takes each for news, and
 * would take an old switch for a new one.
 */
function subscribeAll(
  turn: Turn,
  client: Client,
  verb: string,
  topic: SubscriptionKind,
  names: Names,
): void {
  for (const name of names) {
    const isSubscribed = subscribe(client, topic, name)
    const confirmed = confirmation(verb, name, subscriptionsOf(client))
    respond(turn, client, isSubscribed ? confirmed : TOO_MANY)
    const isRetained = topic === 'channel' && name === RETAINED_CHANNEL
    if (isSubscribed && isRetained) replaySwitches(turn, client)
  }
}

/**
 * Without names, leaves all of that kind; a client that has none to leave still gets one
 * confirmation.
 */
function unsubscribeAll(
  turn: Turn,
  client: Client,
  verb: string,
  topic: SubscriptionKind,
  asked: Names,
): void {
  for (const name of namesToLeave(asked, namesOf(client, topic))) {
    if (name !== undefined) unsubscribe(client, topic, name)
    respond(turn, client, confirmation(verb, name, subscriptionsOf(client)))
  }
}

type Names = readonly string[]

/** Our own subscribers never get what a client publishes: their channels are ours alone. */
function publishHello(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, channel, payload = ''] = argv
  if (channel !== HELLO_CHANNEL) return HELLO_ONLY
  receiveHello(turn, payload)
  return integer(1)
}

/** What all these commands have in common, see command.ts. */
const LISTENING = {
  group: 'pubsub',
  since: '2.0.0',
  flags: ['pubsub', 'noscript', 'loading', 'stale'],
  isForListeners: true,
} as const

function subscriber(verb: string, topic: SubscriptionKind): PortCommand {
  const channels = topic === 'pattern' ? 'patterns' : 'all'
  const usage = `<${topic}> [<${topic}> ...]`
  const summary = `Hear the events of these ${topic}s.`
  return command(
    { ...LISTENING, name: verb, arity: -2, channels, usage, summary },
    (turn, client, [, ...names]) => {
      subscribeAll(turn, client, verb, topic, names)
      return undefined
    },
  )
}

function unsubscriber(verb: string, topic: SubscriptionKind): PortCommand {
  const usage = `[<${topic}> ...]`
  const summary = `Stop hearing the events of these ${topic}s, or of all.`
  return command(
    { ...LISTENING, name: verb, arity: -1, usage, summary },
    (turn, client, [, ...names]) => {
      unsubscribeAll(turn, client, verb, topic, names)
      return undefined
    },
  )
}

export const PUBSUB_COMMANDS = [
  subscriber('subscribe', 'channel'),
  subscriber('psubscribe', 'pattern'),
  unsubscriber('unsubscribe', 'channel'),
  unsubscriber('punsubscribe', 'pattern'),
  command(
    {
      name: 'publish',
      arity: 3,
      group: 'pubsub',
      since: '2.0.0',
      flags: ['pubsub', 'loading', 'stale', 'fast'],
      channels: 'first',
      usage: `${HELLO_CHANNEL} <hello>`,
      summary: 'Hand over the hello of another Sentinel.',
    },
    publishHello,
  ),
]
