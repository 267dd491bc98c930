/**
 * The network of a cluster under test: one door on 127.0.0.1 for each member, and a way in each direction
 * between any two parties. It knows which connection is whose by the port that a member dials from;
 * a connection that was not dialled from here comes from a client. Nothing but the loopback address is used, and no port that
 * the system did not hand out, so it works alike on every system, and any number of clusters at once.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { Dial } from '../io/host-environment.ts'
import { REAL_TIMERS } from '../io/process/timers.ts'
import { CarriedSocket } from './carried-socket.ts'
import type { ClusterClock } from './cluster-clock.ts'
import { Way } from './way.ts'

export const LOOPBACK = '127.0.0.1'
/** Everything outside of the cluster: the application and its clients. */
export const CLIENTS = 'clients'

/** Takes the connections to a member while its program runs. */
export type TakeConnection = (socket: Socket) => void

export interface MemberDoor {
  readonly name: string
  readonly port: number
  /** Undefined: connections are refused, as to a process that is not there. */
  take: TakeConnection | undefined
}

interface OpenDoor extends MemberDoor {
  readonly server: Server
  /** Dialled by members, let through by their ways, and not known to be connected yet. */
  readonly dialling: Set<Socket>
  /** Accepted while some were dialling: they may be theirs. */
  unnamed: Socket[]
}

export class Switchboard {
  readonly #doors = new Map<number, OpenDoor>()
  readonly #ways = new Map<string, Way>()
  /** By the port that a member dials from. */
  readonly #callers = new Map<number, string>()
  /** By the address that a member dials from, where each has its own. */
  readonly #sources = new Map<string, string>()
  readonly #sockets = new Set<Socket>()
  readonly #clock: () => ClusterClock
  #isClosed = false
  #arrivals = 0

  /** The clock is asked for when it is needed first: it may count what arrives here. */
  constructor(clock: () => ClusterClock) {
    this.#clock = clock
  }

  /** Grows with everything that arrives at a member or leaves one. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** Opens a door on a free port. */
  async open(name: string): Promise<MemberDoor> {
    const server = createServer((socket) => this.#accepted(door, socket))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: LOOPBACK, port: 0 }, resolve)
    })
    const { port } = server.address() as { port: number }
    const door: OpenDoor = {
      ...{ name, port, server, dialling: new Set() },
      ...{ take: undefined, unnamed: [] },
    }
    this.#doors.set(port, door)
    return door
  }

  /** From now on connections from this address are this member's. */
  settle(address: string, name: string): void {
    this.#sources.set(address, name)
  }

  way(from: string, to: string): Way {
    const key = `${from} ${to}`
    const known = this.#ways.get(key)
    if (known !== undefined) return known
    const way = new Way(this.#clock())
    this.#ways.set(key, way)
    return way
  }

  /** Nothing is cut or slow any more. */
  heal(): void {
    for (const way of this.#ways.values()) way.heal()
  }

  /** How this member opens connections. */
  dialFrom(name: string): Dial {
    return (socket, host, port) => {
      const door = host === LOOPBACK ? this.#doors.get(port) : undefined
      if (door === undefined) socket.connect({ host, port })
      else this.#dial(name, socket, door)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const socket of this.#sockets) socket.destroy()
    const servers = [...this.#doors.values()].map(({ server }) => server)
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  /**
   * A name has to be looked up before the kernel may connect: we answer the lookup when the way lets the
   * attempt through.
   */
  #dial(name: string, socket: Socket, door: OpenDoor): void {
    this.keep(socket)
    const queue = this.way(name, door.name).queue()
    const over = () => {
      queue.close()
      door.dialling.delete(socket)
      this.#nameThose(door)
    }
    socket.once('connect', () => {
      const { localPort = 0 } = socket
      this.#callers.set(localPort, name)
      socket.once('close', () => this.#callers.delete(localPort))
      over()
    })
    socket.once('close', over)
    socket.connect({
      ...{ host: `${door.name}.cluster`, port: door.port, family: 4 },
      lookup: (_name, _options, found) => {
        const answer = () => found(door.take === undefined ? refused(door) : null, LOOPBACK, 4)
        queue.send(() => {
          // Not before: members that dial on a cut way must not keep clients waiting for their names.
          door.dialling.add(socket)
          // Members that are started together dial each other before the last of them is there.
          REAL_TIMERS.queueMicrotask(answer)
        })
      },
    })
  }

  #accepted(door: OpenDoor, socket: Socket): void {
    this.keep(socket)
    // Whatever went wrong, the connection is over; its close event says so.
    socket.on('error', () => undefined)
    door.unnamed.push(socket)
    this.#nameThose(door)
  }

  /** Passes on every connection of which it is known whose it is. */
  #nameThose(door: OpenDoor): void {
    const waiting = door.unnamed
    door.unnamed = []
    for (const socket of waiting) {
      const source = this.#sources.get(socket.remoteAddress ?? '')
      const caller = source ?? this.#callers.get(socket.remotePort ?? 0)
      if (caller === undefined && door.dialling.size > 0) door.unnamed.push(socket)
      else this.#pass(door, socket, caller ?? CLIENTS)
    }
  }

  #pass(door: OpenDoor, socket: Socket, caller: string): void {
    if (this.#isClosed || socket.destroyed) return
    if (door.take === undefined) return void socket.resetAndDestroy()
    const ways = [this.way(caller, door.name), this.way(door.name, caller)] as const
    const carried = new CarriedSocket(socket, ways, () => void this.#arrivals++)
    // What hosts use of a socket, the carried one has.
    door.take(carried as unknown as Socket)
  }

  /** Ends with the network, if not before. */
  keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

function refused({ port }: MemberDoor): NodeJS.ErrnoException {
  const error = new Error(`connect ECONNREFUSED ${LOOPBACK}:${port}`)
  return Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect' })
}
