/**
 * PING, and what its replies mean. Any reply shows that the connection works; only PONG, LOADING and
 * MASTERDOWN show a server that does its work.
 *
 * While an answer is due, another PING follows every second. A host that lost its power with our PING and is
 * back has forgotten the connection, and says so only to something new.
 */
import { smoothed, upperBoundMs } from '../../base/smoothed.ts'
import type { Reply } from '../../resp/reply.ts'
import { nextRoundMs } from '../grid.ts'
import {
  closeStaleLinks,
  expectAnswer,
  isBackedUp,
  openLinks,
  shortestDownAfterMs,
} from '../links/links.ts'
import type { Connection, Link, State, Turn } from '../state.ts'
import { send } from '../turn.ts'
import { notePingForWrites } from './gray-master.ts'

const PING_MIN_MS = 100
/** We send up to a hundred PINGs a second to masters, in order to notice silence sooner. */
const MASTER_PING_COST_MS = 10
/** If an answer takes longer than this, and than it usually takes, we ask the peers. */
const SUSPECT_MIN_MS = 20

/**
 * The interval of PINGs. A silent failure is noticed one down-after past the first unanswered PING, and for
 * a master with a short down-after the interval must not dominate that. The first Sentinel whose PING stays
 * unanswered makes the others send theirs at once (confer.ts), so that their number helps as well.
 */
export function pingIntervalMs({ config, groups }: State, link: Link): number {
  const downAfterMs = shortestDownAfterMs(link)
  const { pingMs } = config.periods
  if (isOfMaster(link)) return masterPingMs(downAfterMs, groups.size, pingMs)
  return withinBounds(downAfterMs, pingMs)
}

/** The interval of PINGs to a master, for a Sentinel of so many groups. */
export function masterPingMs(downAfterMs: number, masters: number, pingMs: number): number {
  return withinBounds(masterIntervalMs(downAfterMs, masters), pingMs)
}

function withinBounds(neededMs: number, pingMs: number): number {
  return Math.min(pingMs, Math.max(PING_MIN_MS, Math.floor(neededMs)))
}

/** As often as the detection needs, unless there are so many masters that it would cost too much. */
function masterIntervalMs(downAfterMs: number, masters: number): number {
  return Math.min(downAfterMs, Math.max(downAfterMs / 5, masters * MASTER_PING_COST_MS))
}

/** The periodic round of one link: closes what hangs, opens what is missing, sends what is due. */
export function keepInTouch(turn: Turn, link: Link): void {
  closeStaleLinks(turn, link)
  openLinks(turn, link)
  sendPing(turn, link)
  schedulePing(turn, link)
}

function schedulePing({ state, now }: Turn, link: Link): void {
  const slot = state.slot + (link.owners[0]?.slot ?? 0)
  state.timers.set(link, 'ping', nextRoundMs(now.monoMs, pingIntervalMs(state, link), slot))
}

export function sendPing(turn: Turn, link: Link): void {
  const { command } = link
  if (!command?.up || (link.pingsInFlight > 0 && !isAnotherDue(turn, link, command))) return
  link.pingsInFlight++
  link.pingSentAtMs = turn.now.monoMs
  expectAnswer(turn, link)
  const isFirst = link.pingsInFlight === 1
  if (isFirst && isOfMaster(link)) {
    turn.state.timers.set(link, 'suspect', suspectAtMs(turn, link))
  }
  send(turn, command, { kind: 'ping' }, ['PING'])
}

function isAnotherDue({ state, now }: Turn, link: Link, command: Connection): boolean {
  return now.monoMs - link.pingSentAtMs >= state.config.periods.pingMs && !isBackedUp(command)
}

/** Notes a reply to PING. Error replies keep the connection alive but leave the instance suspect. */
export function notePingReply(turn: Turn, link: Link, reply: Reply): void {
  link.pingsInFlight = Math.max(0, link.pingsInFlight - 1)
  link.lastPongAtMs = turn.now.monoMs
  if (link.pingsInFlight === 0) {
    link.roundTrips = smoothed(link.roundTrips, turn.now.monoMs - link.pingSentAtMs)
  }
  turn.state.timers.clear(link, 'suspect')
  if (isPong(reply)) endReboot(link)
  notePingForWrites(turn, link, reply)
  if (!meansAvailable(reply)) return
  link.lastOkAtMs = turn.now.monoMs
  link.wasOk = true
  link.pingPendingSinceMs = undefined
  const [instance] = link.owners
  if (instance?.kind === 'master') instance.refusal = undefined
}

/** The words must match exactly, capitals included, as in C Sentinel. */
export function meansAvailable(reply: Reply): boolean {
  if (isPong(reply)) return true
  if (reply.kind !== 'error') return false
  return reply.text.startsWith('LOADING') || reply.text.startsWith('MASTERDOWN')
}

/** A script has kept it from serving clients for longer than it may. */
export function isBusy(reply: Reply): boolean {
  return reply.kind === 'error' && reply.text.startsWith('BUSY')
}

/** Too late to be chance, and early enough for the peers to be of use. */
function suspectAtMs({ now }: Turn, link: Link): number {
  const usualMs = link.roundTrips === undefined ? 0 : 2 * upperBoundMs(link.roundTrips)
  const latestMs = Math.max(SUSPECT_MIN_MS, shortestDownAfterMs(link) / 4)
  return now.monoMs + Math.ceil(Math.min(latestMs, Math.max(SUSPECT_MIN_MS, usualMs)))
}

function isOfMaster({ owners }: Link): boolean {
  return owners[0]?.kind === 'master'
}

function isPong(reply: Reply): boolean {
  if (reply.kind === 'simple') return reply.text.startsWith('PONG')
  // C Sentinel does not check the kind of string either.
  return reply.kind === 'bulk' && reply.bytes.startsWith('PONG')
}

function endReboot({ owners }: Link): void {
  const [instance] = owners
  if (instance?.kind === 'master') instance.rebootedAtMs = undefined
}
