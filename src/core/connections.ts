/**
 * What happens when a connection comes up or breaks. The first words on a new one are who we are and a
 * PING; data nodes are asked for INFO in the same breath, and everyone hears our hello at once.
 *
 * That a connection broke is evidence the kernel hands us for free: from that moment the instance owes
 * us an answer, as if a PING were pending.
 */

import { askPeer } from './ask.ts'
import { credentialsFor } from './credentials.ts'
import { checkDown } from './down.ts'
import type { Event } from './event.ts'
import { describe } from './events.ts'
import { driveFailover } from './failover.ts'
import { sendHello } from './hello-send.ts'
import { HELLO_CHANNEL } from './hello-text.ts'
import { requestInfo, scheduleInfo } from './info.ts'
import { expectAnswer, forgetConnection, openLinks } from './links.ts'
import { sendPing } from './ping.ts'
import { noteAccepted, noteFailedAttempt } from './refused.ts'
import { considerFailover } from './start.ts'
import type { Connection, Instance, Turn } from './state.ts'
import { isSdown } from './state.ts'
import { log, send } from './turn.ts'

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
  sendPing(turn, link)
  // What listens may have waited for this.
  openLinks(turn, link)
  for (const owner of link.owners) greet(turn, owner)
}

type Loss = Extract<Event, { readonly kind: 'linkLost' }>

export function onLinkLost(turn: Turn, connection: Connection, { reason, isRefused }: Loss): void {
  const { link, channel } = connection
  const { owners } = link
  const event = channel === 'pubsub' ? '-pubsub-link-reconnection' : '-cmd-link-reconnection'
  for (const owner of owners)
    log(turn, 'debug', `${event} ${describe(turn.state, owner)} #${reason}`)
  forgetConnection(turn, connection)
  if (!connection.up) noteFailedAttempt(turn, connection, isRefused)
  if (channel === 'command') {
    expectAnswer(turn, link)
    for (const owner of owners) checkDown(turn, owner)
  }
  openLinks(turn, link)
  for (const owner of owners) driveFailover(turn, owner.group)
}

/** An instance has come into reach, for this group. */
export function greet(turn: Turn, instance: Instance): void {
  sendHello(turn, instance)
  if (instance.kind === 'sentinel') {
    // A peer that comes into reach may be the one whose word or vote is missing.
    if (isSdown(instance.group.master)) askPeer(turn, instance)
    considerFailover(turn, instance.group)
    return
  }
  requestInfo(turn, instance)
  scheduleInfo(turn, instance)
  driveFailover(turn, instance.group)
}

/** AUTH where it is needed, and a name by which operators and peers know the connection. */
function introduce(turn: Turn, connection: Connection): void {
  const [instance] = connection.link.owners
  if (instance === undefined) return
  const suffix = connection.channel === 'pubsub' ? 'pubsub' : 'cmd'
  const name = `sentinel-${turn.state.myid.slice(0, 8)}-${suffix}`
  const { words } = credentialsFor(turn.state, instance)
  if (words.length > 0) send(turn, connection, { kind: 'auth' }, ['AUTH', ...words])
  send(turn, connection, { kind: 'setup' }, ['CLIENT', 'SETNAME', name])
}
