/**
 * The sessions of this Sentinel's own port: applications that ask for the master, operators, and
 * peers. Each has its own decoder and knows nothing of the others, so that whatever a client sends
 * ends at worst its own connection.
 */
import type { Account } from '../../acl/users.ts'
import { unreachable } from '../../base/assert.ts'
import { isLoopback } from '../../base/ip.ts'
import { error, type Reply } from '../../resp/reply.ts'
import { type Request, RequestDecoder } from '../../resp/request-decoder.ts'
import { TOO_MANY_CLIENTS } from '../../session/errors.ts'
import { execute } from '../commands/dispatch.ts'
import type { Event } from '../event.ts'
import type { ClientId } from '../ids.ts'
import type { Turn } from '../state.ts'
import { emit, log } from '../turn.ts'
import type { Client } from './client.ts'
import { hangUp, respond } from './client-output.ts'

/**
 * No request to a Sentinel is longer than a few hundred bytes. Limits far below a data node's keep
 * a stranger from filling our memory with a request that never ends.
 */
const REQUEST_LIMITS = {
  maxBulkBytes: 1024 * 1024,
  maxPendingBytes: 4 * 1024 * 1024,
  maxArguments: 10_000,
}

/**
 * Once a client has this many bytes of answers that it has not taken, its further requests wait, in
 * its own buffer or the kernel's. So a pipeline of any length costs us no more than this.
 */
const MAX_PROMISED_BYTES = 256 * 1024

/**
 * Limit for requests that are incomplete or not served yet, of all clients together. The clients
 * with the longest are closed first.
 */
const MAX_REQUESTS_BYTES = 64 * 1024 * 1024
/** The limit is checked whenever this many bytes have come in. */
const LOOK_BYTES = 4 * 1024 * 1024

/** Redis' text goes on with CONFIG SET, which no Sentinel has. */
const PROTECTED_MODE = error(
  'DENIED Redis is running in protected mode because protected mode is enabled and no password is ' +
    'set for the default user. In this mode connections are only accepted from the loopback ' +
    'interface. Set requirepass in the configuration file of this Sentinel, or set protected-mode ' +
    'to no there if the network keeps strangers out, and start it again.',
)

/** Takes in a new connection, or turns it away: [maxclients], [protected-mode]. */
export function clientOpened(turn: Turn, event: Event & { kind: 'clientOpened' }): void {
  const { state } = turn
  state.stats.connectionsReceived++
  const client = createClient(turn, event)
  const refusal = event.isOperator ? undefined : entryRefusal(turn, client)
  if (refusal === undefined) {
    state.clients.set(client.id, client)
    return
  }
  state.stats.rejected++
  respond(turn, client, refusal)
  hangUp(turn, client)
}

function entryRefusal({ state }: Turn, client: Client): Reply | undefined {
  const { clients, config, access } = state
  if (clients.size >= config.maxClients) return TOO_MANY_CLIENTS
  const isOpen = config.protectedMode && access.users.default.user.hasNoPassword
  return isOpen && !isLoopback(hostOf(client.address)) ? PROTECTED_MODE : undefined
}

/** `address` is `host:port`. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}

/** Answers every request that is complete, in order, however many came at once. */
export function clientReceived(turn: Turn, id: ClientId, bytes: string): void {
  const client = turn.state.clients.get(id)
  turn.state.stats.reads++
  turn.state.stats.bytesReceived += bytes.length
  // We may have closed it while these bytes were under way.
  if (client === undefined) return
  client.decoder.push(bytes)
  serveAll(turn, client)
  if (turn.state.stats.bytesReceived >= turn.state.requestsSeenAtBytes + LOOK_BYTES) relieve(turn)
}

/** Closes the clients with the longest requests until all together are within the limit. */
function relieve(turn: Turn): void {
  const { state } = turn
  state.requestsSeenAtBytes = state.stats.bytesReceived
  const holders = [...state.clients.values()].filter(({ decoder }) => decoder.pendingBytes > 0)
  holders.sort((one, other) => other.decoder.pendingBytes - one.decoder.pendingBytes)
  let heldBytes = holders.reduce((sum, { decoder }) => sum + decoder.pendingBytes, 0)
  for (const client of holders) {
    if (heldBytes <= MAX_REQUESTS_BYTES) return
    const { pendingBytes } = client.decoder
    heldBytes -= pendingBytes
    const what = `${pendingBytes} bytes of requests that are not served yet`
    log(
      turn,
      'warning',
      `client ${client.address} is closed: it holds ${what}, and all together too many`,
    )
    hangUp(turn, client)
  }
}

/**
 * The answer that the client's command waited for is there: carries that command out, then those
 * after it.
 */
export function resumeClient(turn: Turn, client: Client): void {
  client.isWaiting = false
  serveCommand(turn, client, client.waitingArgv)
  serveAll(turn, client)
}

function serveAll(turn: Turn, client: Client): void {
  while (!client.isClosing && !client.isWaiting && !client.isHeld && !turn.state.stopping) {
    if (client.promisedBytes > MAX_PROMISED_BYTES) return hold(turn, client)
    const request = client.decoder.next()
    if (request === undefined) return
    serve(turn, client, request)
  }
}

function hold(turn: Turn, client: Client): void {
  client.isHeld = true
  emit(turn, { kind: 'awaitDrain', client: client.id })
}

/** The client has taken what we sent: serves the requests that came meanwhile. */
export function clientDrained(turn: Turn, id: ClientId): void {
  const client = turn.state.clients.get(id)
  if (client === undefined) return
  client.isHeld = false
  client.promisedBytes = 0
  serveAll(turn, client)
}

export function clientClosed(turn: Turn, id: ClientId): void {
  turn.state.clients.delete(id)
}

function serve(turn: Turn, client: Client, request: Request): void {
  switch (request.kind) {
    case 'command':
      return serveCommand(turn, client, request.argv)
    case 'protocolError':
      respond(turn, client, error(request.text))
      return hangUp(turn, client)
    case 'hangUp':
      return hangUp(turn, client)
    default:
      return unreachable(request)
  }
}

function serveCommand(turn: Turn, client: Client, argv: readonly string[]): void {
  client.lastInputAtMs = turn.now.monoMs
  const reply = execute(turn, client, argv)
  if (client.isWaiting) {
    client.waitingArgv = argv
    return
  }
  client.answers.clear()
  if (reply !== undefined) respond(turn, client, reply)
  endSkipping(client)
  if (client.isLeaving) hangUp(turn, client)
}

function endSkipping(client: Client): void {
  if (client.replyMode === 'skip') client.replyMode = 'on'
  if (client.replyMode === 'skipNext') client.replyMode = 'skip'
}

/** No user of the files: what the rules say about users, ACL SETUSER included, does not concern it. */
function operatorAccount({ user }: Account): Account {
  return { name: 'http', user, isUnrestricted: true }
}

function createClient(turn: Turn, event: Event & { kind: 'clientOpened' }): Client {
  const decoder = new RequestDecoder(REQUEST_LIMITS)
  const { users } = turn.state.access
  decoder.isAuthenticated = event.isOperator ?? !users.requiresAuth
  return {
    id: event.client,
    address: event.address,
    localAddress: event.localAddress,
    connectedAtMs: turn.now.monoMs,
    decoder,
    channels: new Set(),
    patterns: new Set(),
    subscribedBytes: 0,
    name: '',
    libraryName: '',
    libraryVersion: '',
    protocol: 2,
    account: event.isOperator ? operatorAccount(users.default) : users.default,
    lastCommand: 'NULL',
    lastInputAtMs: turn.now.monoMs,
    replyMode: 'on',
    tracking: undefined,
    noEvict: false,
    isWaiting: false,
    waitingArgv: [],
    answers: new Map(),
    promisedBytes: 0,
    isHeld: false,
    isLeaving: false,
    isClosing: false,
  }
}
