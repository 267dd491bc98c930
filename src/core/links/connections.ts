/**
 * What happens when a connection comes up or breaks. On a new one we first send our name and a PING;
 * data nodes are asked for INFO at the same time, and every instance gets our hello at once.
 *
 * That a connection broke is evidence that the kernel gives us for free: from that moment the instance
 * owes us an answer, as if a PING were pending.
 */
import { askPeer, electionEpoch } from '../detection/ask.ts'
import { confer } from '../detection/confer.ts'
import { checkDown } from '../detection/down.ts'
import { sendPing } from '../detection/ping.ts'
import { HELLO_CHANNEL } from '../discovery/hello-format.ts'
import { sendHello } from '../discovery/hello-send.ts'
import { requestInfo, scheduleInfo } from '../discovery/info-request.ts'
import { askWho } from '../discovery/proof.ts'
import { considerFailover } from '../election/failover-start.ts'
import type { Event } from '../event.ts'
import { announce } from '../events.ts'
import { driveFailover } from '../failover/failover.ts'
import { type Connection, type Instance, isSdown, type Master, type Turn } from '../state.ts'
import { send } from '../turn.ts'
import { credentialsFor } from './credentials.ts'
import { PROTOCOL_FAULT } from './link-input.ts'
import { expectAnswer, forgetConnection, openLinks } from './links.ts'
import { noteNonsense } from './rejections.ts'

export function onLinkUp(turn: Turn, connection: Connection, localHost: string): void {
  const { link } = connection
  connection.up = true
  connection.localHost = localHost
  noteAccepted(connection)
  introduce(turn, connection)
  if (connection.channel === 'pubsub') {
    link.pubsubActiveAtMs = turn.now.monoMs
    send(turn, connection, { kind: 'subscribe' }, ['SUBSCRIBE', HELLO_CHANNEL])
    return
  }
  link.lossReason = undefined
  sendPing(turn, link)
  // The subscription may have waited for this.
  openLinks(turn, link)
  for (const owner of link.owners) greet(turn, owner)
}

type Loss = Extract<Event, { readonly kind: 'linkLost' }>

export function onLinkLost(turn: Turn, connection: Connection, { reason, isRefused }: Loss): void {
  const { link, channel } = connection
  const { owners } = link
  const event = channel === 'pubsub' ? '-pubsub-link-reconnection' : '-cmd-link-reconnection'
  for (const owner of owners) announce(turn, event, owner, { reason })
  if (reason.startsWith(PROTOCOL_FAULT)) noteNonsense(turn, connection, reason)
  forgetConnection(turn, connection)
  if (!connection.up) noteFailedAttempt(turn, connection, isRefused)
  if (channel === 'command') {
    link.lossReason = reason
    expectAnswer(turn, link)
    for (const owner of owners) checkDown(turn, owner)
  }
  openLinks(turn, link)
  for (const owner of owners) driveFailover(turn, owner.group)
}

/** This group can reach an instance now. */
export function greet(turn: Turn, instance: Instance): void {
  sendHello(turn, instance)
  if (instance.kind === 'sentinel') {
    askWho(turn, instance)
    // A peer that can be reached now may be the one whose opinion or vote is missing.
    const { group } = instance
    if (isSdown(group.master) || electionEpoch(group) > 0) askPeer(turn, instance)
    considerFailover(turn, group)
    return
  }
  requestInfo(turn, instance)
  scheduleInfo(turn, instance)
  driveFailover(turn, instance.group)
}

/** AUTH if needed, and a name by which operators and peers recognise the connection. */
function introduce(turn: Turn, connection: Connection): void {
  const [instance] = connection.link.owners
  if (instance === undefined) return
  const suffix = connection.channel === 'pubsub' ? 'pubsub' : 'cmd'
  const name = `sentinel-${turn.state.myid.slice(0, 8)}-${suffix}`
  const { words } = credentialsFor(turn.state, instance)
  if (words.length > 0) send(turn, connection, { kind: 'auth' }, ['AUTH', ...words])
  send(turn, connection, { kind: 'setup' }, ['CLIENT', 'SETNAME', name])
}

/**
 * A master that refuses connections: from the first refusal until a process listens there again, we
 * retry it every few moments, and each time ask the replicas and the peers what they see. What all
 * that proves is in evidence.ts.
 */

/** An attempt to connect has failed: it was refused, or not answered at all. */
function noteFailedAttempt(turn: Turn, { link, openedAtMs }: Connection, isRefused: boolean): void {
  for (const owner of link.owners) {
    if (owner.kind !== 'master' || owner.group.config.detection !== 'evidence') continue
    if (isRefused) noteRefused(turn, owner, openedAtMs)
    // The network may be at fault then, and what came before proves nothing any more.
    else doubt(owner)
  }
}

/** A process listens there. What was proven before is taken back only by a reply that means it is well. */
function noteAccepted({ link }: Connection): void {
  for (const owner of link.owners) if (owner.kind === 'master') doubt(owner)
}

function noteRefused(turn: Turn, master: Master, askedAtMs: number): void {
  const { group, link } = master
  // A master that we have never seen well may not have been started yet.
  if (!link.wasOk) return
  master.refusal ??= { sinceMs: turn.now.monoMs, isProof: false, askedAtMs }
  master.refusal.askedAtMs = Math.max(master.refusal.askedAtMs, askedAtMs)
  if (master.refusal.isProof) return
  const wasDown = isSdown(master)
  checkDown(turn, master)
  // If that was the proof, all have just been asked.
  if (isSdown(master) && !wasDown) return
  confer(turn, group)
  for (const replica of group.replicas.values()) {
    if (replica.infosPending === 0) requestInfo(turn, replica)
  }
}

function doubt(master: Master): void {
  if (master.refusal?.isProof === false) master.refusal = undefined
}
