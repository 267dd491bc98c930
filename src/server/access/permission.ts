/** Whether a client's user may give a command, with the keys and channels it names. */
import {
  type AclRequest,
  type ChannelUse,
  type Denial,
  denial,
  type KeyUse,
  mayReadAll,
} from '../../acl/check.ts'
import { deniedObject, noPermission, noPermissionAnyMore } from '../../acl/refusal-texts.ts'
import type { Reply } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import { type KeyPlace, keyPlaces } from '../catalogue/key-spec.ts'
import type { CommandContext, NodeServices } from '../context.ts'
import { clientLine } from '../sessions/client-line.ts'
import type { Session } from '../sessions/session.ts'

/** The error that answers the command, which is noted in ACL LOG; undefined: he may. */
export function permissionRefusal(
  node: NodeServices,
  session: Session,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  const context = session.transaction === undefined ? 'toplevel' : 'multi'
  const denied = deniedTo(node, session, command, argv, context)
  return denied && noPermission(denied, command.fullName)
}

/** The same for a command of a transaction that is carried out: rules may have changed since. */
export function refusalAtExec(
  node: NodeServices,
  session: Session,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  const denied = deniedTo(node, session, command, argv, 'multi')
  return denied && noPermissionAnyMore(denied)
}

/** Whether a command may read keys that are no arguments of it, as SORT's patterns do. */
export function mayReadAnyKey({ node, session }: CommandContext, argv: readonly string[]): boolean {
  const { account } = session
  if (account === undefined || account.isUnrestricted) return true
  const command = node.table.find(argv)
  return command === undefined || mayReadAll(account.user, aclRequest(command, argv))
}

/** The master's stream belongs to nobody and may do everything. */
function deniedTo(
  node: NodeServices,
  session: Session,
  command: CommandInfo,
  argv: readonly string[],
  context: 'toplevel' | 'multi',
): Denial | undefined {
  const { account } = session
  if (account === undefined || account.isUnrestricted) return undefined
  const request = aclRequest(command, argv)
  const denied = denial(account.user, request)
  if (denied === undefined) return undefined
  const object = deniedObject(denied, request)
  note(node, session, { reason: denied.reason, context, object, username: account.name })
  return denied
}

interface Noted {
  readonly reason: Denial['reason'] | 'auth'
  readonly context: 'toplevel' | 'multi'
  readonly object: string
  readonly username: string
}

/** Adds an entry to ACL LOG. */
export function note({ access, clock }: NodeServices, session: Session, noted: Noted): void {
  const nowMs = clock().monoMs
  access.log.add({ ...noted, clientInfo: clientLine(session, nowMs) }, nowMs)
}

export function aclRequest(command: CommandInfo, argv: readonly string[]): AclRequest {
  return {
    name: command.fullName,
    isForEverybody: command.isNoAuth,
    argv,
    keys: () => keyUses(command, argv),
    channels: () => channelUses(command.fullName, argv),
  }
}

/** Arguments that do not say where the keys are will be refused by the command itself. */
function keyUses({ fullName, keySpecs }: CommandInfo, argv: readonly string[]): readonly KeyUse[] {
  const places = keyPlaces(keySpecs, argv) ?? []
  return places.filter(({ flags }) => !flags.includes('not_key')).map(toUse(fullName, argv))
}

const WRITING: readonly string[] = ['insert', 'delete', 'update']

function toUse(name: string, argv: readonly string[]): (place: KeyPlace) => KeyUse {
  return ({ at, flags }) => ({
    at,
    // SET reads only with GET.
    reads: flags.includes('access') && (name !== 'set' || hasGet(argv)),
    writes:
      WRITING.some((flag) => flags.includes(flag)) && !(name === 'bitfield' && onlyGets(argv)),
  })
}

/** What BITFIELD's reading words take after themselves. */
const BITFIELD_WORDS = new Map([
  ['get', 2],
  ['overflow', 1],
])

function onlyGets(argv: readonly string[]): boolean {
  for (let at = 2; at < argv.length; at++) {
    const words = BITFIELD_WORDS.get(argv[at]?.toLowerCase() ?? '')
    if (words === undefined || at + words >= argv.length) return false
    at += words
  }
  return true
}

function hasGet(argv: readonly string[]): boolean {
  return argv.slice(3).some((word) => word.toLowerCase() === 'get')
}

function channelUses(name: string, argv: readonly string[]): readonly ChannelUse[] {
  switch (name) {
    case 'publish':
    case 'spublish':
      return [{ at: 1, isPattern: false }]
    case 'subscribe':
    case 'ssubscribe':
    case 'psubscribe':
      return argv.slice(1).map((_, index) => ({ at: index + 1, isPattern: name === 'psubscribe' }))
    default:
      return []
  }
}
