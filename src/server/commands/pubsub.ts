/** SUBSCRIBE and similar, PUBLISH, PUBSUB. Each channel is confirmed by a frame of its own. */
import { matchesGlob } from '../../base/glob.ts'
import { array, bulk, bulks, error, integer, type Reply } from '../../resp/reply.ts'
import { confirmation, namesToLeave } from '../../session/subscriptions.ts'
import { arg, command, container, type Family, helpReply } from '../catalogue/command.ts'
import type { CommandContext } from '../context.ts'
import { unknownSubcommandOrArity } from '../errors.ts'
import { type ListenerKind, subscriptionsOf } from '../sessions/pubsub.ts'
import { HELLO_CHANNEL } from '../sessions/sentinel-board.ts'
import type { ClientSession } from '../sessions/session.ts'

const NOT_INSIDE = error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")

function subscribe(topic: ListenerKind, word: string) {
  return ({ node, session }: CommandContext, argv: readonly string[]): undefined => {
    for (let at = 1; at < argv.length; at++) {
      node.pubsub.subscribe(session, topic, arg(argv, at))
      confirm(session, topic, word, arg(argv, at))
    }
  }
}

const subscribeToShard = subscribe('shardChannel', 'ssubscribe')

/** In a transaction only SUBSCRIBE and PSUBSCRIBE are carried out, as ever. */
function shardSubscribe(context: CommandContext, argv: readonly string[]): Reply | undefined {
  return context.session.mayBlock ? subscribeToShard(context, argv) : NOT_INSIDE
}

/**
 * Without names, unsubscribes from everything, and sends one frame even if there was nothing to
 * leave.
 */
function unsubscribe(topic: ListenerKind, word: string) {
  return ({ node, session }: CommandContext, argv: readonly string[]): undefined => {
    for (const name of namesToLeave(argv.slice(1), subscriptionsOf(session, topic))) {
      if (name !== undefined) node.pubsub.unsubscribe(session, topic, name)
      confirm(session, topic, word, name)
    }
  }
}

function confirm(
  session: ClientSession,
  topic: ListenerKind,
  word: string,
  name: string | undefined,
): void {
  const count = topic === 'shardChannel' ? session.shardChannels.size : session.subscriptions
  session.push(confirmation(word, name, count))
}

function publish(context: CommandContext, argv: readonly string[]): Reply {
  const { node, session, now } = context
  const isHello = arg(argv, 1) === HELLO_CHANNEL
  // While writes wait, for a handover perhaps, the history must stand still. Sentinels say hello to replicas, too.
  if (!isHello || node.pause.scope === undefined) context.propagate()
  if (isHello) node.sentinels.note(session, arg(argv, 2), now.monoMs)
  return integer(node.pubsub.publish(arg(argv, 1), arg(argv, 2)))
}

function shardPublish(context: CommandContext, argv: readonly string[]): Reply {
  context.propagate()
  return integer(context.node.pubsub.publishToShard(arg(argv, 1), arg(argv, 2)))
}

/** The names in use: all of them, or those that match a pattern. */
function activeNames(topic: ListenerKind) {
  return ({ node }: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length > 3) return unknownSubcommandOrArity('pubsub', argv[1])
    const pattern = argv[2]
    const names = node.pubsub.names(topic)
    return bulks(pattern === undefined ? names : names.filter((name) => matchesGlob(pattern, name)))
  }
}

function listenerCounts(topic: ListenerKind) {
  return ({ node }: CommandContext, argv: readonly string[]): Reply =>
    array(
      argv
        .slice(2)
        .flatMap((name) => [bulk(name), integer(node.pubsub.listenerCount(topic, name))]),
    )
}

function patternCount({ node }: CommandContext): Reply {
  return integer(node.pubsub.names('pattern').length)
}

function help(): Reply {
  return helpReply('PUBSUB', [
    'CHANNELS [<pattern>]',
    '    Channels somebody listens to.',
    'NUMPAT',
    '    How many patterns are listened to.',
    'NUMSUB [<channel> [...]]',
    '    Listeners of each channel.',
    'SHARDCHANNELS [<pattern>]',
    '    Shard channels somebody listens to.',
    'SHARDNUMSUB [<channel> [...]]',
    '    Listeners of each shard channel.',
  ])
}

const LISTEN = 'pubsub noscript loading stale subscribed'
const ASK = 'pubsub loading stale'
const SPEAK = 'pubsub loading stale fast may_replicate message'

const pubsubSubcommands = [
  command('channels', -2, ASK, [], activeNames('channel')),
  command('help', 2, 'loading stale', [], help),
  command('numpat', 2, ASK, [], patternCount),
  command('numsub', -2, ASK, [], listenerCounts('channel')),
  command('shardchannels', -2, ASK, [], activeNames('shardChannel')),
  command('shardnumsub', -2, ASK, [], listenerCounts('shardChannel')),
]

export const pubsubFamily: Family = {
  group: 'pubsub',
  category: undefined,
  commands: [
    command('subscribe', -2, LISTEN, [], subscribe('channel', 'subscribe'), { channels: 'all' }),
    command('unsubscribe', -1, LISTEN, [], unsubscribe('channel', 'unsubscribe')),
    command('psubscribe', -2, LISTEN, [], subscribe('pattern', 'psubscribe'), {
      channels: 'patterns',
    }),
    command('punsubscribe', -1, LISTEN, [], unsubscribe('pattern', 'punsubscribe')),
    command('ssubscribe', -2, LISTEN, ['1..-1 not_key'], shardSubscribe, {
      channels: 'all',
    }),
    command(
      'sunsubscribe',
      -1,
      LISTEN,
      ['1..-1 not_key'],
      unsubscribe('shardChannel', 'sunsubscribe'),
    ),
    command('publish', 3, SPEAK, [], publish, { channels: 'first' }),
    command('spublish', 3, SPEAK, ['1 not_key'], shardPublish, {
      channels: 'first',
    }),
    container('pubsub', pubsubSubcommands),
  ],
}
