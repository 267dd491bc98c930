/**
 * Hosts and the connections between them, with the failures of TCP that matter to a supervisor: a
 * living host refuses what nobody listens to, a dead process ends its connections, a host that cannot
 * be reached is silent, and a stopped process is silent while its kernel goes on accepting.
 */
import { assert } from '../base/assert.ts'
import type { Rng } from '../base/rng.ts'
import { Pipe, type Route } from './pipe.ts'
import type { Reachability } from './reachability.ts'
import { nextConnectAttemptMs } from './retransmission.ts'
import type { Scheduler } from './scheduler.ts'
import { Socket, type SocketHandler, type SocketOwner } from './socket.ts'

const EPHEMERAL_PORT_FIRST = 40_000

/** How long a segment travels between two hosts: the base plus 0..jitter, drawn per segment. */
export interface Latency {
  readonly baseMs: number
  readonly jitterMs: number
}

export interface Host {
  readonly name: string
  readonly ip: string
}

export interface Listener {
  readonly owner: SocketOwner
  accept(socket: Socket): SocketHandler
}

export interface ConnectRequest {
  readonly from: Host
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
  readonly owner: SocketOwner
  readonly handler: SocketHandler
}

export interface NetworkStart {
  readonly scheduler: Scheduler
  readonly reachability: Reachability
  readonly latency: Latency
  readonly rng: Rng
}

interface Attempt extends ConnectRequest {
  readonly socket: Socket
  readonly to: Host
  readonly startedAtMs: number
}

export class Network {
  readonly #scheduler: Scheduler
  readonly #reachability: Reachability
  readonly #latency: Latency
  readonly #rng: Rng
  readonly #hosts = new Map<string, Host>()
  readonly #hostsByIp = new Map<string, Host>()
  readonly #listeners = new Map<string, Listener>()
  readonly #routes = new Map<string, Route>()
  readonly #nextPort = new Map<Host, number>()
  /** Pipes with held bytes, in the order in which they stalled. */
  readonly #stalled = new Set<Pipe>()

  constructor(start: NetworkStart) {
    this.#scheduler = start.scheduler
    this.#reachability = start.reachability
    this.#latency = start.latency
    this.#rng = start.rng
  }

  /** Adds a host, or gives back the one of that name. Addresses are numbered from 10.0.0.1. */
  host(name: string): Host {
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    const number = this.#hosts.size + 1
    const host = { name, ip: `10.0.${number >> 8}.${number & 255}` }
    this.#hosts.set(name, host)
    this.#hostsByIp.set(host.ip, host)
    return host
  }

  listen(host: Host, port: number, listener: Listener): void {
    const address = `${host.ip}:${port}`
    assert(!this.#listeners.has(address), `${address} is free`)
    this.#listeners.set(address, listener)
  }

  unlisten(host: Host, port: number): void {
    this.#listeners.delete(`${host.ip}:${port}`)
  }

  /** Opens a connection; the handler hears `connected`, or `closed` with the reason. */
  connect(request: ConnectRequest): Socket {
    const ends = {
      localHost: request.from.ip,
      localPort: this.#ephemeralPort(request.from),
      remoteHost: request.host,
      remotePort: request.port,
    }
    const socket = new Socket(ends, request.owner, request.handler)
    const to = this.#hostsByIp.get(request.host)
    const startedAtMs = this.#scheduler.nowMs
    this.#scheduler.at(startedAtMs + request.timeoutMs, () => {
      if (!socket.isEstablished) socket.endArrived('connection timed out')
    })
    // An address outside our world swallows everything.
    if (to !== undefined) this.#attempt({ ...request, socket, to, startedAtMs })
    return socket
  }

  /** The reachability has changed: whatever waited may leave with its next retransmission. */
  routesChanged(): void {
    for (const pipe of this.#stalled) {
      if (pipe.isStalled) pipe.retry()
      else this.#stalled.delete(pipe)
    }
  }

  #attempt(attempt: Attempt): void {
    if (!attempt.socket.isOpen) return
    if (this.#reachability.converses(attempt.from.name, attempt.to.name)) {
      const delayMs = this.#route(attempt.from, attempt.to).delayMs()
      this.#scheduler.after(delayMs, () => this.#knock(attempt))
    } else {
      this.#attemptLater(attempt)
    }
  }

  #attemptLater(attempt: Attempt): void {
    const nextMs = nextConnectAttemptMs(attempt.startedAtMs, this.#scheduler.nowMs + 1)
    if (nextMs < attempt.startedAtMs + attempt.timeoutMs) {
      this.#scheduler.at(nextMs, () => this.#attempt(attempt))
    }
  }

  /** The request has reached the other kernel, which answers without asking its process. */
  #knock(attempt: Attempt): void {
    const { socket, to } = attempt
    if (!socket.isOpen) return
    const back = this.#route(to, attempt.from)
    if (!back.passes()) {
      this.#attemptLater(attempt)
      return
    }
    const listener = this.#listeners.get(`${to.ip}:${attempt.port}`)
    if (listener === undefined) {
      this.#scheduler.after(back.delayMs(), () => socket.endArrived('connection refused'))
      return
    }
    const accepted = this.#pair(socket, attempt, listener)
    accepted.handOver((mine) => listener.accept(mine))
  }

  #pair(socket: Socket, attempt: Attempt, listener: Listener): Socket {
    const { from, to } = attempt
    const ends = {
      localHost: to.ip,
      localPort: attempt.port,
      remoteHost: from.ip,
      remotePort: socket.ends.localPort,
    }
    const accepted = new Socket(ends, listener.owner, undefined)
    const stalled = (pipe: Pipe): void => {
      this.#stalled.add(pipe)
    }
    const forth = new Pipe(this.#scheduler, this.#route(from, to), accepted, stalled)
    const back = new Pipe(this.#scheduler, this.#route(to, from), socket, stalled)
    accepted.join(back, forth)
    socket.join(forth, back)
    back.start()
    return accepted
  }

  #route(from: Host, to: Host): Route {
    const key = `${from.name}>${to.name}`
    const known = this.#routes.get(key)
    if (known !== undefined) return known
    const route = this.#newRoute(from, to, this.#rng.fork(key))
    this.#routes.set(key, route)
    return route
  }

  #newRoute(from: Host, to: Host, rng: Rng): Route {
    const { baseMs, jitterMs } = this.#latency
    const isInstant = from === to || this.#reachability.isOutside(from.name, to.name)
    return {
      passes: () => isInstant || this.#reachability.passes(from.name, to.name),
      delayMs: () => (isInstant ? 0 : baseMs + (jitterMs === 0 ? 0 : rng.below(jitterMs + 1))),
    }
  }

  #ephemeralPort(host: Host): number {
    const port = this.#nextPort.get(host) ?? EPHEMERAL_PORT_FIRST
    this.#nextPort.set(host, port + 1 > 65_535 ? EPHEMERAL_PORT_FIRST : port + 1)
    return port
  }
}
