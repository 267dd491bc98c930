import { Socket } from 'node:net'
import { AbstractConnector } from 'ioredis'
import type { Screen } from './screen.ts'
import type { Dial } from './surroundings.ts'

export interface LinkTarget {
  readonly host: string
  readonly port: number
  readonly dial: Dial
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
    const { host, port, dial } = this.#target
    const socket = new ScreenedSocket(this.#screen)
    this.#socket = socket
    socket.once('error', (error) => {
      this.firstError = error
    })
    dial(socket, host, port)
    return socket
  }

  /** At once: the machine has already forgotten the link, and a dead peer would never say goodbye. */
  override disconnect(): void {
    this.#socket?.destroy()
  }
}

/** A socket whose incoming bytes must pass the screen before anyone can read them. */
class ScreenedSocket extends Socket {
  readonly #screen: Screen

  constructor(screen: Screen) {
    super()
    this.#screen = screen
  }

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) return super.push(null)
    const screened = this.#screen.take(chunk.toString('latin1'))
    if (screened.kind === 'refused') {
      this.destroy(new Error(screened.reason))
      return false
    }
    // An empty chunk would not be an end, but it would not be news either.
    return screened.bytes === '' || super.push(Buffer.from(screened.bytes, 'latin1'))
  }
}
