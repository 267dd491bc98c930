/**
 * Gives waiting operators their answer. A command that waited is run again, as after every wait
 * (external-queries.ts), and finds its order concluded.
 */
import { error } from '../../resp/reply.ts'
import { resumeClient } from '../clients/clients.ts'
import type { Turn } from '../state.ts'
import { concludeForget } from './forget-orders.ts'
import type { OperatorOrder } from './operator-order.ts'
import { concludePause } from './orders.ts'

const GROUP_IS_GONE = error('ERR The group was removed while other Sentinels were asked')

/** Called after everything that may have concluded an order. */
export function answerOrders(turn: Turn): void {
  const { orders, clients } = turn.state
  for (const order of orders.filter(({ reply }) => reply !== undefined)) {
    const client = clients.get(order.client)
    if (client?.isWaiting) resumeClient(turn, client)
    else if (client === undefined) orders.splice(orders.indexOf(order), 1)
  }
}

/** Concludes the orders whose time is up. */
export function onOrderDeadline(turn: Turn): void {
  const { orders, timers, tilt } = turn.state
  const due = orders.filter(({ reply, untilMs }) => {
    return reply === undefined && untilMs <= turn.now.monoMs
  })
  for (const order of due) conclude(turn, order)
  const open = orders.filter(({ reply }) => reply === undefined)
  const nextMs = Math.min(...open.map(({ untilMs }) => untilMs))
  if (open.length > 0) timers.set(tilt, 'orders', nextMs)
  answerOrders(turn)
}

function conclude(turn: Turn, order: OperatorOrder): void {
  const group = turn.state.groups.get(order.group)
  if (group === undefined) order.reply = GROUP_IS_GONE
  else if (order.task.kind === 'forget') concludeForget(turn, group, order, order.task)
  else concludePause(turn, group, order, order.task)
}
