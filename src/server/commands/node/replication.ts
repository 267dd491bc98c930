/** The commands that replication answers itself; this file only puts them into the table. */
import { type Address, parseHostAndPort } from '../../../base/ip.ts'
import { error, type Reply } from '../../../resp/reply.ts'
import { command, type Family, type Handler } from '../../catalogue/command.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import { type Layout, parseLayout, parseTerm } from '../../replication/strict/term.ts'
import { replyLater } from '../../sessions/reply-later.ts'

const ADMIN = 'admin noscript'
const NO_HANDOVER = error(
  'ERR this node has sync-replication: SENTINEL FAILOVER hands its role over, and fences the voters',
)
const BAD_TERM = error('ERR FENCE needs a term above 0 and the name of its leader')
const FORCE_WORDS = error(
  'ERR FENCE <term> <name> FORCE <replicas> <reads> <voter> ...: docs/strict.md has the steps',
)
const TWICE = error('ERR FENCE names a voter twice')
const NO_ADDRESS = error('ERR FENCE takes voters as host:port')
const TOO_FEW = error('ERR FENCE: one replica at least must acknowledge a write beside the master')
const TOO_MANY = error(
  'ERR FENCE wants more replicas to acknowledge a write than there are voters beside the master',
)

const replicaof: Handler = ({ node, session }, argv) => node.replication.replicaof(session, argv)
const psync: Handler = ({ node, session }, argv) =>
  node.replication.serving.attachment.psync(session, argv)
const sync: Handler = ({ node, session }) => node.replication.serving.attachment.sync(session)
const replconf: Handler = ({ node, session }, argv) =>
  node.replication.serving.attachment.replconf(session, argv)
const wait: Handler = ({ node, session }, argv) =>
  node.replication.serving.waits.wait(session, argv)
const waitaof: Handler = ({ node, session }, argv) =>
  node.replication.serving.waits.waitaof(session, argv)
const role: Handler = ({ node }) => node.replication.roleReply()
const failover: Handler = ({ node }, argv) => {
  const { strict } = node.replication
  const isAbort = argv.length === 2 && argv[1]?.toLowerCase() === 'abort'
  return strict.isOn && !isAbort ? NO_HANDOVER : node.replication.failover.command(argv)
}

/**
 * `FENCE <term> <leader> ASK|FORCE <replicas> <reads> <voter> …`, `… PROMOTE`, or `… HANDOVER <host> <port> <ms>`,
 * see docs/strict.md.
 */
const fence: Handler = (context, argv) => {
  const [, number = '', leader = '', verb = '', ...words] = argv
  const term = leader === '' ? undefined : parseTerm([number, leader])
  if (term === undefined || term.number === 0) return BAD_TERM
  const { strict } = context.node.replication
  if (verb.toLowerCase() === 'promote' && words.length === 0) {
    return replyLater(context, (answer) => strict.promote(term, answer))
  }
  if (verb.toLowerCase() === 'handover') {
    const request = parseHandover(words)
    if (request === undefined) return SYNTAX_ERROR
    const { heir, limitMs } = request
    return replyLater(context, (answer) => strict.prepare(term, heir, limitMs, answer))
  }
  const layout = words.length < 3 ? undefined : parseLayout(words.join('|').toLowerCase())
  if (layout === undefined) return verb.toLowerCase() === 'force' ? FORCE_WORDS : SYNTAX_ERROR
  const fault = layoutFault(layout)
  if (fault !== undefined) return fault
  if (verb.toLowerCase() === 'force') {
    return replyLater(context, (answer) => strict.force(term, layout, answer))
  }
  if (verb.toLowerCase() !== 'ask') return SYNTAX_ERROR
  return replyLater(context, (answer) => strict.fence(term, layout, answer))
}

/** A group with such a layout would never acknowledge anything, and its term would refuse another one. */
function layoutFault({ voters, replicas }: Layout): Reply | undefined {
  if (voters.some((voter) => parseHostAndPort(voter) === undefined)) return NO_ADDRESS
  if (new Set(voters).size < voters.length) return TWICE
  if (replicas === 0) return TOO_FEW
  return replicas < voters.length ? undefined : TOO_MANY
}

function parseHandover(
  words: readonly string[],
): { readonly heir: Address; readonly limitMs: number } | undefined {
  const [host = '', port = '', limit = ''] = words
  const isNumber = /^\d{1,5}$/
  if (words.length !== 3 || host === '' || !isNumber.test(port) || !isNumber.test(limit)) {
    return undefined
  }
  return Number(limit) === 0
    ? undefined
    : { heir: { host, port: Number(port) }, limitMs: Number(limit) }
}

export const replicationFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('replicaof', 3, `${ADMIN} stale no_async_loading`, [], replicaof),
    command('slaveof', 3, `${ADMIN} stale no_async_loading`, [], replicaof),
    command('psync', -3, `${ADMIN} no_async_loading no_multi`, [], psync),
    command('sync', 1, `${ADMIN} no_async_loading no_multi`, [], sync),
    command('replconf', -1, `${ADMIN} loading stale allow_busy`, [], replconf),
    command('role', 1, 'noscript loading stale fast', [], role, {
      alsoIn: ['@admin', '@dangerous'],
    }),
    command('failover', -1, `${ADMIN} stale`, [], failover),
    // Ours: strict replication.
    command('fence', -4, `${ADMIN} stale no_multi`, [], fence),
  ],
}

export const waitFamily: Family = {
  group: 'generic',
  category: '@connection',
  commands: [
    command('wait', 3, 'noscript', [], wait, {
      tips: ['request_policy:all_shards', 'response_policy:agg_min'],
    }),
    // Since Redis 7.2.
    command('waitaof', 4, 'noscript', [], waitaof),
  ],
}
