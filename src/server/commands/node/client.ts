/** CLIENT: what a connection can say about itself and do to others. */
import { bulk, error, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_CLIENT_NAME,
  badClientInfo,
  INVALID_CLIENT_ID,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
  UNBLOCKED_BY_CLIENT,
  unknownClientType,
  unrecognizedOption,
} from '../../errors.ts'
import { clientLine } from '../../sessions/client-line.ts'
import type { Session } from '../../sessions/session.ts'
import { kill } from './client-kill.ts'
import { clientKind, isClientName } from './client-words.ts'

function id({ session }: CommandContext): Reply {
  return integer(session.id)
}

function getName({ session }: CommandContext): Reply {
  return session.name === '' ? NULL : bulk(session.name)
}

function setName({ session }: CommandContext, argv: readonly string[]): Reply {
  const name = arg(argv, 2)
  if (!isClientName(name)) return BAD_CLIENT_NAME
  session.name = name
  return OK
}

function setInfo({ session }: CommandContext, argv: readonly string[]): Reply {
  const attribute = arg(argv, 2).toLowerCase()
  const value = arg(argv, 3)
  if (attribute !== 'lib-name' && attribute !== 'lib-ver') return unrecognizedOption(argv[2])
  if (!isClientName(value)) return badClientInfo(attribute)
  if (attribute === 'lib-name') session.libraryName = value
  else session.libraryVersion = value
  return OK
}

function info({ session, now }: CommandContext): Reply {
  return textReply(`${clientLine(session, now.monoMs)}\n`)
}

function list({ node, now }: CommandContext, argv: readonly string[]): Reply {
  const chosen = chooseClients(argv)
  if (typeof chosen !== 'function') return chosen
  let lines = ''
  for (const session of node.sessions) {
    if (chosen(session)) lines += `${clientLine(session, now.monoMs)}\n`
  }
  return textReply(lines)
}

/** CLIENT LIST without options, or of one type, or of some ids. */
function chooseClients(argv: readonly string[]): ((session: Session) => boolean) | Reply {
  if (argv.length === 2) return () => true
  const option = arg(argv, 2).toUpperCase()
  if (option === 'TYPE' && argv.length === 4) {
    const kind = clientKind(arg(argv, 3))
    return kind === undefined ? unknownClientType(argv[3]) : (session) => session.kind === kind
  }
  if (option !== 'ID' || argv.length < 4) return SYNTAX_ERROR
  const ids = new Set(argv.slice(3).map(parseInteger))
  return ids.has(undefined) ? INVALID_CLIENT_ID : (session) => ids.has(session.id)
}

function textReply(text: string): Reply {
  return { kind: 'verbatim', format: 'txt', text }
}

function pause({ node, now }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 4) return SYNTAX_ERROR
  const scope = (argv[3] ?? 'ALL').toUpperCase()
  if (scope !== 'ALL' && scope !== 'WRITE') {
    return error('ERR CLIENT PAUSE mode must be WRITE or ALL')
  }
  const durationMs = parseInteger(argv[2])
  if (durationMs === undefined) return TIMEOUT_NOT_AN_INTEGER
  if (durationMs < 0) return TIMEOUT_NEGATIVE
  node.pause.start(now.monoMs + durationMs, scope === 'ALL' ? 'all' : 'writes')
  return OK
}

function unpause({ node }: CommandContext): Reply {
  node.pause.end()
  return OK
}

function replyMode({ session }: CommandContext, argv: readonly string[]): Reply | undefined {
  switch (arg(argv, 2).toUpperCase()) {
    case 'ON':
      session.replyMode = 'on'
      return OK
    case 'OFF':
      session.replyMode = 'off'
      return undefined
    case 'SKIP':
      if (session.replyMode !== 'off') session.replyMode = 'skipNext'
      return undefined
    default:
      return SYNTAX_ERROR
  }
}

/** For `NO-EVICT` and `NO-TOUCH`, which this node has no use for but remembers. */
function onOff(set: (session: Session, isOn: boolean) => void) {
  return ({ session }: CommandContext, argv: readonly string[]): Reply => {
    const word = arg(argv, 2).toLowerCase()
    if (word !== 'on' && word !== 'off') return SYNTAX_ERROR
    set(session, word === 'on')
    return OK
  }
}

const noEvict = onOff((session, isOn) => {
  session.noEvict = isOn
})

const noTouch = onOff((session, isOn) => {
  session.noTouch = isOn
})

function unblock({ node }: CommandContext, argv: readonly string[]): Reply {
  const reason = (argv[3] ?? 'TIMEOUT').toUpperCase()
  if (argv.length > 4) return SYNTAX_ERROR
  if (reason !== 'TIMEOUT' && reason !== 'ERROR') {
    return error('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
  }
  const sessionId = parseInteger(argv[2])
  if (sessionId === undefined) return NOT_AN_INTEGER
  const target = node.sessions.get(sessionId)
  if (target?.blocked === undefined) return integer(0)
  node.unblock(target, reason === 'ERROR' ? UNBLOCKED_BY_CLIENT : target.blocked.onTimeout())
  return integer(1)
}

function help(): Reply {
  return helpReply('CLIENT', [
    'GETNAME',
    '    Name of this connection.',
    'ID',
    '    Id of this connection.',
    'INFO',
    '    What CLIENT LIST says about this connection.',
    'KILL <ip:port>',
    '    Close one connection.',
    'KILL <filter> <value> [...]',
    '    Close all that match: ID, ADDR, LADDR, TYPE, USER, SKIPME (yes|no).',
    'LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB) | ID <id> [...]]',
    '    One line per connection.',
    'NO-EVICT (ON|OFF)',
    '    Remembered only.',
    'NO-TOUCH (ON|OFF)',
    '    Remembered only.',
    'PAUSE <ms> [WRITE|ALL]',
    '    Hold back commands for a while.',
    'REPLY (ON|OFF|SKIP)',
    '    Whether this connection is answered.',
    'SETINFO <LIB-NAME|LIB-VER> <value>',
    '    Library behind this connection.',
    'SETNAME <name>',
    '    Name this connection.',
    'UNBLOCK <id> [TIMEOUT|ERROR]',
    '    End the wait of a blocked connection.',
    'UNPAUSE',
    '    End a pause.',
  ])
}

const OWN = 'noscript loading stale'
const ADMIN = 'admin noscript loading stale'

const clientSubcommands = [
  command('getname', 2, OWN, [], getName),
  command('help', 2, 'loading stale', [], help),
  command('id', 2, OWN, [], id),
  command('info', 2, OWN, [], info),
  command('kill', -3, ADMIN, [], kill),
  command('list', -2, ADMIN, [], list),
  command('no-evict', 3, ADMIN, [], noEvict),
  command('no-touch', 3, OWN, [], noTouch),
  command('pause', -3, ADMIN, [], pause),
  command('reply', 3, OWN, [], replyMode),
  command('setinfo', 4, OWN, [], setInfo),
  command('setname', 3, OWN, [], setName),
  command('unblock', -3, ADMIN, [], unblock),
  command('unpause', 2, ADMIN, [], unpause),
]

export const clientFamily: Family = {
  group: 'connection',
  category: '@connection',
  commands: [container('client', clientSubcommands)],
}
