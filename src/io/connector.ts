import { Socket } from 'node:net'
import { AbstractConnector } from 'ioredis'
import type { Screen } from './screen.ts'
import type { Dial } from './surroundings.ts'
import type { Tls } from './tls.ts'

export interface LinkTarget {
  readonly host: string
  readonly port: number
  readonly dial: Dial
  /** Undefined: plain connections. */
  readonly tls: Tls | undefined
}

/** What ioredis opens a link with: our own way of dialling, our screen, and no farewell on closing. */
export class LinkConnector extends AbstractConnector {
  readonly #target: LinkTarget
  readonly #screen: Screen
  #socket: Socket | undefined

  constructor(target: LinkTarget, screen: Screen) {
    super(0)
    this.#target = target
    this.#screen = screen
  }

  get socket(): Socket | undefined {
    return this.#socket
  }

  // `async`: what `socket.connect` throws, a port out of range say, must reach ioredis as a rejection.
  override async connect(): Promise<Socket> {
    const { host, port, dial, tls } = this.#target
    const raw = new Socket()
    dial(raw, host, port)
    const socket = tls?.over(raw, host, port) ?? raw
    this.#socket = socket
    putBehind(this.#screen, socket)
    socket.once('error', (error) => {
      this.firstError = error
    })
    return socket
  }

  /** At once: the machine has already forgotten the link, and a dead peer would never say goodbye. */
  override disconnect(): void {
    // What the machine said last, in the turn in which it lets go, is to be heard all the same.
    this.#socket?.uncork()
    this.#socket?.destroy()
  }
}

/** From now on the incoming bytes must pass the screen before anyone can read them. */
function putBehind(screen: Screen, socket: Socket): void {
  const pass = socket.push.bind(socket)
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) return pass(null)
    const screened = screen.take(chunk.toString('latin1'))
    if (screened.kind === 'refused') {
      socket.destroy(new Error(screened.reason))
      return false
    }
    // An empty chunk would not be an end, but it would not be news either.
    return screened.bytes === '' || pass(Buffer.from(screened.bytes, 'latin1'))
  }
}
