/**
 * PING, and what its replies mean. Any reply shows that the connection works; only PONG, LOADING and
 * MASTERDOWN show a server that does its work. One PING at a time is on its way: TCP delivers it or
 * the connection dies, a second one would learn nothing more.
 */
import type { Reply } from '../resp/reply.ts'
import { closeStaleLinks, openLinks } from './links.ts'
import type { Instance, Turn } from './state.ts'
import { commandLink } from './state.ts'
import { send } from './turn.ts'

const PING_MIN_MS = 100

/**
 * The interval of PINGs. A silent failure is noticed one down-after past the first unanswered PING, so
 * a short down-after needs PINGs well inside it, or the interval would dominate the detection time.
 */
export function pingIntervalMs(pingMs: number, downAfterMs: number): number {
  return Math.min(pingMs, Math.max(PING_MIN_MS, Math.floor(downAfterMs / 5)))
}

/** The periodic round of one instance: drop what hangs, open what is missing, send what is due. */
export function keepInTouch(turn: Turn, instance: Instance): void {
  closeStaleLinks(turn, instance)
  openLinks(turn, instance)
  sendPing(turn, instance)
  const intervalMs = pingIntervalMs(
    turn.state.config.periods.pingMs,
    instance.group.config.downAfterMs,
  )
  turn.state.timers.set(instance, 'ping', turn.now.monoMs + intervalMs)
}

export function sendPing(turn: Turn, instance: Instance): void {
  const connection = commandLink(instance)
  const { link } = instance
  if (connection === undefined || link.pingInFlight) return
  link.pingInFlight = true
  link.pingPendingSinceMs ??= turn.now.monoMs
  const { downAfterMs } = instance.group.config
  turn.state.timers.advance(instance, 'down', link.pingPendingSinceMs + downAfterMs + 1)
  send(turn, connection, { kind: 'ping' }, ['PING'])
}

/** Notes a reply to PING. Error replies keep the connection alive but leave the instance suspect. */
export function notePingReply(turn: Turn, instance: Instance, reply: Reply): void {
  const { link } = instance
  link.pingInFlight = false
  link.lastPongAtMs = turn.now.monoMs
  if (!meansAvailable(reply)) return
  link.lastOkAtMs = turn.now.monoMs
  link.wasOk = true
  link.pingPendingSinceMs = undefined
}

function meansAvailable(reply: Reply): boolean {
  if (reply.kind === 'simple') return reply.text.startsWith('PONG')
  // The link library does not tell a simple string from a bulk string.
  if (reply.kind === 'bulk') return reply.bytes.startsWith('PONG')
  if (reply.kind !== 'error') return false
  return reply.text.startsWith('LOADING') || reply.text.startsWith('MASTERDOWN')
}
