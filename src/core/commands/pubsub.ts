/**
 * SUBSCRIBE and its family, and PUBLISH, by which peers hand us their hellos directly. Each name gets a
 * confirmation of its own, so these commands answer as they go and return nothing.
 */
import { error, integer, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { respond } from '../client-output.ts'
import { receiveHello } from '../hello.ts'
import { HELLO_CHANNEL } from '../hello-text.ts'
import { RETAINED_CHANNEL, replaySwitches } from '../last-switch.ts'
import type { Turn } from '../state.ts'
import { confirmation, namesOf, subscribe, type Topic, unsubscribe } from '../subscriptions.ts'
import { type Command, type CommandFlag, command } from './command.ts'

const HELLO_ONLY = error('ERR Only HELLO messages are accepted by Sentinel instances.')
const TOO_MANY = error('ERR the subscriptions of this connection take too much memory')

/**
 * A channel that retains something tells it right behind the confirmation. A pattern that matches it does
 * not: whoever takes all events takes them as news, and would take an old switch for a new one.
 */
function subscribeAll(turn: Turn, client: Client, verb: string, topic: Topic, names: Names): void {
  for (const name of names) {
    const isSubscribed = subscribe(client, topic, name)
    respond(turn, client, isSubscribed ? confirmation(client, verb, name) : TOO_MANY)
    const isRetained = topic === 'channel' && name === RETAINED_CHANNEL
    if (isSubscribed && isRetained) replaySwitches(turn, client)
  }
}

/** Without names, leaves all of that kind; having nothing to leave is worth one confirmation too. */
function unsubscribeAll(
  turn: Turn,
  client: Client,
  verb: string,
  topic: Topic,
  asked: Names,
): void {
  const names = asked.length > 0 ? asked : [...namesOf(client, topic)]
  for (const name of names) {
    unsubscribe(client, topic, name)
    respond(turn, client, confirmation(client, verb, name))
  }
  if (names.length === 0) respond(turn, client, confirmation(client, verb, undefined))
}

type Names = readonly string[]

/** Nothing is passed on to our own subscribers: their channels are ours alone. */
function publishHello(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, channel, payload = ''] = argv
  if (channel !== HELLO_CHANNEL) return HELLO_ONLY
  receiveHello(turn, payload)
  return integer(1)
}

const FLAGS: readonly CommandFlag[] = ['pubsub', 'noscript', 'loading', 'stale']

function subscriber(verb: string, topic: Topic): Command {
  const usage = `<${topic}> [<${topic}> ...]`
  const summary = `Hear the events of these ${topic}s.`
  return command(
    { name: verb, arity: -2, group: 'pubsub', since: '2.0.0', flags: FLAGS, usage, summary },
    (turn, client, [, ...names]) => {
      subscribeAll(turn, client, verb, topic, names)
      return undefined
    },
  )
}

function unsubscriber(verb: string, topic: Topic): Command {
  const usage = `[<${topic}> ...]`
  const summary = `Stop hearing the events of these ${topic}s, or of all.`
  return command(
    { name: verb, arity: -1, group: 'pubsub', since: '2.0.0', flags: FLAGS, usage, summary },
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
      usage: `${HELLO_CHANNEL} <hello>`,
      summary: 'Hand over the hello of another Sentinel.',
    },
    publishHello,
  ),
]
