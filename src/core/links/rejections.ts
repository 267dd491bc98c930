/**
 * What an instance refuses us, in words that an operator can act on: once, until it changes. C Sentinel
 * ignores these errors, so a wrong password looks like a dead server. Nothing is decided here.
 *
 * No text ever contains a password: an error to AUTH may quote what it was given.
 */
import { hostAndPort } from '../../base/ip.ts'
import { ADDRESSES_DIRECTIVE } from '../../base/network-addresses.ts'
import type { Reply } from '../../resp/reply.ts'
import { meansAvailable } from '../detection/ping.ts'
import type { Purpose } from '../purpose.ts'
import type { Connection, Instance, Link, Replica, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { credentialsFor } from './credentials.ts'

/** Questions whose refusals other files judge: what they are for goes on in another way, or says so itself. */
const JUDGED_ELSEWHERE = [
  'handover',
  'fence',
  'confer',
  'whoAreYou',
  'sharePause',
  'byHand',
  'forget',
] as const
type JudgedElsewhere = (typeof JUDGED_ELSEWHERE)[number]
type Kind = Exclude<Purpose['kind'], 'ping' | 'auth' | JudgedElsewhere>

/** Each command as operators know it, and what is lost while it is refused. */
const MEANING: Readonly<Record<Kind, readonly [command: string, loss: string]>> = {
  setup: ['CLIENT SETNAME', 'our connection has no name there'],
  info: ['INFO', 'its role and its replicas stay unknown'],
  hello: ['PUBLISH', 'other Sentinels do not hear of us through it'],
  subscribe: ['SUBSCRIBE', 'we do not hear of other Sentinels through it'],
  slaveof: ['the SLAVEOF transaction', 'it can neither be promoted nor be given another master'],
  ask: ['SENTINEL IS-MASTER-DOWN-BY-ADDR', 'its opinion and its vote are missing'],
  scriptKill: ['SCRIPT KILL', 'the script goes on'],
  clientAddresses: [`CONFIG SET ${ADDRESSES_DIRECTIVE}`, 'its handoffs name the addresses inside'],
}

/** Earlier replies say why a transaction was aborted; and a script may end by itself. */
const NO_REFUSAL: readonly string[] = ['EXECABORT', 'NOTBUSY']

/**
 * Temporary states of a server. The answers to PING say what they mean, and when they are over: what was
 * refused meanwhile need not be asked again by us, because another Sentinel may have had its way since.
 */
const PASSING: readonly string[] = ['LOADING', 'BUSY', 'MASTERDOWN']

/** Both connections must have stood this long before earlier nonsense is forgotten. */
const SENSIBLE_MS = 60_000

/** A connection ended because it received something that no instance says. */
export function noteNonsense(turn: Turn, { link, channel }: Connection, reason: string): void {
  const [instance] = link.owners
  if (instance === undefined) return
  const where = channel === 'pubsub' ? ' on the connection that hears hellos' : ''
  const text = `says what no Redis says${where}: ${reason}; its connection is closed and opened anew`
  say(turn, link, 'nonsense', 'nonsense', instance, text)
}

function isSensible(turn: Turn, { command, pubsub }: Link): boolean {
  return [command, pubsub].every(
    (one) => one === undefined || turn.now.monoMs - one.openedAtMs > SENSIBLE_MS,
  )
}

/** Checks a reply to any of our commands. */
export function noteRefusal(
  turn: Turn,
  connection: Connection,
  purpose: Purpose,
  reply: Reply,
): void {
  if (purpose.kind === 'ping') return notePing(turn, connection.link, reply)
  if (purpose.kind === 'auth') return noteAuth(turn, connection, reply)
  const { kind } = purpose
  if (isJudgedElsewhere(kind)) return
  const text = refusalIn(kind, reply)
  if (text !== undefined) noteCommand(turn, connection.link, purpose, kind, text)
  else if (connection.link.refusals.size > 0 && isAcceptance(kind, reply)) {
    accept(turn, connection.link, keyOf(purpose))
  }
}

function isJudgedElsewhere(kind: Purpose['kind']): kind is JudgedElsewhere {
  return (JUDGED_ELSEWHERE as readonly string[]).includes(kind)
}

/** AUTH decides nothing by itself: some servers require no password. The PING after it tells. */
function noteAuth(turn: Turn, { link, channel }: Connection, reply: Reply): void {
  if (channel === 'pubsub') return
  const [instance] = link.owners
  if (reply.kind !== 'error' || instance === undefined) {
    link.authRefusal = undefined
    return
  }
  const { words } = credentialsFor(turn.state, instance)
  link.authRefusal = withoutSecret(reply.text, words.at(-1) ?? '')
}

function notePing(turn: Turn, link: Link, reply: Reply): void {
  const isWell = meansAvailable(reply)
  const { authRefusal } = link
  forgetPassed(turn, link, reply)
  if (link.refusals.has('nonsense') && isSensible(turn, link)) accept(turn, link, 'nonsense')
  if (isWell && authRefusal === undefined) return accept(turn, link, 'ping')
  const [instance] = link.owners
  if (instance === undefined) return
  if (isWell) {
    const source = `our password (${credentialsFor(turn.state, instance).source})`
    const text = `answers us, but not because of ${source}: ${plain(authRefusal ?? '')}`
    return say(turn, link, 'ping', codeOf(authRefusal ?? ''), instance, text, 'notice')
  }
  const answer = reply.kind === 'error' ? reply.text : `something that is no status (${reply.kind})`
  const text = `${reasonOf(turn, instance, answer)}; it will be seen as down`
  say(turn, link, 'ping', codeOf(answer), instance, text)
}

/** Drops what was refused in a temporary state that the instance is no longer in. */
function forgetPassed(turn: Turn, link: Link, reply: Reply): void {
  const current = reply.kind === 'error' ? codeOf(reply.text) : ''
  for (const [key, { code }] of link.refusals) {
    if (key !== 'ping' && PASSING.includes(code) && code !== current) accept(turn, link, key)
  }
}

/**
 * It follows our master: whoever told it, the order that we could not give has been carried out. What it
 * refuses for good, for want of a right or of the command, it would refuse again in the next failover.
 */
export function noteFollowing(turn: Turn, { link }: Replica): void {
  const refused = link.refusals.get('slaveof')
  if (refused === undefined) return
  const isForGood = refused.code === 'NOPERM' || /unknown command/i.test(refused.text)
  if (!isForGood) accept(turn, link, 'slaveof')
}

/** Why an instance that answers PING with an error does so. */
function reasonOf({ state }: Turn, instance: Instance, answer: string): string {
  const { words, source } = credentialsFor(state, instance)
  const { authRefusal } = instance.link
  if (authRefusal !== undefined) return `refuses our password (${source}): ${plain(authRefusal)}`
  const code = codeOf(answer)
  if (code === 'NOPERM') return `does not let our user PING (${source}): ${plain(answer)}`
  if (code !== 'NOAUTH') return `answers PING with ${plain(answer)}`
  const lack = words.length === 0 ? 'and none is set' : 'and has not been given one'
  return `wants a password, ${lack} (${source}): ${plain(answer)}`
}

function noteCommand(turn: Turn, link: Link, purpose: Purpose, kind: Kind, answer: string): void {
  const instance = askerOf(link, purpose)
  const code = codeOf(answer)
  // NOAUTH is the answer to every command, and reported once, for PING.
  if (instance === undefined || code === 'NOAUTH') return
  if (kind !== 'slaveof' && PASSING.includes(code)) return
  const [command, loss] = MEANING[kind]
  say(turn, link, keyOf(purpose), code, instance, `refuses ${command}: ${plain(answer)}; ${loss}`)
}

function say(
  turn: Turn,
  link: Link,
  key: string,
  code: string,
  instance: Instance,
  text: string,
  level: 'warning' | 'notice' = 'warning',
): void {
  if (link.refusals.get(key)?.code === code) return
  const said = `${nameOf(instance)} ${text}`
  link.refusals.set(key, { code, text: said })
  link.refusal = said
  log(turn, level, said)
}

function accept(turn: Turn, link: Link, key: string): void {
  const [instance] = link.owners
  if (!link.refusals.delete(key) || instance === undefined) return
  link.refusal = [...link.refusals.values()].at(-1)?.text
  if (link.refusal === undefined)
    log(turn, 'notice', `${nameOf(instance)} refuses us nothing any more`)
}

/** Undefined if this reply refuses nothing. In a transaction the first command matters. */
function refusalIn(kind: Kind, reply: Reply): string | undefined {
  if (reply.kind === 'error') {
    return NO_REFUSAL.includes(codeOf(reply.text)) ? undefined : reply.text
  }
  if (kind !== 'slaveof' || reply.kind !== 'array') return undefined
  const [first] = reply.items
  return first?.kind === 'error' ? first.text : undefined
}

/** Only the end of a transaction shows that it was accepted. */
function isAcceptance(kind: Kind, reply: Reply): boolean {
  return kind === 'slaveof' ? reply.kind === 'array' : reply.kind !== 'error'
}

/** On a shared link, groups may call a command by different names, of which only one may be right. */
function keyOf(purpose: Purpose): string {
  const isForGroup = 'group' in purpose
  return isForGroup ? `${purpose.kind} ${purpose.group}` : purpose.kind
}

function askerOf({ owners }: Link, purpose: Purpose): Instance | undefined {
  return owners.find(({ group }) => !('group' in purpose) || group.config.name === purpose.group)
}

function nameOf({ kind, name, host, port }: Instance): string {
  if (kind === 'replica') return `replica ${name}`
  const address = hostAndPort(host, port)
  return kind === 'master' ? `master ${name} (${address})` : `Sentinel ${address}`
}

/** Servers that do not know a command quote its arguments. */
function withoutSecret(text: string, secret: string): string {
  const [unquoted = ''] = text.split(', with args beginning with')
  return secret === '' ? unquoted : unquoted.replaceAll(secret, '******')
}

/** Without the full stop, so that the sentence can go on. */
function plain(text: string): string {
  return text.replace(/\.$/, '')
}

function codeOf(text: string): string {
  return text.split(' ', 1)[0] ?? ''
}
