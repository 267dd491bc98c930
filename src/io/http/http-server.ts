/**
 * [http-port] The HTTP listener of a Sentinel or a data node. It is imported only if a port is set. Its
 * sockets come from the same listener and the same TLS handshakes as those of the program's own port;
 * here they are given a bound in number and in time, because anyone who reaches the port may connect.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { HttpOptions } from '../../config/http-options.ts'
import type { LogLevel } from '../../core/log-level.ts'
import { LineBudget } from '../log/line-budget.ts'
import { type Listener, listen } from '../network/listener.ts'
import { reasonAndHintOf, StartError } from '../start-error.ts'
import type { Tls } from '../tls/tls.ts'
import { TlsAcceptor } from '../tls/tls-acceptor.ts'
import type { TlsContexts } from '../tls/tls-contexts.ts'
import type { HttpSite } from './http-site.ts'
import { createRoutes } from './routes.ts'
import { HttpToken } from './token.ts'

export interface HttpServerOptions {
  readonly http: HttpOptions
  /** Where the program listens, if [http-bind] says nothing else. */
  readonly bind: readonly string[]
  readonly tls: Tls
  readonly site: HttpSite
  readonly log: (level: LogLevel, text: string) => void
}

const CONNECTIONS_MAX = 256
/** A request must be complete this long after the connection or the last answer. */
const REQUEST_MS = 10_000
const HEADERS_MAX = 8 * 1024
const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000

export class HttpServer {
  readonly #token: HttpToken
  readonly #log: HttpServerOptions['log']
  readonly #listener: Listener
  readonly #sockets = new Set<Socket>()

  private constructor(options: HttpServerOptions, token: HttpToken, listener: Listener) {
    this.#token = token
    this.#log = options.log
    this.#listener = listener
    const budget = new LineBudget(LINES_PER_MINUTE, MINUTE_MS)
    const server = httpServer(options.site, token, (error) => {
      if (budget.spend(performance.now()) === undefined) return
      options.log('warning', `HTTP: no answer could be made: ${error.stack ?? error.message}`)
    })
    const take = (socket: Socket) => this.#take(server, socket)
    const { tls, log, http } = options
    const contexts = withoutClientCertificates(tls)
    const acceptor = new TlsAcceptor({ contexts, log, ready: take })
    listener.accept(http.tls ? (socket) => acceptor.take(socket) : take)
  }

  /** Throws a StartError. */
  static async open(options: HttpServerOptions): Promise<HttpServer> {
    const { http, bind, log } = options
    const token = new HttpToken(http)
    const addresses = http.bind.length > 0 ? http.bind : bind
    const listener = await listenForHttp(addresses, http.port)
    const who = token.isSet ? 'a token is needed for all but probes' : 'anyone may read, no orders'
    log('notice', `HTTP: port=${http.port}, ${http.tls ? 'TLS' : 'plain'}, ${who}.`)
    return new HttpServer(options, token, listener)
  }

  /** The token's file may have changed. */
  reload(): void {
    try {
      this.#token.reload()
    } catch (error) {
      this.#log('warning', `HTTP: the token stays as it is: ${reasonAndHintOf(error)}`)
    }
  }

  close(): void {
    this.#listener.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #take(server: Server, socket: Socket): void {
    if (this.#sockets.size >= CONNECTIONS_MAX) return void socket.destroy()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    server.emit('connection', socket)
  }
}

/** Clients prove themselves with the token, not with a certificate: a load balancer or a browser has none. */
function withoutClientCertificates(tls: Tls): () => Pick<TlsContexts, 'listening'> {
  let known: TlsContexts | undefined
  let own: Pick<TlsContexts, 'listening'> | undefined
  return () => {
    if (own === undefined || known !== tls.contexts) {
      known = tls.contexts
      own = { listening: { ...known.listening, requestCert: false, rejectUnauthorized: false } }
    }
    return own
  }
}

async function listenForHttp(addresses: readonly string[], port: number): Promise<Listener> {
  try {
    return await listen({ addresses, port })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const hint = 'stop what listens there, or choose another http-port or http-bind'
    throw new StartError(error.code, `HTTP: ${error.message}`, hint)
  }
}

/** A server that never listens itself: it is given connections. */
function httpServer(site: HttpSite, token: HttpToken, complain: (error: Error) => void): Server {
  const { fetch } = createRoutes(site, token, complain)
  const answer = getRequestListener((request, env) => fetch(request, env), {
    // HTTP/1.0, as load balancers speak it, names no host.
    hostname: 'vedette',
  })
  const deadlines = new Deadlines()
  const server = createServer({ maxHeaderSize: HEADERS_MAX, keepAliveTimeout: REQUEST_MS })
  server.on('connection', (socket: Socket) => deadlines.take(socket))
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    deadlines.follow(request, response)
    void answer(request, response)
  })
  server.on('clientError', (_error, socket) => void socket.destroy())
  return server
}

/**
 * Node's own limits are armed only in a server that listens itself. A connection without a complete
 * request is closed in time, however slowly its bytes come.
 */
class Deadlines {
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>()

  /** One listener for the life of a connection, however many requests come on it. */
  take(socket: Socket): void {
    this.#expect(socket)
    socket.once('close', () => this.#clear(socket))
  }

  /** Its body, if it has one, must be there in time; without one it is complete. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const hasBody = request.headers['content-length'] ?? request.headers['transfer-encoding']
    if (hasBody === undefined) this.#clear(socket)
    else request.once('end', () => this.#clear(socket))
    response.once('close', () => {
      if (!socket.destroyed) this.#expect(socket)
    })
  }

  #expect(socket: Socket): void {
    this.#clear(socket)
    this.#timers.set(socket, setTimeout(() => socket.destroy(), REQUEST_MS).unref())
  }

  #clear(socket: Socket): void {
    clearTimeout(this.#timers.get(socket))
  }
}
