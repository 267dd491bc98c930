/**
 * Connections to instances. The machine owns them: it opens them, gives up on them and opens them
 * anew, so that every such decision can be replayed; the driver only carries bytes. Masters and
 * replicas get two, one for commands and one that listens to hellos; a Sentinel gets one, which all
 * groups it is known in share: to this process it is one peer, however many groups it watches.
 *
 * What a hung instance may be owed is bounded. C Sentinel stops at 100 commands without a reply; here
 * one PING, three INFOs and one periodic hello are on their way at most, and what is sent besides, with
 * news and in elections, stops at that same limit.
 */
import { nextLookMs } from './evidence.ts'
import type { LinkId } from './ids.ts'
import { wayTo } from './names/names.ts'
import type { Connection, Instance, Link, Turn } from './state.ts'
import { isShutOut, isTilted } from './state.ts'
import { emit } from './turn.ts'

/** A refused connection is tried again after this long, if the PING interval is not shorter. */
const REOPEN_MS = 1_000
/** A connection that is not established by then is given up: the SYN may have gone into a partition. */
const CONNECT_PATIENCE_MS = 2_000
/** Commands without a reply, for each owner, beyond which no news is sent. */
const PENDING_MAX = 100

/** A link nobody uses yet. It owes an answer from the start, see instances.ts. */
export function createLink(nowMs: number): Link {
  return {
    kind: 'link',
    deadlines: new Map(),
    owners: [],
    command: undefined,
    pubsub: undefined,
    lastOpenedAtMs: undefined,
    pingPendingSinceMs: nowMs,
    pingInFlight: false,
    hasHeldHello: false,
    pingSentAtMs: nowMs,
    roundTrips: undefined,
    lastOkAtMs: nowMs,
    wasOk: false,
    lastPongAtMs: nowMs,
    pubsubActiveAtMs: nowMs,
    authRefusal: undefined,
    refusals: new Map(),
    refusal: undefined,
  }
}

/**
 * Takes an instance off its link, and closes the link behind the last one. Where others stay, the
 * connection stays, and replies still due to the one that left are for nobody, see replies.ts.
 */
export function releaseLink(turn: Turn, instance: Instance): void {
  const { link } = instance
  link.owners = link.owners.filter((owner) => owner !== instance)
  // Whoever still holds the record of an instance that is gone has nothing to send on.
  instance.link = createLink(turn.now.monoMs)
  if (link.owners.length > 0) return
  closeLinks(turn, link)
  turn.state.timers.clearAll(link)
}

/** Opens what is missing, but no more often than the link's reopening interval. */
export function openLinks(turn: Turn, link: Link): void {
  const [instance] = link.owners
  if (instance === undefined || instance.port === 0 || turn.state.stopping) return
  if (!lacksConnection(link, instance)) return
  const allowedAtMs = (link.lastOpenedAtMs ?? -Infinity) + reopenMs(turn, link)
  if (allowedAtMs > turn.now.monoMs) {
    turn.state.timers.set(link, 'reconnect', allowedAtMs)
    return
  }
  // What listens must be where the commands go, whatever the name means by now.
  const address = link.command?.address ?? wayTo(turn, instance.host)
  if (address === undefined) {
    turn.state.timers.set(link, 'reconnect', turn.now.monoMs + REOPEN_MS)
    return
  }
  link.lastOpenedAtMs = turn.now.monoMs
  if (link.command === undefined) openCommand(turn, instance, address)
  if (listens(instance)) link.pubsub ??= open(turn, instance, 'pubsub', address)
}

/** Data nodes are listened to; but where one connection is refused, the second would be as well. */
function listens(instance: Instance): boolean {
  if (instance.kind === 'sentinel') return false
  return instance.kind === 'replica' || instance.refusal === undefined
}

/**
 * The name has got another address than it had: what is missing is opened there, and so is a connection
 * that was begun since the question was put. Older ones work, and may be one of several addresses.
 */
export function redial(turn: Turn, link: Link, address: string, askedAtMs: number): void {
  const { command } = link
  if (command?.address === address) return
  if (command !== undefined && command.openedAtMs < askedAtMs) return
  closeLinks(turn, link)
  link.lastOpenedAtMs = undefined
  openLinks(turn, link)
}

/**
 * The earliest of the owners' deadlines decides how soon a link must have answered: since the first
 * PING that stays unanswered, or since the connection on which the next one will go was begun.
 */
export function expectAnswer(turn: Turn, link: Link): void {
  link.pingPendingSinceMs ??= turn.now.monoMs
  for (const owner of link.owners) {
    const atMs = link.pingPendingSinceMs + owner.group.config.downAfterMs + 1
    turn.state.timers.advance(owner, 'down', atMs)
  }
}

/** Closes both connections and opens new ones at once, for new credentials say. */
export function reopenLinks(turn: Turn, link: Link): void {
  closeLinks(turn, link)
  // What is refused from now on is news again.
  link.refusals.clear()
  link.refusal = undefined
  link.authRefusal = undefined
  turn.state.timers.set(link, 'ping', turn.now.monoMs)
}

/** [CONFIG SET sentinel-user, sentinel-pass] All peers are met anew, with the credentials as they are now. */
export function dropPeerLinks(turn: Turn): void {
  const links = new Set<Link>()
  for (const { peers } of turn.state.groups.values()) {
    for (const { link } of peers.values()) links.add(link)
  }
  for (const link of links) reopenLinks(turn, link)
}

/** Closes one connection on our own initiative; nothing is heard of it again. */
export function closeLink(turn: Turn, connection: Connection | undefined): void {
  if (connection === undefined) return
  forgetConnection(turn, connection)
  emit(turn, { kind: 'closeLink', link: connection.id })
}

/** Takes a closed connection out of the records, and with it the replies it still owed. */
export function forgetConnection(turn: Turn, connection: Connection): void {
  const { link } = connection
  turn.state.connections.delete(connection.id)
  if (connection.channel === 'pubsub') {
    link.pubsub = undefined
    return
  }
  link.command = undefined
  link.pingInFlight = false
  for (const owner of link.owners) forgetReplies(owner)
}

export function findConnection(turn: Turn, id: LinkId): Connection | undefined {
  return turn.state.connections.get(id)
}

/** More is owed on it already than a healthy instance can owe. */
export function isBackedUp({ pending, link }: Connection): boolean {
  return pending >= PENDING_MAX * link.owners.length
}

/**
 * Connections that hang: never established, or silent for longer than a healthy one can be. C Sentinel
 * leaves them alone in TILT. Here they are replaced in TILT too, so that the view is fresh when it ends;
 * but silence from before it began is the fault of our own clocks, and held against nobody.
 */
export function closeStaleLinks(turn: Turn, link: Link): void {
  const { command, pubsub } = link
  if (command !== undefined && isStaleCommand(turn, link, command)) {
    link.hasHeldHello = link.owners.some(({ helloPending }) => helloPending)
    closeLink(turn, command)
  }
  if (pubsub !== undefined && isStalePubsub(turn, link, pubsub)) closeLink(turn, pubsub)
}

/** The strictest owner sets the pace of what all of them share. */
export function shortestDownAfterMs({ owners }: Link): number {
  let shortestMs = Infinity
  for (const { group } of owners) shortestMs = Math.min(shortestMs, group.config.downAfterMs)
  return shortestMs
}

function closeLinks(turn: Turn, link: Link): void {
  closeLink(turn, link.command)
  closeLink(turn, link.pubsub)
}

function forgetReplies(owner: Instance): void {
  owner.helloPending = false
  if (owner.kind === 'sentinel') {
    owner.askPending = false
    owner.conferPending = false
    // Whoever comes back may be another program than the one that was there.
    owner.confers = undefined
  } else {
    owner.infosPending = 0
  }
}

function isStaleCommand(turn: Turn, link: Link, connection: Connection): boolean {
  const nowMs = turn.now.monoMs
  const ageMs = nowMs - connection.openedAtMs
  if (!connection.up) return ageMs > CONNECT_PATIENCE_MS
  if (ageMs <= turn.state.config.periods.minLinkReconnectMs) return false
  // Whoever wanted another password may have got ours meanwhile, and AUTH is said on new connections.
  if (isShutOut(link)) return true
  const { pingPendingSinceMs, lastPongAtMs } = link
  const patienceMs = shortestDownAfterMs(link) / 2
  return (
    pingPendingSinceMs !== undefined &&
    silentMs(turn, pingPendingSinceMs) > patienceMs &&
    silentMs(turn, lastPongAtMs) > patienceMs
  )
}

/** Our own hellos echo back, so a healthy subscription is never silent for three periods. */
function isStalePubsub(turn: Turn, link: Link, connection: Connection): boolean {
  const ageMs = turn.now.monoMs - connection.openedAtMs
  if (!connection.up) return ageMs > CONNECT_PATIENCE_MS
  const { minLinkReconnectMs, helloMs } = turn.state.config.periods
  return ageMs > minLinkReconnectMs && silentMs(turn, link.pubsubActiveAtMs) > 3 * helloMs
}

function silentMs({ state, now }: Turn, sinceMs: number): number {
  return now.monoMs - (isTilted(state) ? Math.max(sinceMs, state.tilt.sinceMs ?? 0) : sinceMs)
}

function lacksConnection({ command, pubsub }: Link, instance: Instance): boolean {
  return command === undefined || (pubsub === undefined && listens(instance))
}

function reopenMs(turn: Turn, link: Link): number {
  // It refuses what a connection is for: that it is in reach need not be found out in a hurry.
  if (isShutOut(link) || link.refusals.has('subscribe')) return REOPEN_MS
  const usualMs = Math.min(
    REOPEN_MS,
    turn.state.config.periods.pingMs,
    shortestDownAfterMs(link) / 4,
  )
  const [owner] = link.owners
  const soonMs = owner?.kind === 'master' ? nextLookMs(turn, owner) : undefined
  return Math.min(usualMs, soonMs ?? usualMs)
}

/** From here on it owes us an answer, or an address that swallows what it is sent would never be down. */
function openCommand(turn: Turn, instance: Instance, address: string): void {
  instance.link.command = open(turn, instance, 'command', address)
  expectAnswer(turn, instance.link)
}

function open(
  turn: Turn,
  instance: Instance,
  channel: 'command' | 'pubsub',
  address: string,
): Connection {
  const connection: Connection = {
    id: turn.state.nextLinkId++,
    link: instance.link,
    channel,
    address,
    up: false,
    openedAtMs: turn.now.monoMs,
    pending: 0,
    localHost: '',
  }
  turn.state.connections.set(connection.id, connection)
  const { port } = instance
  emit(turn, { kind: 'openLink', link: connection.id, channel, host: address, port })
  return connection
}
