/** SUBSCRIBE and its kin, PUBLISH, PUBSUB. Each channel is confirmed by a frame of its own. */
import { matchesGlob } from '../../base/glob.ts'
import { array, bulk, bulks, integer, NULL, type Reply } from '../../resp/reply.ts'
import { arg, command, container, type Family, helpReply } from '../catalogue/command.ts'
import type { CommandContext } from '../context.ts'
import { unknownSubcommandOrArity } from '../errors.ts'
import { subscriptionsOf, type Topic } from '../sessions/pubsub.ts'
import type { Session } from '../sessions/session.ts'

function subscribe(topic: Topic, word: string) {
  return ({ node, session }: CommandContext, argv: readonly string[]): undefined => {
    for (let at = 1; at < argv.length; at++) {
      node.pubsub.subscribe(session, topic, arg(argv, at))
      confirm(session, topic, word, arg(argv, at))
    }
  }
}

/** Without names: from everything, and one frame even if that was nothing. */
function unsubscribe(topic: Topic, word: string) {
  return ({ node, session }: CommandContext, argv: readonly string[]): undefined => {
    const names = argv.length > 1 ? argv.slice(1) : [...subscriptionsOf(session, topic)]
    for (const name of names) {
      node.pubsub.unsubscribe(session, topic, name)
      confirm(session, topic, word, name)
    }
    if (names.length === 0) confirm(session, topic, word, undefined)
  }
}

function confirm(session: Session, topic: Topic, word: string, name: string | undefined): void {
  const count = topic === 'shardChannel' ? session.shardChannels.size : session.subscriptions
  const subject = name === undefined ? NULL : bulk(name)
  session.push({ kind: 'push', items: [bulk(word), subject, integer(count)] })
}

function publish(context: CommandContext, argv: readonly string[]): Reply {
  context.propagate()
  return integer(context.node.pubsub.publish(arg(argv, 1), arg(argv, 2)))
}

function shardPublish(context: CommandContext, argv: readonly string[]): Reply {
  context.propagate()
  return integer(context.node.pubsub.publishToShard(arg(argv, 1), arg(argv, 2)))
}

/** The names in use, all or those that match. */
function activeNames(topic: Topic) {
  return ({ node }: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length > 3) return unknownSubcommandOrArity('pubsub', argv[1])
    const pattern = argv[2]
    const names = node.pubsub.names(topic)
    return bulks(pattern === undefined ? names : names.filter((name) => matchesGlob(pattern, name)))
  }
}

function listenerCounts(topic: Topic) {
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

const LISTEN = 'pubsub noscript loading stale'
const ASK = 'pubsub loading stale'
const SPEAK = 'pubsub loading stale fast'

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
    command('subscribe', -2, LISTEN, [], subscribe('channel', 'subscribe')),
    command('unsubscribe', -1, LISTEN, [], unsubscribe('channel', 'unsubscribe')),
    command('psubscribe', -2, LISTEN, [], subscribe('pattern', 'psubscribe')),
    command('punsubscribe', -1, LISTEN, [], unsubscribe('pattern', 'punsubscribe')),
    command('ssubscribe', -2, LISTEN, ['1..-1 not_key'], subscribe('shardChannel', 'ssubscribe')),
    command(
      'sunsubscribe',
      -1,
      LISTEN,
      ['1..-1 not_key'],
      unsubscribe('shardChannel', 'sunsubscribe'),
    ),
    command('publish', 3, SPEAK, [], publish),
    command('spublish', 3, SPEAK, ['1 not_key'], shardPublish),
    container('pubsub', pubsubSubcommands),
  ],
}
