/**
 * A reply comes back with the purpose of its command; this file hands it to the mechanism that sent
 * the command. On a link that groups share, a reply for a group that has released the link
 * meanwhile is dropped.
 */
import { unreachable } from '../base/assert.ts'
import type { Reply } from '../resp/reply.ts'
import { type AskAnswer, noteAnswer, parseAnswer } from './detection/ask.ts'
import { noteCounsel } from './detection/confer.ts'
import { checkDown, checkOdown } from './detection/down.ts'
import { isBusy, notePingReply } from './detection/ping.ts'
import { onInfoReply } from './discovery/info-reply.ts'
import { isWhoWeAsked, noteWho } from './discovery/proof.ts'
import { considerFailover } from './election/failover-start.ts'
import { noteHandoverReply } from './failover/coordinated.ts'
import { driveFailover } from './failover/failover.ts'
import { noteFenceReply } from './failover/fencing.ts'
import { notePromotionRefused } from './failover/promotion.ts'
import { onSlaveofReply, refusedPromotion } from './failover/slaveof.ts'
import { tryNextPassword } from './links/credentials.ts'
import { closeLink, isShutOut, openLinks } from './links/links.ts'
import { noteRefusal } from './links/rejections.ts'
import { answerOrders } from './pause/answer-orders.ts'
import { noteForgetAnswer } from './pause/forget-orders.ts'
import { notePauseAnswered } from './pause/orders.ts'
import { noteShareAnswer } from './pause/pause-news.ts'
import type { Purpose } from './purpose.ts'
import type { Connection, Instance, Link, Peer, Turn } from './state.ts'
import { commandLink, isSdown, ownerIn } from './state.ts'
import { log, send } from './turn.ts'

export function onReply(turn: Turn, connection: Connection, purpose: Purpose, reply: Reply): void {
  const { link } = connection
  connection.pending = Math.max(0, connection.pending - 1)
  if (purpose.kind === 'auth' && tryNextPassword(turn, connection, reply)) return
  noteRefusal(turn, connection, purpose, reply)
  switch (purpose.kind) {
    case 'ping':
      return onPingReply(turn, link, reply)
    case 'info':
      return onInfo(turn, link, reply)
    case 'hello':
      return onHelloReply(link, purpose.group)
    case 'ask':
      return onAnswer(turn, connection, purpose, reply)
    case 'confer':
      return onCounsel(turn, connection, purpose, reply)
    case 'whoAreYou':
      return onIdentity(turn, connection, purpose.group, reply)
    case 'subscribe':
      return onSubscribed(turn, connection, reply)
    case 'handover':
      return onHandoverReply(turn, link, purpose, reply)
    case 'fence':
      return onFenceReply(turn, link, purpose, reply)
    case 'slaveof':
      return onSlaveof(turn, connection, purpose, reply)
    case 'auth':
      return onAuthenticated(turn, connection, reply)
    case 'sharePause':
      return onPauseShared(turn, connection, purpose, reply)
    case 'forget':
      return onForgetAnswer(turn, connection, purpose, reply)
    case 'setup':
    case 'byHand':
    case 'scriptKill':
    case 'clientAddresses':
      return
    default:
      return unreachable(purpose)
  }
}

function onPingReply(turn: Turn, link: Link, reply: Reply): void {
  notePingReply(turn, link, reply)
  if (isBusy(reply)) for (const owner of link.owners) killScript(turn, owner)
  for (const owner of link.owners) checkDown(turn, owner)
}

function onInfo(turn: Turn, link: Link, reply: Reply): void {
  const [instance] = link.owners
  if (instance !== undefined && instance.kind !== 'sentinel') onInfoReply(turn, instance, reply)
}

function onHelloReply(link: Link, group: string): void {
  const instance = ownerIn(link, group)
  if (instance !== undefined) instance.helloPending = false
}

function onSlaveof(
  turn: Turn,
  connection: Connection,
  purpose: Purpose & { readonly kind: 'slaveof' },
  reply: Reply,
): void {
  onSlaveofReply(turn, connection, purpose, reply)
  const refusal = refusedPromotion(connection, purpose, reply)
  if (refusal === undefined) return
  for (const owner of connection.link.owners) {
    if (owner.kind === 'replica') notePromotionRefused(owner, refusal)
    driveFailover(turn, owner.group)
  }
}

function onAnswer(
  turn: Turn,
  connection: Connection,
  purpose: Purpose & { readonly kind: 'ask' },
  reply: Reply,
): void {
  const peer = ownerIn(connection.link, purpose.group)
  if (peer?.kind !== 'sentinel') return
  peer.askPending = false
  const answer = parseAnswer(reply)
  if (answer !== undefined && isWhoWeAsked(turn, peer, connection))
    noteOpinion(turn, peer, purpose, answer)
  checkOdown(turn, peer.group)
  driveFailover(turn, peer.group)
}

/** That it holds the master down may settle what we suspect, at once or with the next refusal (evidence.ts). */
function noteOpinion(
  turn: Turn,
  peer: Peer,
  purpose: Purpose & { readonly kind: 'ask' },
  answer: AskAnswer,
): void {
  noteAnswer(turn, peer, purpose, answer)
  const { master } = peer.group
  if (!answer.down || isSdown(master)) return
  checkDown(turn, master)
  openLinks(turn, master.link)
}

function onIdentity(turn: Turn, connection: Connection, group: string, reply: Reply): void {
  const peer = ownerIn(connection.link, group)
  if (peer?.kind === 'sentinel') noteWho(turn, peer, connection, reply)
}

function onCounsel(
  turn: Turn,
  connection: Connection,
  purpose: Purpose & { readonly kind: 'confer' },
  reply: Reply,
): void {
  const peer = ownerIn(connection.link, purpose.group)
  if (peer?.kind !== 'sentinel') return
  noteCounsel(turn, peer, connection, purpose, reply)
  checkDown(turn, peer.group.master)
  considerFailover(turn, peer.group)
}

function onPauseShared(
  turn: Turn,
  connection: Connection,
  purpose: Purpose & { readonly kind: 'sharePause' },
  reply: Reply,
): void {
  const peer = ownerIn(connection.link, purpose.group)
  if (peer?.kind !== 'sentinel') return
  const answer = noteShareAnswer(turn, peer, connection, reply)
  const isBusy = answer?.isBusy ?? false
  const said = reply.kind === 'error' ? reply.text : 'its answer cannot be used'
  const refusal = answer === undefined ? said : undefined
  notePauseAnswered(turn, peer, purpose.number, { isBusy, refusal })
  answerOrders(turn)
}

function onForgetAnswer(
  turn: Turn,
  connection: Connection,
  purpose: Purpose & { readonly kind: 'forget' },
  reply: Reply,
): void {
  const peer = ownerIn(connection.link, purpose.group)
  if (peer?.kind !== 'sentinel' || connection.identity !== 'confirmed') return
  noteForgetAnswer(turn, peer, purpose, reply)
  answerOrders(turn)
}

function onHandoverReply(
  turn: Turn,
  link: Link,
  purpose: Purpose & { readonly kind: 'handover' },
  reply: Reply,
): void {
  const [instance] = link.owners
  if (instance === undefined) return
  noteHandoverReply(turn, instance, purpose, reply)
  driveFailover(turn, instance.group)
}

function onFenceReply(
  turn: Turn,
  link: Link,
  purpose: Purpose & { readonly kind: 'fence' },
  reply: Reply,
): void {
  const instance = ownerIn(link, purpose.group)
  if (instance === undefined || instance.kind === 'sentinel') return
  noteFenceReply(turn, instance, purpose, reply)
  driveFailover(turn, instance.group)
}

/**
 * The instance accepts our password on one connection but refused the other: an operator has
 * corrected the password meanwhile, and the other connection must show it again.
 */
function onAuthenticated(turn: Turn, { link, channel }: Connection, reply: Reply): void {
  if (channel === 'command' || reply.kind === 'error' || !isShutOut(link)) return
  closeLink(turn, link.command)
  openLinks(turn, link)
}

/**
 * Without permission to subscribe this connection is of no use. The next one may work, if it is
 * allowed by then.
 */
function onSubscribed(turn: Turn, connection: Connection, reply: Reply): void {
  if (reply.kind !== 'error') return
  closeLink(turn, connection)
  openLinks(turn, connection.link)
}

/**
 * SCRIPT KILL. While a script runs for longer than it may, a server answers BUSY to everything, PING
 * included, and serves no client. Once that has lasted a down-after we tell it to end the script,
 * which it can as long as the script has not written; otherwise it is failed over. Sent once in each S_DOWN.
 */
function killScript(turn: Turn, instance: Instance): void {
  const connection = commandLink(instance)
  if (connection === undefined || !isSdown(instance) || instance.scriptKillSent) return
  instance.scriptKillSent = true
  log(
    turn,
    'notice',
    `telling ${instance.kind} ${instance.name} to end the script that keeps it busy`,
  )
  send(turn, connection, { kind: 'scriptKill' }, ['SCRIPT', 'KILL'])
}
