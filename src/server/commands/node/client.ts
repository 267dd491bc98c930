/** CLIENT: what a connection can say about itself and do to other connections. */
import { cString } from '../../../base/c-string.ts'
import { integer, OK, type Reply } from '../../../resp/reply.ts'
import * as client from '../../../session/client.ts'
import {
  killReply,
  type ListChoice,
  parseKill,
  parseList,
  parsePause,
  parseUnblock,
  passesFilter,
} from '../../../session/client-choice.ts'
import type { ShowWord } from '../../../session/errors.ts'
import { changeTracking, redirectOf, sayCaching, trackingInfo } from '../../../session/tracking.ts'
import {
  command,
  container,
  type Family,
  type Handler,
  helpReply,
} from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import { SYNTAX_ERROR, TIMEOUT_OUT_OF_RANGE, UNBLOCKED_BY_CLIENT } from '../../errors.ts'
import { clientLine } from '../../sessions/client-line.ts'
import type { ClientSession } from '../../sessions/session.ts'

const MAX_INT64 = 2 ** 63

function id({ session }: CommandContext): Reply {
  return integer(session.id)
}

/** For a subcommand that concerns its own connection only, and is the same in a Sentinel. */
function own(
  run: (
    session: client.SessionClient,
    argv: readonly string[],
    show: ShowWord,
  ) => Reply | undefined,
): Handler {
  return ({ session }, argv) => run(session, argv, cString)
}

const getName = own(client.getName)
const setName = own(client.setName)
const setInfo = own(client.setInfo)
const replyMode = own(client.setReplies)
const noEvict = own(client.setNoEvict)

/** Of Valkey: what this client understands. Unknown words are passed over, as there. */
function capa({ session }: CommandContext, argv: readonly string[]): Reply {
  if (argv.slice(2).some((word) => word.toLowerCase() === 'redirect')) session.takesRedirects = true
  return OK
}

function maintNotifications(
  { node, session, now }: CommandContext,
  argv: readonly string[],
): Reply {
  return node.handoffs.command(session, argv, now.monoMs)
}

/** Only remembered here; execution.ts acts on it. */
function noTouch({ session }: CommandContext, argv: readonly string[]): Reply {
  const isOn = client.parseOnOff(argv[2])
  if (isOn === undefined) return SYNTAX_ERROR
  session.noTouch = isOn
  return OK
}

function info({ node, session, now }: CommandContext, argv: readonly string[]): Reply {
  return textReply(`${clientLine(node, session, now.monoMs, argv)}\n`)
}

function list({ node, session: asking, now }: CommandContext, argv: readonly string[]): Reply {
  const choice = parseList(argv, cString)
  if ('kind' in choice) return choice
  let lines = ''
  for (const session of chosenBy(choice, node)) {
    const request = session === asking ? argv : undefined
    lines += `${clientLine(node, session, now.monoMs, request)}\n`
  }
  return textReply(lines)
}

function chosenBy(choice: ListChoice, node: NodeServices): readonly ClientSession[] {
  const all = everyClient(node)
  switch (choice.by) {
    case 'nothing':
      return all
    case 'type':
      return all.filter(({ kind }) => kind === choice.type)
    case 'id':
      return choice.ids.flatMap((id) => all.find((session) => session.id === id) ?? [])
  }
}

/** The connection to our master is listed with those to us. */
function everyClient({ sessions, replication }: NodeServices): readonly ClientSession[] {
  const master = replication.masterClient()
  return master === undefined ? [...sessions] : [...sessions, master]
}

function kill({ node, session, now }: CommandContext, argv: readonly string[]): Reply {
  const request = parseKill(argv, node.access.users, cString)
  if ('kind' in request) return request
  // If a filter is given twice, the last one counts, as in Redis.
  const filters = [...new Map(request.filters.map((one) => [one.name, one])).values()]
  const isByType = filters.length === 1 && filters[0]?.name === 'type'
  let killed = 0
  for (const candidate of everyClient(node)) {
    if (!filters.every((filter) => passesFilter(filter, candidate, candidate.kind, now.monoMs)))
      continue
    if (isByType && node.handoffs.isSpared(candidate, now.monoMs)) continue
    if (candidate.kind === 'master') node.replication.killMasterClient()
    else if (candidate !== session) node.sessions.close(candidate)
    else if (request.skipsMe) continue
    else node.sessions.closeAfterReply(session)
    killed++
  }
  return killReply(argv, killed)
}

function textReply(text: string): Reply {
  return { kind: 'verbatim', format: 'txt', text }
}

function pause({ node, now }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 4) return SYNTAX_ERROR
  const request = parsePause(argv)
  if ('kind' in request) return request
  const { durationMs, scope } = request
  // The pause has to end before the last moment that 64 bits hold, as servers since Redis 7.2
  // check.
  if (durationMs > MAX_INT64 - now.wallMs) return TIMEOUT_OUT_OF_RANGE
  node.pause.start(now.monoMs + durationMs, scope)
  return OK
}

function unpause({ node }: CommandContext): Reply {
  node.pause.end()
  node.replication.strict.unpaused()
  return OK
}

function unblock({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 4) return SYNTAX_ERROR
  const request = parseUnblock(argv)
  if ('kind' in request) return request
  const target = node.sessions.get(request.id)
  if (target?.blocked === undefined) return integer(0)
  const isError = request.reason === 'error'
  // As in Redis, also where the answer is that of a time-out.
  if (target.blockedRun !== undefined) target.blockedRun.command.failedCalls++
  node.blocking.unblock(target, isError ? UNBLOCKED_BY_CLIENT : target.blocked.onTimeout())
  return integer(1)
}

function tracking({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const before = session.tracking
  const reply = changeTracking(session, argv, (id) => node.sessions.get(id) !== undefined)
  if (reply === OK) node.tracking.changed(session, before)
  return reply
}

function caching({ session }: CommandContext, argv: readonly string[]): Reply {
  return sayCaching(session, argv)
}

function getRedir({ session }: CommandContext): Reply {
  return integer(redirectOf(session))
}

function describeTracking({ session }: CommandContext): Reply {
  return trackingInfo(session, session.isRedirectBroken)
}

function help(): Reply {
  return helpReply('CLIENT', [
    'CACHING (YES|NO)',
    '    Whether the keys of the next command are tracked.',
    'GETNAME',
    '    Name of this connection.',
    'GETREDIR',
    '    Connection that is told of changed keys.',
    'ID',
    '    Id of this connection.',
    'INFO',
    '    What CLIENT LIST says about this connection.',
    'KILL <ip:port>',
    '    Close one connection.',
    'KILL <filter> <value> [...]',
    '    Close all that match: ID, ADDR, LADDR, TYPE, USER, MAXAGE, SKIPME (yes|no).',
    'LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB) | ID <id> [...]]',
    '    One line per connection.',
    'MAINT_NOTIFICATIONS ON [MOVING-ENDPOINT-TYPE <type>] | OFF',
    '    Be told where to go before this node hands over.',
    'NO-EVICT (ON|OFF)',
    '    Whether this connection may be closed when memory is short.',
    'NO-TOUCH (ON|OFF)',
    '    Whether reading a key counts as using it.',
    'PAUSE <ms> [WRITE|ALL]',
    '    Hold back commands for a while.',
    'REPLY (ON|OFF|SKIP)',
    '    Whether this connection is answered.',
    'SETINFO <LIB-NAME|LIB-VER> <value>',
    '    Library behind this connection.',
    'SETNAME <name>',
    '    Name this connection.',
    'TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
    '         [OPTIN] [OPTOUT] [NOLOOP]',
    '    Be told when keys change that this connection has read.',
    'TRACKINGINFO',
    '    What this connection is told.',
    'UNBLOCK <id> [TIMEOUT|ERROR]',
    '    End the wait of a blocked connection.',
    'UNPAUSE',
    '    End a pause.',
  ])
}

const OWN = 'noscript loading stale'
const ADMIN = 'admin noscript loading stale'

const clientSubcommands = [
  command('caching', 3, OWN, [], caching),
  command('capa', -3, OWN, [], capa),
  command('getname', 2, OWN, [], getName),
  command('getredir', 2, OWN, [], getRedir),
  command('help', 2, 'loading stale', [], help),
  command('id', 2, OWN, [], id),
  command('info', 2, OWN, [], info, VARYING),
  command('kill', -3, ADMIN, [], kill),
  command('list', -2, ADMIN, [], list, VARYING),
  command('maint_notifications', -3, OWN, [], maintNotifications),
  command('no-evict', 3, ADMIN, [], noEvict),
  command('no-touch', 3, OWN, [], noTouch),
  command('pause', -3, ADMIN, [], pause),
  command('reply', 3, OWN, [], replyMode),
  command('setinfo', 4, OWN, [], setInfo),
  command('setname', 3, OWN, [], setName),
  command('tracking', -3, OWN, [], tracking),
  command('trackinginfo', 2, OWN, [], describeTracking),
  command('unblock', -3, ADMIN, [], unblock),
  command('unpause', 2, ADMIN, [], unpause),
]

export const clientFamily: Family = {
  group: 'connection',
  category: '@connection',
  commands: [container('client', clientSubcommands)],
}
