/**
 * Connections to instances. The machine owns them: it opens them, gives them up and opens them again,
 * so that every such decision can be replayed; the driver only carries bytes. Masters and replicas get
 * two, one for commands and one that listens to hellos; a Sentinel gets one, shared by all groups in
 * which it is known: to this process it is one peer, however many groups it watches.
 *
 * How much a hung instance may owe us is bounded. C Sentinel stops at 100 commands without a reply;
 * here at most one PING, three INFOs and one periodic hello are on their way, and what else is sent,
 * with news and in elections, stops at that same limit.
 */
import { nextLookMs } from '../detection/evidence.ts'
import type { LinkId } from '../ids.ts'
import { wayTo } from '../names/names.ts'
import type { Connection, Instance, Link, Turn } from '../state.ts'
import { isSdown, isTilted } from '../state.ts'
import { emit } from '../turn.ts'

/** A refused connection is retried after this long, if the PING interval is not shorter. */
const REOPEN_MS = 1_000
/** A connection that is not established by then is given up: the SYN may have gone into a partition. */
const CONNECT_PATIENCE_MS = 2_000
/** How many commands without a reply, for each owner, until no more news is sent. */
const PENDING_MAX = 100

/** A link that is not used yet. It owes an answer from the start, see instances.ts. */
export function createLink(nowMs: number): Link {
  return {
    kind: 'link',
    deadlines: new Map(),
    owners: [],
    command: undefined,
    pubsub: undefined,
    lossReason: undefined,
    lastOpenedAtMs: undefined,
    pingPendingSinceMs: nowMs,
    pingsInFlight: 0,
    hasHeldHello: false,
    pingSentAtMs: nowMs,
    roundTrips: undefined,
    lastOkAtMs: nowMs,
    wasOk: false,
    lastPongAtMs: nowMs,
    pubsubActiveAtMs: nowMs,
    password: undefined,
    passwordTaken: undefined,
    passwordsRefused: 0,
    authRefusal: undefined,
    refusals: new Map(),
    refusal: undefined,
  }
}

/**
 * Takes an instance off its link, and closes the link after the last one. If others stay, the
 * connection stays too, and replies still due to the one that left are dropped, see replies.ts.
 */
export function releaseLink(turn: Turn, instance: Instance): void {
  const { link } = instance
  link.owners = link.owners.filter((owner) => owner !== instance)
  // Code that still holds the record of a removed instance has nothing to send on.
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
  // The subscription must go to the same address as the commands, whatever the name means by now.
  const address = link.command?.address ?? wayTo(turn, instance.host)
  if (address === undefined) {
    turn.state.timers.set(link, 'reconnect', turn.now.monoMs + REOPEN_MS)
    return
  }
  link.lastOpenedAtMs = turn.now.monoMs
  if (link.command === undefined) openCommand(turn, instance, address)
  if (listens(instance)) link.pubsub ??= open(turn, instance, 'pubsub', address)
}

/** We subscribe at data nodes; but if one connection is refused, the second would be as well. */
function listens(instance: Instance): boolean {
  if (instance.kind === 'sentinel') return false
  return instance.kind === 'replica' || instance.refusal === undefined
}

/**
 * The name has a new address: what is missing is opened there, and so is a connection that was begun
 * after the question was sent. Older connections work, and may go to one of several addresses.
 */
export function redial(turn: Turn, link: Link, address: string, askedAtMs: number): void {
  const { command } = link
  if (command?.address === address) return
  if (command !== undefined && command.openedAtMs < askedAtMs) return
  redialAtOnce(turn, link)
}

/** Closes both connections, and opens new ones without the usual pause. */
export function redialAtOnce(turn: Turn, link: Link): void {
  closeLinks(turn, link)
  link.lastOpenedAtMs = undefined
  openLinks(turn, link)
}

/**
 * The earliest of the owners' deadlines decides how soon a link must have answered: counted from
 * the first PING that stays unanswered, or from the beginning of the connection on which the next
 * one will be sent.
 */
export function expectAnswer(turn: Turn, link: Link): void {
  link.pingPendingSinceMs ??= turn.now.monoMs
  for (const owner of link.owners) {
    const atMs = link.pingPendingSinceMs + owner.group.config.downAfterMs + 1
    turn.state.timers.advance(owner, 'down', atMs)
  }
}

/** Closes both connections and opens new ones at once, for instance for new credentials. */
export function reopenLinks(turn: Turn, link: Link): void {
  closeLinks(turn, link)
  // From now on a refusal is news again.
  link.refusals.clear()
  link.refusal = undefined
  link.authRefusal = undefined
  link.passwordsRefused = 0
  turn.state.timers.set(link, 'ping', turn.now.monoMs)
}

/** [CONFIG SET sentinel-user, sentinel-pass] Connects to all peers anew, with the present credentials. */
export function dropPeerLinks(turn: Turn): void {
  const links = new Set<Link>()
  for (const { peers } of turn.state.groups.values()) {
    for (const { link } of peers.values()) links.add(link)
  }
  for (const link of links) reopenLinks(turn, link)
}

/** Closes one connection on our own initiative; nothing more is reported about it. */
export function closeLink(turn: Turn, connection: Connection | undefined): void {
  if (connection === undefined) return
  forgetConnection(turn, connection)
  emit(turn, { kind: 'closeLink', link: connection.id })
}

/** Takes a closed connection out of the records, together with the replies it still owed. */
export function forgetConnection(turn: Turn, connection: Connection): void {
  const { link } = connection
  turn.state.connections.delete(connection.id)
  if (connection.channel === 'pubsub') {
    link.pubsub = undefined
    return
  }
  link.command = undefined
  link.pingsInFlight = 0
  for (const owner of link.owners) forgetReplies(owner)
}

/** The instance wants a password before it answers anything. */
export function isShutOut({ refusals }: Link): boolean {
  return refusals.get('ping')?.code === 'NOAUTH'
}

/** Why an instance that is down cannot be reached; undefined if it can, however it answers. */
export function whyOutOfReach(instance: Instance): string | undefined {
  const { command, lossReason } = instance.link
  return isSdown(instance) && command?.up !== true ? lossReason : undefined
}

export function findConnection(turn: Turn, id: LinkId): Connection | undefined {
  return turn.state.connections.get(id)
}

/** Whether more replies are owed on it than a healthy instance can owe. */
export function isBackedUp({ pending, link }: Connection): boolean {
  return pending >= PENDING_MAX * link.owners.length
}

/**
 * Closes connections that hang: never established, or silent for longer than a healthy one can be. C
 * Sentinel leaves them alone in TILT. Here they are replaced in TILT too, so that the view is fresh when
 * it ends; but silence from before it began is the fault of our own clocks, and is not counted.
 */
export function closeStaleLinks(turn: Turn, link: Link): void {
  const { command, pubsub } = link
  if (command !== undefined && isStaleCommand(turn, link, command)) {
    link.hasHeldHello = link.owners.some(({ helloPending }) => helloPending)
    if (!command.up) link.lossReason = `no connection within ${CONNECT_PATIENCE_MS} ms`
    closeLink(turn, command)
  }
  if (pubsub !== undefined && isStalePubsub(turn, link, pubsub)) closeLink(turn, pubsub)
}

/** The strictest owner sets the pace for all that share the link. */
export function shortestDownAfterMs({ owners }: Link): number {
  let shortestMs = Infinity
  for (const { group } of owners) shortestMs = Math.min(shortestMs, group.config.downAfterMs)
  return shortestMs
}

function closeLinks(turn: Turn, link: Link): void {
  closeLink(turn, link.command)
  closeLink(turn, link.pubsub)
}

/** What it owed us on a connection that it has no more. */
export function forgetReplies(owner: Instance): void {
  owner.helloPending = false
  if (owner.kind === 'sentinel') {
    owner.askPending = false
    owner.conferPending = false
    // The process that comes back may be another program than the one before.
    owner.confers = undefined
    owner.sharesPauses = undefined
  } else {
    owner.infosPending = 0
    owner.infoAskedAtMs = undefined
  }
}

function isStaleCommand(turn: Turn, link: Link, connection: Connection): boolean {
  const nowMs = turn.now.monoMs
  const ageMs = nowMs - connection.openedAtMs
  if (!connection.up) return ageMs > CONNECT_PATIENCE_MS
  if (ageMs <= turn.state.config.periods.minLinkReconnectMs) return false
  // The instance may have been given our password meanwhile, and AUTH is sent on new connections
  // only.
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
  // It refuses what a connection is for: there is no hurry to find out that it can be reached.
  if (isShutOut(link) || link.refusals.has('subscribe')) return REOPEN_MS
  const usualMs = Math.min(
    REOPEN_MS,
    turn.state.config.periods.pingMs,
    // The simulated world knows whole milliseconds only.
    Math.ceil(shortestDownAfterMs(link) / 4),
  )
  const [owner] = link.owners
  // A hundred made-up addresses must not keep us busy.
  if (owner?.kind === 'sentinel' && !owner.isProven) return REOPEN_MS
  const soonMs = owner?.kind === 'master' ? nextLookMs(turn, owner) : undefined
  return Math.min(usualMs, soonMs ?? usualMs)
}

/** From here on it owes us an answer; otherwise an address that swallows everything would never be down. */
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
    identity: 'unasked',
  }
  turn.state.connections.set(connection.id, connection)
  const { port } = instance
  emit(turn, { kind: 'openLink', link: connection.id, channel, host: address, port })
  return connection
}
