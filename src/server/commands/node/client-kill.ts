/** CLIENT KILL: by address, or by filters that must all match. */
import type { Account } from '../../../acl/users.ts'
import { error, integer, OK, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_CLIENT_ID, NO_SUCH_CLIENT, SYNTAX_ERROR, unknownClientType } from '../../errors.ts'
import { endpoint } from '../../sessions/addresses.ts'
import type { Session, SessionKind } from '../../sessions/session.ts'
import { clientKind } from './client-words.ts'

interface Filters {
  id?: number
  address?: string
  localAddress?: string
  kind?: SessionKind
  account?: Account
  /** The caller is left alone. */
  skipsMe: boolean
}

export function kill(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 3) {
    const killed = killMatching(context, { address: arg(argv, 2), skipsMe: false })
    return killed > 0 ? OK : NO_SUCH_CLIENT
  }
  const filters: Filters = { skipsMe: true }
  for (let at = 2; at < argv.length; at += 2) {
    const problem = addFilter(context, filters, arg(argv, at).toLowerCase(), argv[at + 1])
    if (problem !== undefined) return problem
  }
  return integer(killMatching(context, filters))
}

function addFilter(
  context: CommandContext,
  filters: Filters,
  name: string,
  value: string | undefined,
): Reply | undefined {
  if (value === undefined) return SYNTAX_ERROR
  switch (name) {
    case 'id': {
      const id = parseInteger(value)
      if (id === undefined || id < 1) return BAD_CLIENT_ID
      filters.id = id
      return undefined
    }
    case 'addr':
      filters.address = value
      return undefined
    case 'laddr':
      filters.localAddress = value
      return undefined
    case 'type': {
      const kind = clientKind(value)
      if (kind === undefined) return unknownClientType(value)
      filters.kind = kind
      return undefined
    }
    case 'user':
      return addUser(context, filters, value)
    case 'skipme':
      return setSkipsMe(filters, value.toLowerCase())
    default:
      return SYNTAX_ERROR
  }
}

function addUser({ node }: CommandContext, filters: Filters, name: string): Reply | undefined {
  const account = node.access.users.get(name)
  if (account === undefined) return error(`ERR No such user '${name}'`)
  filters.account = account
  return undefined
}

function setSkipsMe(filters: Filters, word: string): Reply | undefined {
  if (word !== 'yes' && word !== 'no') return SYNTAX_ERROR
  filters.skipsMe = word === 'yes'
  return undefined
}

function killMatching({ node, session }: CommandContext, filters: Filters): number {
  let killed = 0
  for (const candidate of [...node.sessions]) {
    if (!matches(candidate, filters)) continue
    if (candidate === session) {
      if (filters.skipsMe) continue
      node.sessions.closeAfterReply(session)
    } else {
      node.sessions.close(candidate)
    }
    killed++
  }
  return killed
}

function matches(session: Session, filters: Filters): boolean {
  const { ends } = session
  return (
    (filters.id ?? session.id) === session.id &&
    (filters.kind ?? session.kind) === session.kind &&
    (filters.account ?? session.account) === session.account &&
    isAt(filters.address, ends.remoteHost, ends.remotePort) &&
    isAt(filters.localAddress, ends.localHost, ends.localPort)
  )
}

function isAt(wanted: string | undefined, host: string, port: number): boolean {
  return wanted === undefined || wanted === endpoint(host, port)
}
