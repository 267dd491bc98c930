/**
 * Gray masters: they answer PING and refuse writes. To C Sentinel they are well or, if their disk is
 * full, down like any other that does not say PONG. Here they are named at once, with the reason
 * [+gray-master], and if it is configured [gray-after] they are S_DOWN once they have been gray for that
 * long.
 *
 * The complication is a problem that all nodes share. Replicas hold the same data and mostly have the
 * same limits: a failover to one that is full as well would only move the problem, and the next would
 * move it back. So a gray master stays where it is until some replica could take its writes.
 *
 * Writes that are held back and not refused (CLIENT PAUSE) need none of this: PUBLISH waits like a write,
 * so our next hello waits too, and the PINGs after it: such a master is silent. It can be told from one
 * that hangs when we give that connection up, because it answers at once on the next.
 */
import type { Reply } from '../../resp/reply.ts'
import { requestInfo } from '../discovery/info-request.ts'
import { announce, describe } from '../events.ts'
import { barOf, isTooOld } from '../failover/selection.ts'
import type { DataInstance, Link, Master, Replica, Turn } from '../state.ts'
import { isSdown } from '../state.ts'
import { log } from '../turn.ts'
import {
  isBetterForWrites,
  type ReportedWrites,
  withInfo,
  withPing,
  writeFaults,
} from './write-faults.ts'

export function notePingForWrites(turn: Turn, link: Link, reply: Reply): void {
  const [instance] = link.owners
  if (instance === undefined || instance.kind === 'sentinel') return
  if (link.hasHeldHello) nameHeldWrites(turn, link, instance)
  instance.writes = withPing(instance.writes, reply)
  checkGray(turn, instance)
}

export function noteInfoForWrites(turn: Turn, instance: DataInstance, facts: ReportedWrites): void {
  instance.writes = withInfo(instance.writes, facts, turn.now.monoMs)
  checkGray(turn, instance)
}

/** When a gray master counts as down; undefined if it is not gray, or a failover would gain nothing. */
export function grayDownAtMs(turn: Turn, { gray, group }: Master): number | undefined {
  const { grayAfterMs } = group.config
  if (gray === undefined || grayAfterMs === 0) return undefined
  return hasBetterReplica(turn, group.master) ? gray.sinceMs + grayAfterMs + 1 : undefined
}

/** Since when it is gray and why, as words after its name. */
export function describeGray(turn: Turn, master: Master): string {
  const sinceMs = master.gray?.sinceMs ?? turn.now.monoMs
  return `refuses writes for ${Math.floor(turn.now.monoMs - sinceMs)} ms: ${faultsOf(master)}`
}

/** The same, and what will be done about it. */
export function grayRemark(turn: Turn, master: Master): string {
  return `${describeGray(turn, master)}${outlook(turn, master)}`
}

function faultsOf({ writes }: Master): string {
  return writeFaults(writes).join(' and ')
}

function nameHeldWrites(turn: Turn, link: Link, instance: DataInstance): void {
  link.hasHeldHello = false
  const found = 'did not answer our PUBLISH, nor PINGs behind it, and answers on a new connection'
  const meaning = 'writes are held back there (CLIENT PAUSE, FAILOVER), or it hung meanwhile'
  log(turn, 'notice', `${describe(turn.state, instance)} ${found}: ${meaning}`)
}

function checkGray(turn: Turn, instance: DataInstance): void {
  if (instance.kind === 'replica') return
  const isGray = writeFaults(instance.writes).length > 0
  if (isGray && instance.gray === undefined) begin(turn, instance)
  else if (!isGray && instance.gray !== undefined) end(turn, instance)
  else if (isGray) remindOfPatience(turn, instance)
}

function begin(turn: Turn, master: Master): void {
  master.gray = { sinceMs: turn.now.monoMs, isOverdueSaid: false }
  const reason = `${faultsOf(master)}${outlook(turn, master)}`
  announce(turn, '+gray-master', master, { reason })
  // Whether one of them would do better may have to be known soon.
  for (const replica of master.group.replicas.values()) requestInfo(turn, replica)
}

function end(turn: Turn, master: Master): void {
  master.gray = undefined
  announce(turn, '-gray-master', master)
}

/** Said once: its time is up, and it stays the master all the same. */
function remindOfPatience(turn: Turn, master: Master): void {
  const { gray, group } = master
  const { grayAfterMs } = group.config
  if (gray === undefined || gray.isOverdueSaid || grayAfterMs === 0) return
  if (turn.now.monoMs - gray.sinceMs <= grayAfterMs || hasBetterReplica(turn, master)) return
  gray.isOverdueSaid = true
  log(turn, 'warning', `${describe(turn.state, master)} ${grayRemark(turn, master)}`)
}

function outlook(turn: Turn, master: Master): string {
  const { grayAfterMs } = master.group.config
  if (grayAfterMs === 0) return ''
  if (!hasBetterReplica(turn, master)) return '; no replica is better, so it stays the master'
  return `; it counts as down after ${grayAfterMs} ms of this if a replica is better then`
}

function hasBetterReplica(turn: Turn, { group }: Master): boolean {
  return [...group.replicas.values()].some((replica) => isBetter(turn, replica))
}

/** Demands less than a promotion at this moment would: a verdict must not depend on one late answer. */
function isBetter(turn: Turn, replica: Replica): boolean {
  if (isSdown(replica) || replica.infoAtMs === undefined) return false
  if (barOf(turn.state, replica) !== undefined) return false
  const { master } = replica.group
  return isBetterForWrites(replica.writes, master.writes) && !isTooOld(turn, replica)
}
