/**
 * The network of a world on real sockets. Processes listen at hidden addresses; at the address each
 * announces there is a door. A process that dials an address first opens a connection through the
 * simulated network, where partitions, latency, refusals and retransmissions are decided. Only when
 * that is established does its real socket connect to the door. From there bytes go leg by leg:
 * real socket, door, simulated connection, real connection to the hidden address. Both ends see the
 * true address of the other one.
 */
import { connect, createServer, type Socket as RealSocket, type Server } from 'node:net'
import { assert } from '../../base/assert.ts'
import type { Dial, Surroundings } from '../../io/host-environment.ts'
import { timerAfter } from '../../io/process/clock.ts'
import type { Socket, SocketHandler } from '../../sim/network/socket.ts'
import type { Process } from '../../sim/processes/process.ts'
import { hiddenAddress } from './addresses.ts'
import { ProxyConnection } from './proxy-connection.ts'
import type { RealTime } from './real-time.ts'

/** About as long as a kernel keeps trying; the dialling process gives up earlier. */
const CONNECT_TIMEOUT_MS = 60_000

export class ProxyNetwork {
  readonly #time: RealTime
  readonly #servers = new Map<string, Server>()
  readonly #sockets = new Set<RealSocket>()
  /** What takes the connections to a hidden address, while its process runs. */
  readonly #serving = new Map<string, (socket: RealSocket) => void>()
  /**
   * Legs whose simulated connection is established and whose real one is on its way to the door, by
   * the ends of the real one.
   */
  readonly #expected = new Map<string, ProxyConnection>()
  #isClosed = false

  constructor(time: RealTime) {
    this.#time = time
  }

  /** Opens the door and the hidden listener of an address, unless they are open. */
  async open(host: string, port: number): Promise<void> {
    const hidden = hiddenAddress(host)
    await Promise.all([
      this.#listen(hidden, port, (socket) => this.#accepted(`${hidden}:${port}`, socket)),
      this.#listen(host, port, (socket) => this.#arrived(`${host}:${port}`, socket)),
    ])
  }

  /** From now on, to the end of its life, the process takes the connections to its port. */
  serve(process: Process, port: number, take: (socket: RealSocket) => void): void {
    const { ip } = process.host
    const address = `${hiddenAddress(ip)}:${port}`
    this.#serving.set(address, take)
    process.atEnd(() => this.#serving.delete(address))
    process.listen(port, (simulated) => this.#forward(simulated, port))
    // Open already, unless the process has moved to a new address; until that is open, no
    // connection gets in.
    this.open(ip, port).catch(() => undefined)
  }

  /**
   * The surroundings of a process of this world. `after` is called when an input has been taken.
   */
  surroundings(process: Process, after: () => void = () => undefined): Surroundings {
    const { life } = process
    const isAlive = () => process.life === life && process.status !== 'down'
    const take = (input: () => void) => {
      if (!isAlive()) return
      input()
      if (isAlive()) after()
    }
    return {
      clock: {
        read: () => process.clock.momentAt(this.#time.nowMs),
        msUntil: (monoMs) => process.clock.trueMsOf(monoMs) - this.#time.preciseMs,
        after: timerAfter,
      },
      admit: (input) =>
        this.#time.enter(() => {
          if (isAlive()) process.deliver(() => take(input))
        }),
      dial: this.#dialFrom(process, isAlive),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const socket of this.#sockets) socket.destroy()
    const closing = [...this.#servers.values()].map(
      (server) => new Promise((resolve) => server.close(resolve)),
    )
    await Promise.all(closing)
  }

  #dialFrom(process: Process, isAlive: () => boolean): Dial {
    return (socket, host, port) => {
      if (!isAlive()) return void socket.destroy()
      this.#track(socket)
      const leg = new ProxyConnection(this.#time)
      const door = `${host}:${port}`
      // A name has to be looked up before the kernel may connect. We answer the lookup when the
      // simulated network has established the connection.
      socket.connect({
        host: `${host}.laboratory`,
        port,
        family: 4,
        localAddress: process.host.ip,
        lookup: (_name, _options, found) => {
          const done = (reason: string | undefined) => {
            found(errorOf(reason), host, 4)
            if (reason === undefined) this.#expected.set(endsOf(socket, door), leg)
          }
          this.#time.enter(() => this.#reach({ process, leg, host, port, done }))
        },
      })
      socket.once('close', () => this.#time.enter(() => this.#gone(leg)))
    }
  }

  /** The dialling process has closed: what it wrote before may still be on its way to the door. */
  #gone(leg: ProxyConnection): void {
    if (leg.isAttached) return
    for (const [ends, other] of this.#expected) {
      if (other === leg) this.#expected.delete(ends)
    }
    leg.hangUp()
  }

  #reach({ process, leg, host, port, done }: Reach): void {
    let isEstablished = false
    const simulated = process.connect(host, port, CONNECT_TIMEOUT_MS, {
      received: leg.handler.received,
      connected: () => {
        isEstablished = true
        done(undefined)
      },
      closed: (reason) => {
        if (isEstablished) leg.handler.closed(reason)
        else done(reason)
      },
    })
    leg.join(simulated)
  }

  /** A real connection has come to a door: it belongs to the leg that was opened for it. */
  #arrived(door: string, socket: RealSocket): void {
    const ends = `${socket.remoteAddress}:${socket.remotePort}>${door}`
    const leg = this.#expected.get(ends)
    this.#expected.delete(ends)
    // A stranger, or a process that left at the moment it was let in.
    if (leg === undefined) socket.destroy()
    else leg.attach(socket)
  }

  /**
   * A connection has come through the simulated network: on to where the process really listens.
   */
  #forward(simulated: Socket, port: number): SocketHandler {
    const { localHost, remoteHost } = simulated.ends
    const leg = new ProxyConnection(this.#time)
    leg.join(simulated)
    const real = connect({ host: hiddenAddress(localHost), port, localAddress: remoteHost })
    this.#track(real)
    leg.attach(real)
    return {
      ...leg.handler,
      connected: () => assert(false, 'an accepted connection stands already'),
    }
  }

  #accepted(address: string, socket: RealSocket): void {
    const take = this.#serving.get(address)
    if (take === undefined) socket.destroy()
    else take(socket)
  }

  #listen(host: string, port: number, take: (socket: RealSocket) => void): Promise<void> {
    const key = `${host}:${port}`
    if (this.#servers.has(key) || this.#isClosed) return Promise.resolve()
    const server = createServer((socket) => {
      this.#track(socket)
      this.#time.enter(() => take(socket))
    })
    this.#servers.set(key, server)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: 511 }, () => resolve())
    })
  }

  #track(socket: RealSocket): void {
    this.#sockets.add(socket)
    // A connection may break before a listener is attached; its close event tells the same.
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

function endsOf(socket: RealSocket, door: string): string {
  return `${socket.localAddress}:${socket.localPort}>${door}`
}

interface Reach {
  readonly process: Process
  readonly leg: ProxyConnection
  readonly host: string
  readonly port: number
  /** `reason` is why the connection could not be established; undefined: it is. */
  readonly done: (reason: string | undefined) => void
}

/** Like the kernel's own errors, which programs tell apart by their code. */
function errorOf(reason: string | undefined): NodeJS.ErrnoException | null {
  if (reason === undefined) return null
  const code = reason.includes('refused') ? 'ECONNREFUSED' : 'ETIMEDOUT'
  return Object.assign(new Error(`connect ${code}`), { code })
}
