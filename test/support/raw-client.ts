/** A client that sends bytes which no client library would send, and keeps what comes back as it is. */
import { connect, type Socket } from 'node:net'
import { until } from './processes.ts'

const PATIENCE_MS = 5_000

export class RawClient {
  readonly #socket: Socket
  #received = ''
  #isClosed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#received += text
    })
    const closed = () => {
      this.#isClosed = true
    }
    socket.on('end', closed)
    socket.on('error', closed)
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1')
    const client = new RawClient(socket)
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return client
  }

  send(bytes: string): void {
    this.#socket.write(bytes, 'latin1')
  }

  /** Stops reading. */
  pause(): void {
    this.#socket.pause()
  }

  /** Ends its side, but goes on listening. */
  end(): void {
    this.#socket.end()
  }

  /** Sends a request and waits for a reply of at least that length; what came before is dropped. */
  async reply(bytes: string, length: number): Promise<string> {
    this.#received = ''
    this.send(bytes)
    await until(`${length} bytes come back`, PATIENCE_MS, () => this.#received.length >= length)
    return this.#received
  }

  /** Sends a request and waits for exactly this reply. */
  async expectReply(bytes: string, reply: string): Promise<void> {
    const received = await this.reply(bytes, reply.length)
    if (received !== reply) throw new Error(`received ${JSON.stringify(received.slice(0, 200))}`)
  }

  /** Everything received, once `isWhole` accepts it. */
  async untilReceived(isWhole: (received: string) => boolean): Promise<string> {
    await until('the whole answer comes', PATIENCE_MS, () => isWhole(this.#received))
    return this.#received
  }

  /** Everything received until the other side closed the connection. */
  async untilClosed(): Promise<string> {
    await until('the other side closes', PATIENCE_MS, () => this.#isClosed).catch((error) => {
      throw new Error(`${error} received ${JSON.stringify(this.#received)}`)
    })
    return this.#received
  }

  /**
   * Sends a piece again and again; returns how many bytes it sent until the other side closed, at most
   * `maxBytes`.
   */
  async flood(piece: string, maxBytes: number): Promise<number> {
    let sentBytes = 0
    while (!this.#isClosed && sentBytes < maxBytes) {
      sentBytes += piece.length
      await new Promise((resolve) => {
        this.#socket.once('close', resolve)
        this.#socket.write(piece, 'latin1', resolve)
      })
      this.#socket.removeAllListeners('close')
    }
    return sentBytes
  }

  close(): void {
    this.#socket.destroy()
  }
}
