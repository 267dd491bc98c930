/**
 * A coordinated failover loses no write: it does not tell the replica to become a master, but the master
 * to hand over to it, which the master does once the replica has everything. The Sentinel wins an
 * election first, because there is only one way to change the master, and then only gives the order and
 * watches.
 *
 * What can go wrong, and what is done:
 * - The master refuses, or says later that it has given up: the failover ends, and writes go on at once.
 * - The master dies: the leader stays elected, and replaces it like any other dead master.
 * - The leader dies: the nodes finish by themselves, or the master's own time limit ends it. In the first
 *   case the others find a master that calls itself the replica of its successor, and adopt that one.
 * - TILT: nothing is done until it ends. The limits the master was given hold meanwhile.
 */
import type { Reply } from '../../resp/reply.ts'
import { requestInfo, scheduleInfo } from '../discovery/info-request.ts'
import { announce, describe } from '../events.ts'
import type { Purpose } from '../purpose.ts'
import type { Failover, Group, Instance, Master, Replica, State, Turn } from '../state.ts'
import { commandLink, isOdown, isSdown } from '../state.ts'
import { log } from '../turn.ts'
import { sendHandover, sendRelease } from './coordinated-commands.ts'
import { abortFailover, enter } from './failover-state.ts'
import { followedByMaster, heirOf } from './node-failover-report.ts'
import { promotableReplicas } from './selection.ts'
import { follows } from './slaveof.ts'

/** With less time left than this we no longer ask the master: it could not even hear from its replica. */
const HANDOVER_MIN_MS = 1_000

/** The replicas that the master can hand over to: those connected to it. */
export function handoverCandidates(turn: Turn, group: Group): Replica[] {
  return promotableReplicas(turn, group).filter((one) => canBeHandedTo(turn.state, one))
}

export function canBeHandedTo(state: State, replica: Replica): boolean {
  return replica.masterLinkUp && follows(state, replica, replica.group.config)
}

/** send_slaveof_noone, when the order goes to the master. */
export function stepHandover(turn: Turn, group: Group, failover: Failover): void {
  const { promoted } = failover
  const endMs = failover.stateChangedAtMs + group.config.failoverTimeoutMs
  const leftMs = Math.floor(endMs - turn.now.monoMs)
  if (promoted === undefined || isSdown(promoted)) {
    abortFailover(turn, group, '-failover-abort-slave-timeout')
  } else if (leftMs < HANDOVER_MIN_MS) {
    abortFailover(turn, group, '-failover-abort-master-timeout')
  } else if (sendHandover(turn, group, promoted, leftMs)) {
    failover.hasOrdered = true
    enter(turn, failover, 'wait_promotion')
    announce(turn, '+failover-state-wait-promotion', promoted)
    for (const one of [group.master, promoted]) scheduleInfo(turn, one)
  } else {
    turn.state.timers.set(group, 'failover', endMs - HANDOVER_MIN_MS + 1)
  }
}

/**
 * Notes a node's reply to a step of it. Calling off a handover that has ended by itself is refused,
 * which is no news.
 */
export function noteHandoverReply(
  turn: Turn,
  instance: Instance,
  purpose: Purpose & { readonly kind: 'handover' },
  reply: Reply,
): void {
  if (purpose.part === 'order') noteOrderReply(turn, instance.group, purpose.epoch, reply)
  if (purpose.part === 'release') noteReleaseReply(turn, instance, purpose.epoch, reply)
}

function noteReleaseReply(turn: Turn, instance: Instance, epoch: number, reply: Reply): void {
  const { failover } = instance.group
  const isOver = reply.kind === 'array' || isAborted(reply)
  if (isOver && instance.kind === 'master' && failover?.epoch === epoch) failover.release = 'done'
  if (reply.kind !== 'error') return
  const who = describe(turn.state, instance)
  log(turn, 'warning', `${who} refuses to send its clients to the new master: ${reply.text}`)
}

function noteOrderReply(turn: Turn, group: Group, epoch: number, reply: Reply): void {
  const { failover } = group
  if (failover?.epoch !== epoch || failover.state !== 'wait_promotion') return
  const refusal = refusalIn(reply)
  // The error of a command that was not queued says why; that EXEC was aborted because of it says
  // nothing.
  if (refusal !== undefined) failover.refusal ??= refusal
  if (reply.kind === 'array' && refusal === undefined) {
    failover.acceptedAtMs = turn.now.monoMs
    requestInfo(turn, group.master)
  } else if (reply.kind === 'array' || isAborted(reply)) {
    giveUp(turn, group, `refused to hand over: ${failover.refusal}`)
  }
}

/** After our order the master says that it is a master and is not handing over: it has given up. */
export function hasGivenUp({ master }: Group, failover: Failover): boolean {
  const settledAtMs = failover.acceptedAtMs ?? newLinkSinceMs(master, failover.stateChangedAtMs)
  if (settledAtMs === undefined || master.infoAtMs === undefined) return false
  if (master.infoAtMs <= settledAtMs) return false
  return master.roleReported === 'master' && master.failoverReported === 'none'
}

/** The order may have been lost with the connection; on the next one we learn what became of it. */
function newLinkSinceMs(master: Master, orderedAtMs: number): number | undefined {
  const openedAtMs = commandLink(master)?.openedAtMs ?? 0
  return openedAtMs > orderedAtMs ? openedAtMs : undefined
}

/** For the old master the exchange is over, whatever we hear or do not hear from the new one. */
export function isHandedOver(turn: Turn, group: Group, promoted: Replica): boolean {
  return (
    group.master.failoverReported === 'none' && followedByMaster(turn.state, group) === promoted
  )
}

export function giveUp(turn: Turn, group: Group, reason: string): void {
  log(
    turn,
    'warning',
    `coordinated failover of ${describe(turn.state, group.master)}: the master ${reason}`,
  )
  abortFailover(turn, group, '-failover-abort-master-timeout')
}

/**
 * The new master has been announced: clients that wait at the old one are sent there, whatever made the
 * old one hand over.
 */
export function releaseClients(turn: Turn, group: Group, failover: Failover): void {
  const wasTold = failover.kind === 'coordinated' || failover.fencing?.handover?.state === 'ready'
  if (!wasTold && followedByMaster(turn.state, group) !== failover.promoted) return
  // No hello before this: it would wait at the old master, and the release after it.
  failover.release = sendRelease(turn, group.master) ? 'sent' : 'done'
  if (failover.promoted !== undefined) sendRelease(turn, failover.promoted)
}

/**
 * The switch closes the connection to the old master: it must wait while clients there depend on our
 * release.
 */
export function awaitsRelease({ master }: Group, { release }: Failover): boolean {
  return release === 'sent' && commandLink(master) !== undefined && !isSdown(master)
}

/**
 * The quorum says that the master is dead: it cannot hand over any more. Our votes say which Sentinel may
 * replace the master in this epoch, not why, so no other election is needed; the replica is chosen again,
 * because the chosen one may be behind others by now. If it has already taken over, it stays.
 */
export function replaceDeadMaster(turn: Turn, group: Group, failover: Failover): void {
  if (failover.kind !== 'coordinated' || !isOdown(group)) return
  if (failover.state === 'reconf_slaves' || failover.state === 'update_config') return
  const master = describe(turn.state, group.master)
  log(turn, 'warning', `${master} died during its coordinated failover: it is replaced without it`)
  failover.kind = 'automatic'
  failover.target = undefined
  const { promoted } = failover
  if (promoted === undefined) return
  failover.heir = promoted
  promoted.promoted = false
  failover.promoted = undefined
  enter(turn, failover, 'select_slave')
  announce(turn, '+failover-state-select-slave', group.master)
}

/**
 * The replica that the master has handed over to, if the replica says so itself: no other has more
 * of the data.
 */
export function acknowledgedHeir(
  turn: Turn,
  group: Group,
  failover: Failover,
): Replica | undefined {
  const heir = failover.heir ?? heirOf(turn.state, group)
  return heir?.roleReported === 'master' ? heir : undefined
}

function isAborted(reply: Reply): boolean {
  return reply.kind === 'error' && reply.text.startsWith('EXECABORT')
}

/** The first error in a reply, also within the replies of a transaction. */
function refusalIn(reply: Reply): string | undefined {
  if (reply.kind === 'error') return reply.text
  if (reply.kind !== 'array') return undefined
  for (const item of reply.items) if (item.kind === 'error') return item.text
  return undefined
}
