/**
 * What a coordinated failover says to data nodes. To the master, at once or not at all: hold writes back,
 * and hand over to this replica. The pause outlasts the exchange of roles on purpose: a client whose write
 * waits there is cut off when the new master is known, and asks a Sentinel, instead of being told that
 * its master has become a replica.
 */
import { requestInfo } from './info.ts'
import { parseInfo } from './info-text.ts'
import type { Address } from './memory/saved.ts'
import { sameAddress, shownHost } from './names/names.ts'
import type { Purpose } from './purpose.ts'
import type { DataInstance, Failover, Group, Replica, State, Turn } from './state.ts'
import { commandLink } from './state.ts'
import { send } from './turn.ts'

/** Sends it; false when the master cannot be told now. Nothing may take longer than `limitMs`. */
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

/** The new master is known: both keep what they are now, and everybody else is sent to ask for it. */
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
 * It comes to nothing: writes go on at once, not when the time is up. Where the order was refused there
 * is no failover of ours to end, and somebody else's is left alone.
 */
export function callOffHandover(turn: Turn, group: Group, failover: Failover): void {
  if (failover.state !== 'wait_promotion' || !failover.hasOrdered) return
  const end = failover.refusal === undefined ? [['FAILOVER', 'ABORT']] : []
  const commands = [...end, ['CLIENT', 'UNPAUSE']]
  const isSent = sendAll(turn, group.master, handover(group, 'callOff'), commands)
  if (isSent) requestInfo(turn, group.master)
}

/** FAILOVER knows a replica by the words in which the master lists it. */
function listedAs(state: State, { master }: Group, replica: Replica): Address {
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
