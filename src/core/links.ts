/**
 * Connections to instances. The machine owns them: it opens them, gives up on them and opens them
 * anew, so that every such decision can be replayed; the driver only carries bytes. Masters and
 * replicas get two, one for commands and one that listens to hellos; a Sentinel gets one.
 */
import type { LinkId } from './ids.ts'
import type { Connection, Instance, Turn } from './state.ts'
import { emit } from './turn.ts'

/** A refused connection is tried again after this long, if the PING interval is not shorter. */
const REOPEN_MS = 1_000
/** A connection that is not established by then is given up: the SYN may have gone into a partition. */
const CONNECT_PATIENCE_MS = 2_000

/** Opens what is missing, but no more often than the instance's reopening interval. */
export function openLinks(turn: Turn, instance: Instance): void {
  if (turn.state.stopping || instance.port === 0 || !lacksLink(instance)) return
  const { link } = instance
  const allowedAtMs = (link.lastOpenedAtMs ?? -Infinity) + reopenMs(turn, instance)
  if (allowedAtMs > turn.now.monoMs) {
    turn.state.timers.set(instance, 'reconnect', allowedAtMs)
    return
  }
  link.lastOpenedAtMs = turn.now.monoMs
  link.command ??= open(turn, instance, 'command')
  if (instance.kind !== 'sentinel') link.pubsub ??= open(turn, instance, 'pubsub')
}

export function closeLinks(turn: Turn, instance: Instance): void {
  closeLink(turn, instance.link.command)
  closeLink(turn, instance.link.pubsub)
}

/** Closes one connection on our own initiative; nothing is heard of it again. */
export function closeLink(turn: Turn, connection: Connection | undefined): void {
  if (connection === undefined) return
  forgetConnection(turn, connection)
  emit(turn, { kind: 'closeLink', link: connection.id })
}

/** Takes a closed connection out of the records, and with it the replies it still owed. */
export function forgetConnection(turn: Turn, connection: Connection): void {
  const { instance } = connection
  turn.state.connections.delete(connection.id)
  if (connection.channel === 'pubsub') {
    instance.link.pubsub = undefined
    return
  }
  instance.link.command = undefined
  instance.link.pingInFlight = false
  instance.helloPending = false
  if (instance.kind === 'sentinel') instance.askPending = false
  else instance.infosPending = 0
}

export function findConnection(turn: Turn, id: LinkId): Connection | undefined {
  return turn.state.connections.get(id)
}

/** Connections that hang: never established, or silent for longer than a healthy one can be. */
export function closeStaleLinks(turn: Turn, instance: Instance): void {
  const { command, pubsub } = instance.link
  if (command !== undefined && isStaleCommand(turn, instance, command)) closeLink(turn, command)
  if (pubsub !== undefined && isStalePubsub(turn, instance, pubsub)) closeLink(turn, pubsub)
}

function isStaleCommand(turn: Turn, instance: Instance, connection: Connection): boolean {
  const nowMs = turn.now.monoMs
  const ageMs = nowMs - connection.openedAtMs
  if (!connection.up) return ageMs > CONNECT_PATIENCE_MS
  const { pingPendingSinceMs, lastPongAtMs } = instance.link
  const patienceMs = instance.group.config.downAfterMs / 2
  return (
    ageMs > turn.state.config.periods.minLinkReconnectMs &&
    pingPendingSinceMs !== undefined &&
    nowMs - pingPendingSinceMs > patienceMs &&
    nowMs - lastPongAtMs > patienceMs
  )
}

/** Our own hellos echo back, so a healthy subscription is never silent for three periods. */
function isStalePubsub(turn: Turn, instance: Instance, connection: Connection): boolean {
  const ageMs = turn.now.monoMs - connection.openedAtMs
  if (!connection.up) return ageMs > CONNECT_PATIENCE_MS
  const { minLinkReconnectMs, helloMs } = turn.state.config.periods
  const silentMs = turn.now.monoMs - instance.link.pubsubActiveAtMs
  return ageMs > minLinkReconnectMs && silentMs > 3 * helloMs
}

function lacksLink(instance: Instance): boolean {
  const { command, pubsub } = instance.link
  return command === undefined || (instance.kind !== 'sentinel' && pubsub === undefined)
}

function reopenMs(turn: Turn, instance: Instance): number {
  return Math.min(
    REOPEN_MS,
    turn.state.config.periods.pingMs,
    instance.group.config.downAfterMs / 4,
  )
}

function open(turn: Turn, instance: Instance, channel: 'command' | 'pubsub'): Connection {
  const connection: Connection = {
    id: turn.state.nextLinkId++,
    instance,
    channel,
    up: false,
    openedAtMs: turn.now.monoMs,
    pending: 0,
    localHost: '',
  }
  turn.state.connections.set(connection.id, connection)
  const { host, port } = instance
  emit(turn, { kind: 'openLink', link: connection.id, channel, host, port })
  return connection
}
