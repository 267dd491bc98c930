/**
 * An ordered failover of a strict group, before the fence: the master is told who its heir will be. It sends
 * clients there that ask for it (CLIENT MAINT_NOTIFICATIONS), lets all others wait, and answers when the heir
 * has everything. Then the leader fences all voters at once instead of the master first.
 *
 * No promise depends on it. A master that refuses, or is too slow, is fenced all the same: its clients wait, and
 * the leader waits for the rest of its stream. If no fence comes, the master goes on when the time is up.
 */
import type { Reply } from '../../resp/reply.ts'
import { describe } from '../events.ts'
import type { DataInstance, Failover, Group, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { log, send } from '../turn.ts'
import { handoverCandidates } from './coordinated.ts'
import { listedAs } from './coordinated-commands.ts'
import type { FencedHandover } from './failover-kinds.ts'
import { inPromotionOrder } from './selection.ts'
import { voterInstances } from './voters.ts'

/** How long a master may take to send its clients to its heir. No PING is answered behind the order. */
const HANDOVER_MS = 2_000
const HANDOVER_SHARE_OF_DOWN_AFTER = 1 / 2

/** Tells the master who its heir will be; undefined: there is none, or the master is none. */
export function orderHandover(
  turn: Turn,
  group: Group,
  failover: Failover,
  leader: string,
): FencedHandover | undefined {
  const { master } = group
  const connection = commandLink(master)
  if (failover.kind !== 'forced' || master.sync?.state !== 'master') return undefined
  const voters = voterInstances(turn.state, group)
  const fit = handoverCandidates(turn, group).filter(
    (one) => voters.includes(one) && one.sync?.isVoter === true,
  )
  const { target } = failover
  const [best] = inPromotionOrder(turn.state, fit)
  const heir = target === undefined ? best : fit.find((one) => one === target)
  if (heir === undefined || connection === undefined) return undefined
  const { host, port } = listedAs(turn.state, group, heir)
  const words = [host, String(port), String(handoverLimitMs(group))]
  const { epoch } = failover
  const purpose = { kind: 'fence', group: group.config.name, part: 'handover', epoch } as const
  send(turn, connection, purpose, ['FENCE', String(epoch), leader, 'HANDOVER', ...words])
  return { heir: heir.name, state: 'asked' }
}

export function handoverLimitMs({ config }: Group): number {
  return Math.floor(Math.min(HANDOVER_MS, config.downAfterMs * HANDOVER_SHARE_OF_DOWN_AFTER))
}

/** A master that cannot do it is fenced all the same, and its clients wait. */
export function noteHandover(turn: Turn, master: DataInstance, epoch: number, reply: Reply): void {
  const { failover } = master.group
  const handover = failover?.epoch === epoch ? failover.fencing?.handover : undefined
  if (handover === undefined) return
  handover.state = reply.kind === 'error' ? 'refused' : 'ready'
  if (reply.kind !== 'error') return
  log(turn, 'warning', `${describe(turn.state, master)} sends no clients ahead: ${reply.text}`)
}
