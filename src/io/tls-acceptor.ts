/**
 * The handshakes of those who connect to a TLS port. Only what has finished its handshake, and shown the
 * certificate that is asked for, is handed on. A handshake is bounded in time and there are only so many
 * at once; whoever fails one is told of in the log, but not for every attempt.
 */
import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { plainHost } from './address.ts'
import { LineBudget } from './line-budget.ts'
import { reasonOf } from './start-error.ts'
import type { TlsContexts } from './tls-contexts.ts'
import { certificateFault } from './tls-reasons.ts'

/** Much more than a slow network needs, and little for one who only wants to hold our memory. */
const HANDSHAKE_MS = 10_000
/** A whole fleet may reconnect at once. */
const MAX_HANDSHAKES = 1_000
const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000

export interface AcceptorOptions {
  /** What a new connection is to be met with: it may change, and then counts for those who come after. */
  readonly contexts: () => TlsContexts
  readonly log: (level: 'verbose' | 'warning', text: string) => void
  /** Takes a connection whose handshake is done. */
  readonly ready: (socket: TLSSocket) => void
  readonly handshakeMs?: number
  readonly maxHandshakes?: number
}

export class TlsAcceptor {
  readonly #options: AcceptorOptions
  /** Handshakes under way, by the address they come from. */
  readonly #pending = new Map<string, Socket>()
  readonly #budgets = {
    verbose: new LineBudget(LINES_PER_MINUTE, MINUTE_MS),
    warning: new LineBudget(LINES_PER_MINUTE, MINUTE_MS),
  }
  #contexts: TlsContexts | undefined
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
    if (this.handshakes >= (this.#options.maxHandshakes ?? MAX_HANDSHAKES)) {
      raw.destroy()
      this.#tell('verbose', from, 'too many handshakes at once')
      return
    }
    this.#pending.set(from, raw)
    this.#currentServer().emit('connection', raw)
  }

  /** A server that never listens itself: it is handed connections, and makes TLS ones of them. */
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

  #finished(socket: TLSSocket, contexts: TlsContexts): void {
    const from = endOf(socket)
    if (from !== undefined) this.#pending.delete(from)
    const fault = contexts.listening.requestCert ? faultOfClient(socket) : undefined
    if (fault === undefined) return this.#options.ready(socket)
    socket.on('error', () => undefined)
    socket.destroy()
    this.#tell('warning', from ?? 'a client', fault)
  }

  #failed(error: Error, socket: TLSSocket): void {
    const fallen = this.#sweep()
    const end = endOf(socket)
    // Node tells of a handshake that takes too long and leaves the connection open.
    socket.destroy()
    if (end !== undefined) this.#pending.delete(end)
    const from = end ?? (fallen.length === 1 ? fallen[0] : undefined) ?? 'a client'
    const code = refusalOf(socket)
    if (code !== undefined) return this.#tell('warning', from, certificateFault(code))
    const isCertificate = (error as NodeJS.ErrnoException).code?.includes('CERTIFICATE') ?? false
    this.#tell(isCertificate ? 'warning' : 'verbose', from, reasonOf(error))
  }

  /** Forgets the handshakes whose connection is gone, and says whose these were. */
  #sweep(): readonly string[] {
    const fallen = [...this.#pending].filter(([, raw]) => raw.destroyed).map(([from]) => from)
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

/** Undefined: the connection is gone. */
function endOf(socket: Socket): string | undefined {
  const { remoteAddress, remotePort } = socket
  return remoteAddress === undefined ? undefined : `${plainHost(remoteAddress)}:${remotePort}`
}

/** What is wrong with the certificate that was shown; showing none is for `tls-auth-clients` to refuse. */
function faultOfClient(socket: TLSSocket): string | undefined {
  if (socket.authorized || socket.getPeerX509Certificate() === undefined) return undefined
  return certificateFault(refusalOf(socket) ?? 'certificate is not trusted')
}

/** Node keeps the code of the fault here, a string whatever its type says. */
function refusalOf(socket: TLSSocket): string | undefined {
  const error: unknown = socket.authorizationError
  return typeof error === 'string' ? error : undefined
}
