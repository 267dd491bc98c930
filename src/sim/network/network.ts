/**
 * Connections between hosts, with the failures of TCP that matter to a supervisor: a living host
 * refuses connections to a port without a listener, a dead process ends its connections, a host
 * that cannot be reached or has no power is silent, and a stopped process is silent while its
 * kernel goes on accepting.
 */
import { assert } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import type { Latency } from '../../history/topology.ts'
import type { Wiring } from '../../history/wiring.ts'
import type { Scheduler, Task } from '../scheduler.ts'
import { type Host, Hosts } from './hosts.ts'
import { NetworkPath, type WayKind } from './path.ts'
import { Pipe } from './pipe.ts'
import { nextConnectAttemptMs } from './retransmission.ts'
import { Socket, type SocketHandler, type SocketOwner } from './socket.ts'

const EPHEMERAL_PORT_FIRST = 40_000

export interface SimListener {
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
  readonly wiring: Wiring
  readonly latencyOf: (from: string, to: string) => Latency
  readonly rng: Rng
  /** The address of the n-th host, from 1 on; undefined: from 10.0.0.1 on. */
  readonly ipOf?: (number: number) => string
}

interface Attempt extends ConnectRequest {
  readonly socket: Socket
  readonly to: Host
  readonly startedAtMs: number
}

export class Network {
  readonly #scheduler: Scheduler
  readonly #hosts: Hosts
  readonly #ways: NetworkPaths
  readonly #wiring: Wiring
  readonly #listeners = new Map<string, SimListener>()
  readonly #nextPort = new Map<Host, number>()
  /**
   * Pipes that hold bytes back or have no acknowledgement of what arrived, in the order in which
   * they stalled.
   */
  readonly #stalled = new Set<Pipe>()
  /** How to continue connection requests, and the answers to them, that are held on the way. */
  readonly #parked = new Map<Attempt, Task>()

  constructor(start: NetworkStart) {
    this.#scheduler = start.scheduler
    this.#hosts = new Hosts(start.ipOf)
    const { wiring, latencyOf, rng } = start
    this.#wiring = wiring
    this.#ways = new NetworkPaths({ hosts: this.#hosts, wiring, latencyOf, rng })
  }

  /** Adds a host, or returns the one of that name. */
  host(name: string): Host {
    return this.#hosts.named(name)
  }

  /** What a name server would answer. */
  addressOf(hostName: string): string | undefined {
    return this.#hosts.addressOf(hostName)
  }

  /** The host that has or once had this address. */
  hostEverAt(ip: string): Host | undefined {
    return this.#hosts.everAt(ip)
  }

  listen(host: Host, port: number, listener: SimListener): void {
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
    const to = this.#hosts.at(request.host)
    const startedAtMs = this.#scheduler.nowMs
    const attempt = to === undefined ? undefined : { socket, to, startedAtMs, ...request }
    this.#scheduler.at(startedAtMs + request.timeoutMs, () => {
      if (attempt !== undefined) this.#parked.delete(attempt)
      if (!socket.isEstablished) socket.endArrived('connection timed out')
    })
    // An address outside our world swallows everything.
    if (attempt !== undefined) this.#attempt(attempt)
    return socket
  }

  /**
   * Reachability or conditions have changed: what waited may leave now, or with its next
   * retransmission.
   */
  routesChanged(): void {
    this.#ways.refresh()
    for (const pipe of [...this.#stalled]) pipe.wayChanged()
    const parked = [...this.#parked.values()]
    this.#parked.clear()
    for (const goOn of parked) goOn()
  }

  /** A host without power is silent; its processes are not the network's business. */
  setPower(host: Host, isOn: boolean): void {
    if (this.#hosts.isOn(host) === isOn) return
    this.#hosts.setPower(host, isOn)
    this.routesChanged()
  }

  /** Gives the host a new address. Nothing may listen there, and no socket may be left. */
  readdress(host: Host): void {
    this.#hosts.readdress(host)
  }

  #attempt(attempt: Attempt): void {
    if (!attempt.socket.isOpen) return
    const [forth, back] = this.#waysOf(attempt)
    if (forth.kind === 'outside' && !forth.passes) {
      // An observer sees that no host is there.
      this.#scheduler.after(0, () => attempt.socket.endArrived('the host is gone'))
      return
    }
    if (forth.isHolding && forth.passes) {
      this.#parked.set(attempt, () => this.#attempt(attempt))
      return
    }
    const isHopeless = !back.passes || this.#hasMoved(attempt)
    const arriveAtMs = isHopeless ? undefined : forth.arrivalMs(this.#scheduler.nowMs, 0)
    if (arriveAtMs === undefined) this.#attemptLater(attempt)
    else this.#scheduler.at(arriveAtMs, () => this.#knock(attempt))
  }

  #attemptLater(attempt: Attempt): void {
    const nextMs = nextConnectAttemptMs(attempt.startedAtMs, this.#scheduler.nowMs + 1)
    if (nextMs < attempt.startedAtMs + attempt.timeoutMs) {
      this.#scheduler.at(nextMs, () => this.#attempt(attempt))
    }
  }

  /** The request has reached the other kernel, which answers without asking its process. */
  #knock(attempt: Attempt): void {
    if (!attempt.socket.isOpen) return
    const [, back] = this.#waysOf(attempt)
    if (back.isHolding && back.passes) {
      this.#parked.set(attempt, () => this.#knock(attempt))
      return
    }
    const isGone = this.#hasMoved(attempt)
    const answerAtMs = isGone ? undefined : back.arrivalMs(this.#scheduler.nowMs, 0)
    if (answerAtMs === undefined) this.#attemptLater(attempt)
    else this.#answer(attempt, answerAtMs)
  }

  #answer(attempt: Attempt, answerAtMs: number): void {
    const { socket, from, to, port } = attempt
    const isRefused = this.#wiring.reachability.refuses(from.name, to.name)
    const listener = isRefused ? undefined : this.#listeners.get(`${to.ip}:${port}`)
    if (listener === undefined) {
      this.#scheduler.at(answerAtMs, () => socket.endArrived('connection refused'))
      return
    }
    const accepted = this.#pair(socket, attempt, listener, answerAtMs)
    accepted.handOver((mine) => listener.accept(mine))
  }

  #pair(socket: Socket, attempt: Attempt, listener: SimListener, answerAtMs: number): Socket {
    const ends = {
      localHost: attempt.to.ip,
      localPort: attempt.port,
      remoteHost: attempt.from.ip,
      remotePort: socket.ends.localPort,
    }
    const accepted = new Socket(ends, listener.owner, undefined)
    const [forthWay, backWay] = this.#waysOf(attempt)
    const forth = new Pipe(this.#scheduler, [forthWay, backWay], accepted, this.#stalled)
    const back = new Pipe(this.#scheduler, [backWay, forthWay], socket, this.#stalled)
    forth.joinOpposite(back)
    back.joinOpposite(forth)
    accepted.join(back, forth)
    socket.join(forth, back)
    back.start(answerAtMs)
    return accepted
  }

  #waysOf({ from, to }: Attempt): readonly [forth: NetworkPath, back: NetworkPath] {
    return [this.#ways.between(from, to), this.#ways.between(to, from)]
  }

  /** Whether the address that was asked for is no longer the host's. */
  #hasMoved({ host, to }: Attempt): boolean {
    return to.ip !== host
  }

  #ephemeralPort(host: Host): number {
    const port = this.#nextPort.get(host) ?? EPHEMERAL_PORT_FIRST
    this.#nextPort.set(host, port + 1 > 65_535 ? EPHEMERAL_PORT_FIRST : port + 1)
    return port
  }
}

interface NetworkPathsStart {
  readonly hosts: Hosts
  readonly wiring: Wiring
  readonly latencyOf: (from: string, to: string) => Latency
  readonly rng: Rng
}

/**
 * All paths between hosts, each created when it is first used, and kept up to date with the present
 * faults.
 */
class NetworkPaths {
  readonly #start: NetworkPathsStart
  readonly #entries = new Map<string, Entry>()

  constructor(start: NetworkPathsStart) {
    this.#start = start
  }

  between(from: Host, to: Host): NetworkPath {
    const key = `${from.name}>${to.name}`
    const known = this.#entries.get(key)
    if (known !== undefined) return known.way
    const { latencyOf, rng } = this.#start
    const way = new NetworkPath(this.#kind(from, to), latencyOf(from.name, to.name), rng.fork(key))
    const entry = { from, to, way }
    this.#entries.set(key, entry)
    this.#set(entry)
    return way
  }

  /** Updates all paths after a fault has come or gone. */
  refresh(): void {
    for (const entry of this.#entries.values()) this.#set(entry)
  }

  #set({ from, to, way }: Entry): void {
    const { hosts, wiring } = this.#start
    const { reachability, conditions } = wiring
    const isPowered = hosts.isOn(from) && hosts.isOn(to)
    if (way.kind !== 'link')
      return way.set({ passes: isPowered, isHolding: false, shape: undefined })
    const [a, b] = [from.name, to.name]
    const passes = isPowered && reachability.passes(a, b)
    way.set({ passes, isHolding: reachability.holds(a, b), shape: conditions.of(a, b) })
  }

  #kind(from: Host, to: Host): WayKind {
    if (from === to) return 'loopback'
    return this.#start.wiring.reachability.isOutside(from.name, to.name) ? 'outside' : 'link'
  }
}

interface Entry {
  readonly from: Host
  readonly to: Host
  readonly way: NetworkPath
}
