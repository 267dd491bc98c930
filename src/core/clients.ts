/**
 * The sessions of this Sentinel's own port: applications that ask for the master, operators, and peers.
 * Each has its own decoder and knows nothing of the others, so that whatever one of them sends ends
 * at worst its own connection.
 */
import { unreachable } from '../base/assert.ts'
import { isLoopback } from '../base/ip.ts'
import { error, type Reply } from '../resp/reply.ts'
import { type Request, RequestDecoder } from '../resp/request-decoder.ts'
import type { Client } from './client.ts'
import { hangUp, respond } from './client-output.ts'
import { execute } from './commands/dispatch.ts'
import type { Event } from './event.ts'
import type { ClientId } from './ids.ts'
import type { Turn } from './state.ts'

/**
 * Nothing a Sentinel is asked is longer than a few hundred bytes. Limits far below a data node's keep
 * a stranger from filling our memory with a request that never ends.
 */
const REQUEST_LIMITS = { maxBulkBytes: 1024 * 1024, maxPendingBytes: 4 * 1024 * 1024 }

const TOO_MANY_CLIENTS = error('ERR max number of clients reached')

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
  const refusal = entryRefusal(turn, client)
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
}

/** The answer that the client's command waited for is there: it is carried out, then what came behind it. */
export function resumeClient(turn: Turn, client: Client): void {
  client.isWaiting = false
  serveCommand(turn, client, client.waitingArgv)
  serveAll(turn, client)
}

function serveAll(turn: Turn, client: Client): void {
  while (!client.isClosing && !client.isWaiting && !turn.state.stopping) {
    const request = client.decoder.next()
    if (request === undefined) return
    serve(turn, client, request)
  }
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
  client.lastActiveAtMs = turn.now.monoMs
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
  if (client.replies === 'skip') client.replies = 'on'
  if (client.replies === 'skipNext') client.replies = 'skip'
}

function createClient(turn: Turn, event: Event & { kind: 'clientOpened' }): Client {
  const decoder = new RequestDecoder(REQUEST_LIMITS)
  const { users } = turn.state.access
  decoder.isAuthenticated = !users.requiresAuth
  return {
    id: event.client,
    address: event.address,
    localAddress: event.localAddress,
    openedAtMs: turn.now.monoMs,
    decoder,
    channels: new Set(),
    patterns: new Set(),
    subscribedBytes: 0,
    name: '',
    libraryName: '',
    libraryVersion: '',
    protocol: 2,
    isAuthenticated: decoder.isAuthenticated,
    account: users.default,
    lastCommand: 'NULL',
    lastActiveAtMs: turn.now.monoMs,
    replies: 'on',
    tracking: undefined,
    isSpared: false,
    isWaiting: false,
    waitingArgv: [],
    answers: new Map(),
    isLeaving: false,
    isClosing: false,
  }
}
