/**
 * A reply comes back with the purpose its command was sent for; here it finds its mechanism. On a link
 * that groups share, a reply to one that has let go of it meanwhile is nobody's, and passed over.
 */
import { unreachable } from '../base/assert.ts'
import type { Reply } from '../resp/reply.ts'
import { noteAnswer } from './ask.ts'
import { noteCounsel } from './confer.ts'
import { noteHandoverReply } from './coordinated.ts'
import { checkDown, checkOdown } from './down.ts'
import { driveFailover } from './failover.ts'
import { closeLink, openLinks } from './links.ts'
import { onInfoReply } from './observe.ts'
import { isBusy, notePingReply } from './ping.ts'
import type { Purpose } from './purpose.ts'
import { noteRefusal } from './refusals.ts'
import { killScript } from './script-kill.ts'
import { considerFailover } from './start.ts'
import type { Connection, Link, Turn } from './state.ts'
import { isShutOut, ownerIn } from './state.ts'

export function onReply(turn: Turn, connection: Connection, purpose: Purpose, reply: Reply): void {
  const { link } = connection
  connection.pending = Math.max(0, connection.pending - 1)
  noteRefusal(turn, connection, purpose, reply)
  switch (purpose.kind) {
    case 'ping':
      return onPingReply(turn, link, reply)
    case 'info':
      return onInfo(turn, link, reply)
    case 'hello':
      return onHelloReply(link, purpose.group)
    case 'ask':
      return onAnswer(turn, link, purpose, reply)
    case 'confer':
      return onCounsel(turn, link, purpose, reply)
    case 'subscribe':
      return onSubscribed(turn, connection, reply)
    case 'handover':
      return onHandoverReply(turn, link, purpose, reply)
    case 'auth':
      return onAuthenticated(turn, connection, reply)
    case 'setup':
    case 'slaveof':
    case 'scriptKill':
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

function onAnswer(
  turn: Turn,
  link: Link,
  purpose: Purpose & { readonly kind: 'ask' },
  reply: Reply,
): void {
  const peer = ownerIn(link, purpose.group)
  if (peer?.kind !== 'sentinel') return
  noteAnswer(turn, peer, purpose, reply)
  checkOdown(turn, peer.group)
  driveFailover(turn, peer.group)
}

function onCounsel(
  turn: Turn,
  link: Link,
  purpose: Purpose & { readonly kind: 'confer' },
  reply: Reply,
): void {
  const peer = ownerIn(link, purpose.group)
  if (peer?.kind !== 'sentinel') return
  noteCounsel(turn, peer, purpose, reply)
  checkDown(turn, peer.group.master)
  considerFailover(turn, peer.group)
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

/** Let in here but not there: the password was corrected meanwhile, and the other needs to show it again. */
function onAuthenticated(turn: Turn, { link, channel }: Connection, reply: Reply): void {
  if (channel === 'command' || reply.kind === 'error' || !isShutOut(link)) return
  closeLink(turn, link.command)
  openLinks(turn, link)
}

/** A connection that may not listen is of no use: the next one may, should it be allowed meanwhile. */
function onSubscribed(turn: Turn, connection: Connection, reply: Reply): void {
  if (reply.kind !== 'error') return
  closeLink(turn, connection)
  openLinks(turn, connection.link)
}
