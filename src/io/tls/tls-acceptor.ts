/**
 * The handshakes of clients that connect to a TLS port. A connection is handed on, and counts among the
 * clients, only when it has finished its handshake and shown the certificate we require. A handshake has
 * limited time, and only so many run at once; failures are logged, but not every one.
 */
import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { LineBudget } from '../log/line-budget.ts'
import { plainHost } from '../network/address.ts'
import { reasonOf } from '../start-error.ts'
import type { TlsContexts } from './tls-contexts.ts'
import { certificateFault, isDisagreement } from './tls-reasons.ts'

/**
 * Much more than a slow network needs, and little for a stranger that only wants to occupy our
 * memory.
 */
const HANDSHAKE_MS = 3_000
/** A whole fleet may reconnect at once. */
const MAX_HANDSHAKES = 1_000
/**
 * If all places are taken, the oldest handshake gives way if it has had this much time: a stranger that
 * begins a thousand and finishes none keeps other clients out no longer than that. A younger handshake
 * is presumably making progress, so then the newcomer is turned away.
 */
const SAFE_MS = 500
const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000

export interface AcceptorOptions {
  /** The contexts for new connections; they may change, and then apply to later connections. */
  readonly contexts: () => Pick<TlsContexts, 'listening'>
  readonly log: (level: 'verbose' | 'warning', text: string) => void
  /** Takes a connection whose handshake is finished. */
  readonly ready: (socket: TLSSocket) => void
  readonly handshakeMs?: number
  readonly maxHandshakes?: number
  readonly safeMs?: number
}

interface Handshake {
  readonly raw: Socket
  readonly sinceMs: number
}

export class TlsAcceptor {
  readonly #options: AcceptorOptions
  /** Unfinished handshakes, by the address they come from, the oldest first. */
  readonly #pending = new Map<string, Handshake>()
  readonly #budgets = {
    verbose: new LineBudget(LINES_PER_MINUTE, MINUTE_MS),
    warning: new LineBudget(LINES_PER_MINUTE, MINUTE_MS),
  }
  #contexts: Pick<TlsContexts, 'listening'> | undefined
  #server: Server | undefined

  constructor(options: AcceptorOptions) {
    this.#options = options
  }

  /** How many handshakes are under way. */
  get handshakes(): number {
    this.#sweep()
    return this.#pending.size
  }

  /** Takes a connection that has just been accepted. */
  take(raw: Socket): void {
    raw.on('error', () => undefined)
    const from = endOf(raw)
    if (from === undefined || raw.destroyed) return void raw.destroy()
    if (!this.#hasRoom()) {
      raw.destroy()
      this.#tell('warning', from, 'too many handshakes at once')
      return
    }
    this.#pending.set(from, { raw, sinceMs: performance.now() })
    this.#currentServer().emit('connection', raw)
  }

  /** Makes room, if necessary, by ending the oldest handshake that has had its time. */
  #hasRoom(): boolean {
    if (this.handshakes < (this.#options.maxHandshakes ?? MAX_HANDSHAKES)) return true
    const [oldest] = this.#pending
    if (oldest === undefined) return true
    const [from, { raw, sinceMs }] = oldest
    if (performance.now() - sinceMs < (this.#options.safeMs ?? SAFE_MS)) return false
    this.#pending.delete(from)
    raw.destroy()
    this.#tell('warning', from, 'its handshake takes long, and others wait for the place')
    return true
  }

  /** A server that never listens itself: it is given connections, and makes TLS connections of them. */
  #currentServer(): Server {
    const contexts = this.#options.contexts()
    if (this.#server !== undefined && this.#contexts === contexts) return this.#server
    const handshakeTimeout = this.#options.handshakeMs ?? HANDSHAKE_MS
    const server = createServer({ ...contexts.listening, handshakeTimeout })
    server.on('secureConnection', (socket) => this.#finished(socket, contexts))
    server.on('tlsClientError', (error, socket) => this.#failed(error, socket))
    this.#contexts = contexts
    this.#server = server
    return server
  }

  #finished(socket: TLSSocket, contexts: Pick<TlsContexts, 'listening'>): void {
    const from = endOf(socket)
    if (from !== undefined) this.#pending.delete(from)
    const fault = contexts.listening.requestCert ? faultOfClient(socket) : undefined
    if (fault === undefined) return this.#options.ready(socket)
    socket.on('error', () => undefined)
    socket.destroy()
    this.#tell('warning', from ?? 'a client', fault)
  }

  #failed(error: Error, socket: TLSSocket): void {
    const end = this.#originOf(socket)
    const fallen = this.#sweep()
    // Node reports a handshake that takes too long, but leaves the connection open.
    socket.destroy()
    if (end !== undefined) this.#pending.delete(end)
    const from = end ?? (fallen.length === 1 ? fallen[0] : undefined) ?? 'a client'
    const code = refusalOf(socket)
    if (code !== undefined) return this.#tell('warning', from, certificateFault(code))
    this.#tell(isDisagreement(error) ? 'warning' : 'verbose', from, reasonOf(error))
  }

  /**
   * The address it came from. A client that does not trust us hangs up at once, and the system no longer
   * knows whose the connection was; the connection below remembers.
   */
  #originOf(socket: TLSSocket): string | undefined {
    const { _parent: below } = socket as TLSSocket & { readonly _parent?: unknown }
    const isBelow = ([, { raw }]: [string, Handshake]) => raw === below
    return endOf(socket) ?? [...this.#pending].find(isBelow)?.[0]
  }

  /** Forgets the handshakes whose connection is gone, and returns the addresses they came from. */
  #sweep(): readonly string[] {
    const fallen = [...this.#pending].filter(([, { raw }]) => raw.destroyed).map(([from]) => from)
    for (const from of fallen) this.#pending.delete(from)
    return fallen
  }

  #tell(level: 'verbose' | 'warning', from: string, reason: string): void {
    const heldBack = this.#budgets[level].spend(performance.now())
    if (heldBack === undefined) return
    const more = heldBack === 0 ? '' : ` (${heldBack} more such lines were left out before)`
    this.#options.log(level, `TLS: refused ${from}: ${reason}${more}`)
  }
}

/** Undefined if the connection is gone. */
function endOf(socket: Socket): string | undefined {
  const { remoteAddress, remotePort } = socket
  return remoteAddress === undefined ? undefined : `${plainHost(remoteAddress)}:${remotePort}`
}

/** What is wrong with the client's certificate; a missing one is for `tls-auth-clients` to refuse. */
function faultOfClient(socket: TLSSocket): string | undefined {
  if (socket.authorized || socket.getPeerX509Certificate() === undefined) return undefined
  return certificateFault(refusalOf(socket) ?? 'certificate is not trusted')
}

/** Node keeps the code of the fault here, a string whatever the type says. */
function refusalOf(socket: TLSSocket): string | undefined {
  const error: unknown = socket.authorizationError
  return typeof error === 'string' ? error : undefined
}
