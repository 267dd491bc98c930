/**
 * PING, and what its replies mean. Any reply shows that the connection works; only PONG, LOADING and
 * MASTERDOWN show a server that does its work. One PING at a time is on its way: TCP delivers it or
 * the connection dies, a second one would learn nothing more.
 */
import type { Reply } from '../resp/reply.ts'
import { closeStaleLinks, expectAnswer, openLinks, shortestDownAfterMs } from './links.ts'
import type { Link, Turn } from './state.ts'
import { send } from './turn.ts'

const PING_MIN_MS = 100

/**
 * The interval of PINGs. A silent failure is noticed one down-after past the first unanswered PING, so
 * a short down-after needs PINGs well inside it, or the interval would dominate the detection time.
 */
export function pingIntervalMs(pingMs: number, downAfterMs: number): number {
  return Math.min(pingMs, Math.max(PING_MIN_MS, Math.floor(downAfterMs / 5)))
}

/** The periodic round of one link: drop what hangs, open what is missing, send what is due. */
export function keepInTouch(turn: Turn, link: Link): void {
  closeStaleLinks(turn, link)
  openLinks(turn, link)
  sendPing(turn, link)
  const intervalMs = pingIntervalMs(turn.state.config.periods.pingMs, shortestDownAfterMs(link))
  turn.state.timers.set(link, 'ping', turn.now.monoMs + intervalMs)
}

export function sendPing(turn: Turn, link: Link): void {
  const { command } = link
  if (!command?.up || link.pingInFlight) return
  link.pingInFlight = true
  expectAnswer(turn, link)
  send(turn, command, { kind: 'ping' }, ['PING'])
}

/** Notes a reply to PING. Error replies keep the connection alive but leave the instance suspect. */
export function notePingReply(turn: Turn, link: Link, reply: Reply): void {
  link.pingInFlight = false
  link.lastPongAtMs = turn.now.monoMs
  if (isPong(reply)) endReboot(link)
  if (!meansAvailable(reply)) return
  link.lastOkAtMs = turn.now.monoMs
  link.wasOk = true
  link.pingPendingSinceMs = undefined
}

/** The words are compared as they stand, capitals included, as C Sentinel does. */
export function meansAvailable(reply: Reply): boolean {
  if (isPong(reply)) return true
  if (reply.kind !== 'error') return false
  return reply.text.startsWith('LOADING') || reply.text.startsWith('MASTERDOWN')
}

/** A script has kept it from serving anybody for longer than it is allowed. */
export function isBusy(reply: Reply): boolean {
  return reply.kind === 'error' && reply.text.startsWith('BUSY')
}

function isPong(reply: Reply): boolean {
  if (reply.kind === 'simple') return reply.text.startsWith('PONG')
  // The link library does not tell a simple string from a bulk string.
  return reply.kind === 'bulk' && reply.bytes.startsWith('PONG')
}

function endReboot({ owners }: Link): void {
  const [instance] = owners
  if (instance?.kind === 'master') instance.rebootedAtMs = undefined
}
