/**
 * What a coordinated failover tells data nodes. The master gets two orders, together or not at all: hold
 * writes back, and hand over to this replica. The pause outlasts the exchange of roles on purpose: a
 * client whose write waits there is disconnected when the new master is known, and asks a Sentinel,
 * instead of getting an error because its master has become a replica.
 */

import type { Address } from '../../base/ip.ts'
import { parseInfo } from '../discovery/info-parser.ts'
import { requestInfo } from '../discovery/info-request.ts'
import { sameAddress, shownHost } from '../names/names.ts'
import type { Purpose } from '../purpose.ts'
import type { DataInstance, Failover, Group, Replica, State, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { send } from '../turn.ts'

/** Sends it; false if the master cannot be reached now. Nothing may take longer than `limitMs`. */
export function sendHandover(turn: Turn, group: Group, to: Replica, limitMs: number): boolean {
  const { host, port } = listedAs(turn.state, group, to)
  const limit = String(limitMs)
  return sendAll(turn, group.master, handover(group, 'order'), [
    ['MULTI'],
    ['CLIENT', 'PAUSE', limit, 'WRITE'],
    ['FAILOVER', 'TO', host, String(port), 'TIMEOUT', limit],
    ['EXEC'],
  ])
}

/**
 * The new master is known: both nodes save their role, and clients are disconnected to ask for the
 * new master.
 */
export function sendRelease(turn: Turn, instance: DataInstance): boolean {
  const isSent = sendAll(turn, instance, handover(instance.group, 'release'), [
    ['MULTI'],
    ['CONFIG', 'REWRITE'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
    ['CLIENT', 'UNPAUSE'],
    ['EXEC'],
  ])
  if (isSent) requestInfo(turn, instance)
  return isSent
}

/**
 * The handover is called off: writes go on at once, not when the time is up. If the order was refused
 * there is no failover of ours to end, and one begun by others is left alone.
 */
export function callOffHandover(turn: Turn, group: Group, failover: Failover): void {
  if (failover.state !== 'wait_promotion' || !failover.hasOrdered) return
  const end = failover.refusal === undefined ? [['FAILOVER', 'ABORT']] : []
  const commands = [...end, ['CLIENT', 'UNPAUSE']]
  const isSent = sendAll(turn, group.master, handover(group, 'callOff'), commands)
  if (isSent) requestInfo(turn, group.master)
}

/** FAILOVER knows a replica only by the words with which the master lists it. */
export function listedAs(state: State, { master }: Group, replica: Replica): Address {
  const { replicas } = parseInfo(master.infoText)
  const listed = replicas.find((one) => sameAddress(state, one, replica))
  return listed ?? { host: shownHost(state, replica.host), port: replica.port }
}

type HandoverPurpose = Purpose & { readonly kind: 'handover' }

function handover({ failover }: Group, part: HandoverPurpose['part']): HandoverPurpose {
  return { kind: 'handover', part, epoch: failover?.epoch ?? 0 }
}

function sendAll(
  turn: Turn,
  instance: DataInstance,
  purpose: Purpose,
  commands: readonly (readonly string[])[],
): boolean {
  const connection = commandLink(instance)
  if (connection === undefined) return false
  for (const argv of commands) send(turn, connection, purpose, argv)
  return true
}
