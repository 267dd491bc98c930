/**
 * SENTINEL FORGET as an order to all Sentinels, in two phases: first the peers are asked whether they see
 * the instance down as well, and a majority has to; then all are told to forget it.
 */
import { hostAndPort } from '../../base/ip.ts'
import { error, type Reply, simple } from '../../resp/reply.ts'
import {
  type Forgettable,
  forgetInstance,
  instanceAt,
  objectionToForget,
} from '../discovery/forget.ts'
import { electorCount, majority } from '../election/quorum.ts'
import { describe } from '../events.ts'
import { shownHost } from '../names/names.ts'
import type { Purpose } from '../purpose.ts'
import type { Group, Peer, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { send } from '../turn.ts'
import { type ForgetTask, type OperatorOrder, ORDER_PATIENCE_MS } from './operator-order.ts'
import { ordersOf } from './orders.ts'
import { peerName } from './pause.ts'
import { isInReachToShare } from './share-pause.ts'

const FORMER_MASTER =
  'It was a master: should it come back as one, no Sentinel will turn it into a replica'

type ForgetPurpose = Purpose & { readonly kind: 'forget' }

/** Begins a phase: sends the question, or the order, to every peer that can be asked. */
export function beginPhase(turn: Turn, group: Group, order: OperatorOrder, task: ForgetTask): void {
  const { host, port, phase } = task
  const { name } = group.config
  const words = ['SENTINEL', 'FORGET', name, shownHost(turn.state, host), String(port)]
  for (const peer of group.peers.values()) {
    const connection = commandLink(peer)
    if (connection === undefined || !isInReachToShare(peer)) continue
    order.waiting.add(peer.runId)
    const purpose = { kind: 'forget', group: name, host, port, phase } as const
    send(turn, connection, purpose, [...words, phase === 'ask' ? 'CHECK' : 'LOCAL'])
  }
  if (order.waiting.size === 0) concludeForget(turn, group, order, task)
}

export function noteForgetAnswer(turn: Turn, peer: Peer, purpose: ForgetPurpose, reply: Reply) {
  for (const order of ordersOf(turn, peer.group)) {
    const { task } = order
    if (task.kind !== 'forget' || task.phase !== purpose.phase) continue
    if (task.host !== purpose.host || task.port !== purpose.port) continue
    order.waiting.delete(peer.runId)
    if (reply.kind === 'error') order.refusals.push(`${peerName(peer)}: ${reply.text}`)
    else order.agreed.add(peer.runId)
    if (order.waiting.size === 0) concludeForget(turn, peer.group, order, task)
  }
}

/** All peers have answered, or their time is up. */
export function concludeForget(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  task: ForgetTask,
): void {
  if (task.phase === 'tell') order.reply = forgottenReply(group, order, task)
  else order.reply = refusalOf(group, order) ?? forgetHere(turn, group, order, task)
}

function refusalOf(group: Group, order: OperatorOrder): Reply | undefined {
  const { refusals, agreed: yes } = order
  const said = refusals.length === 0 ? '' : ` (${refusals.join('; ')})`
  if (refusals.some((text) => text.includes(': ALIVE '))) {
    return error(`ALIVE another Sentinel does not see it down: nothing is forgotten${said}`)
  }
  const electors = electorCount(group)
  const [agreed, needed] = [1 + yes.size, majority(electors)]
  if (agreed >= needed) return undefined
  const who = `${agreed} of ${electors} Sentinels agree and it takes ${needed}`
  return error(`NOMAJORITY ${who}: nothing is forgotten${said}. LOCAL makes only this one forget`)
}

/** Here first, then everywhere. Undefined: the peers are being told. */
function forgetHere(
  turn: Turn,
  group: Group,
  order: OperatorOrder,
  task: ForgetTask,
): Reply | undefined {
  const known = instanceAt(turn, group, task)
  const wasMaster = known !== 'master' && known?.kind === 'replica' && known.deposed !== undefined
  if (wasMaster) order.remarks.add(FORMER_MASTER)
  const refusal = forgetLocally(turn, group, task)
  if (refusal !== undefined) return refusal
  task.phase = 'tell'
  order.agreed.clear()
  order.refusals.length = 0
  order.untilMs = turn.now.monoMs + ORDER_PATIENCE_MS
  turn.state.timers.advance(turn.state.tilt, 'orders', order.untilMs)
  beginPhase(turn, group, order, task)
  return order.reply
}

/** Forgets it in this Sentinel alone; what is not known is forgotten already. */
export function forgetLocally(
  turn: Turn,
  group: Group,
  address: Pick<ForgetTask, 'host' | 'port'>,
): Reply | undefined {
  const found = checkForget(turn, group, address)
  if (found === undefined) return undefined
  if ('text' in found) return error(found.text)
  forgetInstance(turn, found.instance)
  return undefined
}

/** What would be forgotten, or why nothing may be; undefined: it is not known here. */
export function checkForget(
  turn: Turn,
  group: Group,
  address: Pick<ForgetTask, 'host' | 'port'>,
): { readonly instance: Forgettable } | { readonly text: string } | undefined {
  const instance = instanceAt(turn, group, address)
  if (instance === undefined) return undefined
  if (instance === 'master') {
    const name = describe(turn.state, group.master)
    return { text: `ERR ${name} is the master: SENTINEL FAILOVER makes another one first` }
  }
  const text = objectionToForget(turn, instance)
  return text === undefined ? { instance } : { text }
}

function forgottenReply(group: Group, order: OperatorOrder, task: ForgetTask): Reply {
  const { refusals, agreed, remarks } = order
  const electors = electorCount(group)
  const gone = hostAndPort(task.host, task.port)
  const what = `OK ${1 + agreed.size} of ${electors} Sentinels have forgotten ${gone}`
  const kept = refusals.length === 0 ? '' : `. It stays known to ${refusals.join('; ')}`
  return simple([what + kept, ...remarks].join('. '))
}
