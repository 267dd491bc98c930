/**
 * Orders of operators that take the consent of other Sentinels: the client waits, for a second at most,
 * and is told how many agreed. The peers are asked at once; each answer, and the end of the time, is a
 * reason to look whether the order can be concluded. `answer-orders.ts` gives the client its reply.
 */
import { error, type Reply, simple } from '../../resp/reply.ts'
import { electorCount, electorsOf, majority } from '../election/quorum.ts'
import type { Group, Peer, Turn } from '../state.ts'
import { log } from '../turn.ts'
import {
  type OperatorOrder,
  ORDER_PATIENCE_MS,
  type OrderTask,
  type PauseTask,
} from './operator-order.ts'
import { holdersOf, peerName } from './pause.ts'
import { takeOrder } from './pause-news.ts'
import { isNewerOrder, orderKey, pauseLeftMs } from './pause-record.ts'
import { isInReachToShare, sharePause } from './share-pause.ts'

/** Operators who give orders against one another get an answer, too. */
const ATTEMPTS_MAX = 5

/** Begins an order. If no peer can be asked it is over at once, and `reply` is set. */
export function beginOrder(
  turn: Turn,
  group: Group,
  client: number,
  task: OrderTask,
): OperatorOrder {
  const order: OperatorOrder = {
    ...{ client, group: group.config.name, task },
    ...{ waiting: new Set<string>(), agreed: new Set<string>() },
    ...{ refusals: [], remarks: new Set<string>() },
    ...{ untilMs: turn.now.monoMs + ORDER_PATIENCE_MS, reply: undefined },
  }
  turn.state.orders.push(order)
  turn.state.timers.advance(turn.state.tilt, 'orders', order.untilMs)
  return order
}

/** Begins with a look at what the others know, or, for a resume, at once. */
export function beginPauseOrder(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  task: PauseTask,
): void {
  if (task.phase === 'give') return givePauseOrder(turn, group, order, task)
  shareWithAll(turn, group, order)
  concludePauseIfAnswered(turn, group, order, task)
}

/** The last order that takes effect here counts. One that still waits would overrule it, and be overruled, in turns. */
function endEarlierOrders(turn: Turn, group: Group, order: OperatorOrder, by: string): void {
  for (const other of ordersOf(turn, group)) {
    if (other === order || other.task.kind === 'forget') continue
    other.reply = error(`INPROG ${by} gave another order meanwhile, and that one counts`)
  }
}

/** Puts the order into effect here, and tells every peer that can be told. */
function givePauseOrder(turn: Turn, group: Group, order: OperatorOrder, task: PauseTask): void {
  const { kind, durationMs: leftMs, by, reason } = task
  if (task.attempts === 0) endEarlierOrders(turn, group, order, by)
  task.number = group.pause.number + 1
  task.attempts++
  const told = { number: task.number, kind, origin: turn.state.myid, by, reason }
  takeOrder(turn, group, { ...told, leftMs, isSure: true }, () => shareWithAll(turn, group, order))
  concludePauseIfAnswered(turn, group, order, task)
}

function shareWithAll(turn: Turn, group: Group, { waiting, agreed }: OperatorOrder): void {
  waiting.clear()
  agreed.clear()
  for (const peer of group.peers.values()) {
    if (!isInReachToShare(peer)) continue
    waiting.add(peer.runId)
    sharePause(turn, peer)
  }
}

/** A peer has answered what we shared under this number, or could not. */
export function notePauseAnswered(
  turn: Turn,
  peer: Peer,
  number: number,
  { isBusy, refusal }: { readonly isBusy: boolean; readonly refusal: string | undefined },
): void {
  const { group } = peer
  for (const order of ordersOf(turn, group)) {
    const { task } = order
    if (task.kind === 'forget' || task.number !== number) continue
    order.waiting.delete(peer.runId)
    if (refusal === undefined) order.agreed.add(peer.runId)
    if (isBusy) order.remarks.add('A failover that had begun before goes on')
    if (refusal !== undefined) order.refusals.push(`${peerName(peer)}: ${refusal}`)
    concludePauseIfAnswered(turn, group, order, task)
  }
}

/** The time of the peers is up. */
export function concludePause(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  task: PauseTask,
): void {
  if (task.phase === 'ask') return concludeAsking(turn, group, order, task)
  const held = holdersOf(group, electorsOf(group))
  const isHeld = held >= majority(electorCount(group))
  if (task.kind === 'resume') order.reply = resumedReply(group, held)
  else if (isHeld) order.reply = pausedReply(group, order, task, held)
  else withdraw(turn, group, order, task, held)
}

function concludeAsking(turn: Turn, group: Group, order: OperatorOrder, task: PauseTask): void {
  const able = 1 + electorsOf(group).filter(({ runId }) => order.agreed.has(runId)).length
  if (able < majority(electorCount(group))) {
    order.reply = notEnough(group, able, order.refusals)
    return
  }
  task.phase = 'give'
  order.refusals.length = 0
  order.untilMs = turn.now.monoMs + ORDER_PATIENCE_MS
  turn.state.timers.advance(turn.state.tilt, 'orders', order.untilMs)
  givePauseOrder(turn, group, order, task)
}

function concludePauseIfAnswered(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  task: PauseTask,
): void {
  if (order.reply !== undefined) return
  if (isOverruled(turn, group, task)) return overrule(turn, group, order, task)
  if (order.waiting.size === 0) concludePause(turn, group, order, task)
}

/** A peer held an order of a higher number, which we had not heard of. */
function isOverruled({ state }: Turn, { pause }: Group, task: PauseTask): boolean {
  if (task.phase === 'ask') return false
  const { number, kind } = task
  const ours = { ...pause, number, kind, origin: state.myid }
  return orderKey(pause) !== orderKey(ours) && isNewerOrder(pause, ours)
}

function overrule(turn: Turn, group: Group, order: OperatorOrder, task: PauseTask): void {
  if (task.attempts < ATTEMPTS_MAX) return givePauseOrder(turn, group, order, task)
  order.reply = error(`INPROG ${group.pause.by} gives other orders at the same time. Try again`)
}

/**
 * Below a majority a pause would promise what it cannot keep: it is taken back, and refused. A pause
 * that it was to prolong goes on. That happens only if Sentinels are lost between two round trips.
 */
function withdraw(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  { before, by }: PauseTask,
  held: number,
): void {
  const leftMs = Math.ceil(pauseLeftMs(before, turn.now.monoMs))
  const { number } = group.pause
  const again = { ...before, number: number + 1, kind: 'pause', leftMs } as const
  const none = { number, by, reason: '', kind: 'resume', leftMs: 0 } as const
  const back = { ...(leftMs > 0 ? again : none), origin: turn.state.myid, isSure: true }
  takeOrder(turn, group, back, () => {
    for (const peer of group.peers.values()) sharePause(turn, peer)
  })
  order.reply = notEnough(group, held, order.refusals)
  log(turn, 'warning', `the pause of ${group.config.name} is taken back: too few Sentinels hold it`)
}

export function notEnough(group: Group, held: number, refusals: readonly string[]): Reply {
  const electors = electorCount(group)
  const needed = `${majority(electors)} of ${electors} Sentinels have to hold the pause and ${held} can`
  const others = 'Those out of reach, and redis-sentinels, could fail over: nothing is paused'
  const why = refusals.length === 0 ? '' : ` (${refusals.join('; ')})`
  return error(`NOMAJORITY ${needed}${why}. ${others}`)
}

function pausedReply(group: Group, order: OperatorOrder, task: PauseTask, held: number): Reply {
  const seconds = Math.round(task.durationMs / 1_000)
  const who = `${held} of ${electorCount(group)} Sentinels`
  const text = `OK ${who} hold the pause of '${group.config.name}' for ${seconds} s`
  return simple([text, ...order.remarks].join('. '))
}

function resumedReply(group: Group, held: number): Reply {
  const electors = electorCount(group)
  const text = `OK ${held} of ${electors} Sentinels know that '${group.config.name}' fails over automatically again`
  const later = held < electors ? '. The others hear of it as soon as they can be reached' : ''
  return simple(text + later)
}

export function ordersOf(turn: Turn, { config }: Group): readonly OperatorOrder[] {
  return turn.state.orders.filter(({ group, reply }) => {
    return group === config.name && reply === undefined
  })
}
