/** How we authenticate to an instance, and where the operator configured it. */
import type { Reply } from '../../resp/reply.ts'
import type { GroupConfig, SentinelConfig } from '../config.ts'
import { describe } from '../events.ts'
import { GROUP_OPTIONS } from '../group-options.ts'
import type { Connection, DataInstance, Instance, State, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { redialAtOnce } from './links.ts'

export interface AuthCredentials {
  /** The arguments of AUTH; empty if none is sent. */
  readonly words: readonly string[]
  /** The options they come from, for the operator who has to correct them. */
  readonly source: string
}

/** Data nodes get the group's credentials; peers get sentinel-user and -pass, or our own password. */
export function credentialsFor(state: State, instance: Instance): AuthCredentials {
  return instance.kind === 'sentinel' ? forPeers(state.config) : forDataNodes(instance)
}

function forDataNodes(instance: DataInstance): AuthCredentials {
  const { name, authUser, authPassAlso } = instance.group.config
  const pass = GROUP_OPTIONS.authPass.name
  const passes = authPassAlso.length === 0 ? pass : `${pass}, ${GROUP_OPTIONS.authPassAlso.name}`
  const option = authUser === '' ? passes : `${GROUP_OPTIONS.authUser.name} and ${passes}`
  return { words: wordsOf(authUser, passwordFor(instance)), source: `${option} of group ${name}` }
}

/** Each password once, in the order in which they are tried. */
function passwordsOf({ authPass, authPassAlso }: GroupConfig): readonly string[] {
  return [...new Set([authPass, ...authPassAlso])].filter((pass) => pass !== '')
}

/** The one that this node took last, or else the one that a node of the group took last, or the first. */
function passwordFor({ link, group }: DataInstance): string {
  const passwords = passwordsOf(group.config)
  const known = [link.password, group.password].find((one) => one && passwords.includes(one))
  return known ?? passwords[0] ?? ''
}

/**
 * A node has refused our password: the next one is tried at once, on new connections, because what was sent
 * behind AUTH is refused as well. False if each has been tried, or this is no refusal of a password.
 */
export function tryNextPassword(turn: Turn, connection: Connection, reply: Reply): boolean {
  const { link } = connection
  const [instance] = link.owners
  if (instance === undefined || instance.kind === 'sentinel') return false
  const passwords = passwordsOf(instance.group.config)
  if (reply.kind !== 'error') {
    notePassword(turn, instance, passwords)
    return false
  }
  if (!isRefusal(reply.text)) return false
  const next = passwords[(passwords.indexOf(passwordFor(instance)) + 1) % passwords.length]
  if (connection.channel === 'pubsub') {
    // The connection for commands may still be admitted by the old password: it is left alone, and
    // the next subscription shows the next password. If both were opened anew, it is refused as well, and would pass
    // over the password that nothing has shown yet.
    const isAlone = link.command !== undefined && link.command.openedAtMs < connection.openedAtMs
    if (isAlone && link.authRefusal === undefined) link.password = next
    return false
  }
  link.passwordsRefused = (link.passwordsRefused + 1) % Math.max(1, passwords.length)
  // Each has been tried: the next connection begins again.
  if (link.passwordsRefused === 0) return false
  link.password = next
  redialAtOnce(turn, link)
  return true
}

/** The words of Redis since version 6, and before it. That no password is needed is another matter. */
function isRefusal(text: string): boolean {
  return text.startsWith('WRONGPASS') || /^ERR invalid password/i.test(text)
}

/** Remembers what works, and says so once if it is not what was taken before. */
function notePassword(turn: Turn, instance: DataInstance, passwords: readonly string[]): void {
  const { link, group } = instance
  const password = passwordFor(instance)
  link.passwordsRefused = 0
  if (password === '') return
  const before = link.passwordTaken ?? passwords[0]
  link.password = password
  link.passwordTaken = password
  group.password = password
  if (password === before) return
  const place = `${passwords.indexOf(password) + 1} of ${passwords.length}`
  const options = `${GROUP_OPTIONS.authPass.name}, ${GROUP_OPTIONS.authPassAlso.name}`
  const who = describe(turn.state, instance)
  log(turn, 'notice', `${who} takes another password now: number ${place} (${options})`)
}

function forPeers({ sentinelUser, sentinelPass, requirepass }: SentinelConfig): AuthCredentials {
  if (sentinelPass === '' && requirepass !== '') {
    return { words: [requirepass], source: 'requirepass' }
  }
  const option = sentinelUser === '' ? 'sentinel-pass' : 'sentinel-user and sentinel-pass'
  return { words: wordsOf(sentinelUser, sentinelPass), source: option }
}

/** A user without a password is not sent at all. */
function wordsOf(user: string, pass: string): readonly string[] {
  if (pass === '') return []
  return user === '' ? [pass] : [user, pass]
}
