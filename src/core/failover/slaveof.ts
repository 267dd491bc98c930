/**
 * Telling an instance which master to follow: one transaction that changes the role, keeps it in
 * the instance's own configuration, and closes its clients' connections, so that they ask a
 * Sentinel again instead of writing to a node that is no longer a master. INFO follows in the same
 * pipeline: its reply is the first moment the change can be seen.
 */

import type { Address } from '../../base/ip.ts'
import type { Reply } from '../../resp/reply.ts'
import { requestInfo } from '../discovery/info-request.ts'
import { sameAddress, shownHost } from '../names/names.ts'
import type { Purpose } from '../purpose.ts'
import type { Connection, DataInstance, Replica, State, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { send } from '../turn.ts'

/**
 * Sends the transaction; false if there is no connection for it. No node is told to follow itself:
 * an outdated name can make a record of the old master point at the new one.
 */
export function sendSlaveof(
  turn: Turn,
  replica: DataInstance,
  master: Address | 'no one',
): boolean {
  const connection = commandLink(replica)
  if (connection === undefined) return false
  if (master !== 'no one' && sameAddress(turn.state, replica, master)) return false
  const target =
    master === 'no one' ? ['NO', 'ONE'] : [shownHost(turn.state, master.host), String(master.port)]
  // A node that is handing its role over by itself takes no other order before that has ended.
  const isFailingOver = replica.failoverReported === 'running'
  const slaveof = ['SLAVEOF', ...target]
  const orders = [
    ...(isFailingOver ? [['FAILOVER', 'ABORT']] : []),
    slaveof,
    ['CONFIG', 'REWRITE'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
  ]
  const step = { kind: 'slaveof', promotes: master === 'no one' } as const
  send(turn, connection, STEP, ['MULTI'])
  for (const argv of orders) {
    send(turn, connection, argv === slaveof ? { ...step, orders } : STEP, argv)
  }
  send(turn, connection, step, ['EXEC'])
  requestInfo(turn, replica)
  return true
}

const STEP = { kind: 'slaveof' } as const

/** The bare order, for a node that is told the rest in a moment. */
export function sendFollow(turn: Turn, node: DataInstance, master: Address): void {
  const connection = commandLink(node)
  if (connection === undefined || sameAddress(turn.state, node, master)) return
  const { host, port } = master
  send(turn, connection, STEP, ['SLAVEOF', shownHost(turn.state, host), String(port)])
}

type SlaveofStep = Purpose & { readonly kind: 'slaveof' }

/**
 * A node without memory takes nothing into a transaction, not even SLAVEOF, and takes SLAVEOF by itself: without
 * this it would stay a master for as long as it is full, and with it the clients that read there.
 */
export function onSlaveofReply(
  turn: Turn,
  connection: Connection,
  { orders = [] }: SlaveofStep,
  reply: Reply,
): void {
  if (!isWithoutMemory(reply)) return
  for (const argv of orders) send(turn, connection, STEP, argv)
  const [instance] = connection.link.owners
  if (orders.length > 0 && instance !== undefined && instance.kind !== 'sentinel') {
    requestInfo(turn, instance)
  }
}

/**
 * Why the node does not become a master by this order: SLAVEOF NO ONE was refused, or another step of its transaction,
 * and with it all of them. Without memory it is asked again step by step.
 */
export function refusedPromotion(
  { link }: Connection,
  { promotes = false, orders }: SlaveofStep,
  reply: Reply,
): string | undefined {
  if (!promotes || reply.kind !== 'error') return undefined
  if (orders !== undefined) return isWithoutMemory(reply) ? undefined : reply.text
  // A node that knows no MULTI has carried out each step when it refuses EXEC.
  const isAborted = reply.text.startsWith('EXECABORT')
  return isAborted && link.refusals.get('slaveof')?.code !== 'OOM' ? reply.text : undefined
}

function isWithoutMemory(reply: Reply): boolean {
  return reply.kind === 'error' && reply.text.startsWith('OOM ')
}

/** As the replica says itself, under any name of the master. */
export function follows(state: State, replica: Replica, master: Address): boolean {
  return sameAddress(state, { host: replica.masterHost, port: replica.masterPort }, master)
}
