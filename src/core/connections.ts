/**
 * What happens when a connection comes up or breaks. The first words on a new one are who we are and a
 * PING; data nodes are asked for INFO in the same breath, and everyone hears our hello at once.
 *
 * That a connection broke is evidence the kernel hands us for free: from that moment the instance owes
 * us an answer, as if a PING were pending.
 */

import { askPeer } from './ask.ts'
import { checkDown } from './down.ts'
import { driveFailover } from './failover.ts'
import { sendHello } from './hello-send.ts'
import { HELLO_CHANNEL } from './hello-text.ts'
import { requestInfo, scheduleInfo } from './info.ts'
import { forgetConnection, openLinks } from './links.ts'
import { sendPing } from './ping.ts'
import { considerFailover } from './start.ts'
import type { Connection, Instance, Turn } from './state.ts'
import { isSdown } from './state.ts'
import { log, send } from './turn.ts'

export function onLinkUp(turn: Turn, connection: Connection, localHost: string): void {
  connection.up = true
  connection.localHost = localHost
  introduce(turn, connection)
  if (connection.channel === 'pubsub') {
    connection.instance.link.pubsubActiveAtMs = turn.now.monoMs
    send(turn, connection, { kind: 'subscribe' }, ['SUBSCRIBE', HELLO_CHANNEL])
    return
  }
  greet(turn, connection.instance)
}

export function onLinkLost(turn: Turn, connection: Connection, reason: string): void {
  const { instance, channel } = connection
  const event = channel === 'pubsub' ? '-pubsub-link-reconnection' : '-cmd-link-reconnection'
  log(turn, 'debug', `${event} ${instance.kind} ${instance.name} #${reason}`)
  forgetConnection(turn, connection)
  if (channel === 'command') {
    instance.link.pingPendingSinceMs ??= turn.now.monoMs
    checkDown(turn, instance)
  }
  openLinks(turn, instance)
  driveFailover(turn, instance.group)
}

/** AUTH where it is needed, and a name by which operators and peers know the connection. */
function introduce(turn: Turn, connection: Connection): void {
  const suffix = connection.channel === 'pubsub' ? 'pubsub' : 'cmd'
  const name = `sentinel-${turn.state.myid.slice(0, 8)}-${suffix}`
  const auth = credentials(turn, connection.instance)
  if (auth.length > 0) send(turn, connection, { kind: 'setup' }, ['AUTH', ...auth])
  send(turn, connection, { kind: 'setup' }, ['CLIENT', 'SETNAME', name])
}

function greet(turn: Turn, instance: Instance): void {
  sendPing(turn, instance)
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

/** Data nodes get the group's credentials; peers sentinel-user and -pass, or our own password. */
function credentials(turn: Turn, instance: Instance): readonly string[] {
  const { config } = turn.state
  const isPeer = instance.kind === 'sentinel'
  const user = isPeer ? config.sentinelUser : instance.group.config.authUser
  const pass = isPeer ? config.sentinelPass || config.requirepass : instance.group.config.authPass
  if (pass === '') return []
  return user === '' || (isPeer && config.sentinelPass === '') ? [pass] : [user, pass]
}
