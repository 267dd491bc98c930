/**
 * The end of a connection that a member of a cluster holds. It behaves as the socket that was accepted, but
 * what comes and goes takes the ways between the two parties, which a test can cut or make slow.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Way, WayQueue } from './way.ts'

/** So many pieces may be on their way before we stop reading: the kernel holds what comes after. */
const PIECES_MAX = 64

export class CarriedSocket extends Duplex {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
  readonly connecting = false
  readonly #raw: Socket
  readonly #in: WayQueue
  readonly #out: WayQueue
  readonly #moved: () => void

  /** `moved` is called with every piece that arrives or leaves. */
  constructor(raw: Socket, [towards, back]: readonly [Way, Way], moved: () => void) {
    super({ allowHalfOpen: true })
    this.remoteAddress = raw.remoteAddress
    this.remotePort = raw.remotePort
    this.localAddress = raw.localAddress
    this.localPort = raw.localPort
    this.#raw = raw
    this.#moved = moved
    this.#in = towards.queue()
    this.#out = back.queue()
    raw.setNoDelay(true)
    raw.on('data', (chunk) => this.#arrived(chunk))
    raw.once('end', () => this.#in.send(() => this.push(null)))
    raw.once('close', () => this.#in.send(() => this.destroy()))
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  override _read(): void {
    if (this.#in.length < PIECES_MAX) this.#raw.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#moved()
    let written = done
    this.#out.send(() => {
      if (this.#raw.writable) this.#raw.write(chunk, () => written())
      else written()
    })
    const { length } = this.#out
    if (length === 0 || length >= PIECES_MAX) return
    // What comes next sets out now: one after the other, each piece would take the time of the way.
    written = () => undefined
    done()
  }

  override _writev(pieces: readonly { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(pieces.map(({ chunk }) => chunk)), '', done)
  }

  override _final(done: () => void): void {
    this.#out.send(() => {
      this.#raw.end()
      done()
    })
  }

  /** What was written before is on its way; the other side learns of the end behind it. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#in.close()
    this.#raw.pause()
    this.#out.send(() => {
      this.#out.close()
      this.#raw.destroy()
    })
    done(error)
  }

  #arrived(chunk: Buffer): void {
    this.#moved()
    this.#in.send(() => {
      const wantsMore = this.push(chunk)
      if (wantsMore) this.#raw.resume()
      else this.#raw.pause()
    })
    if (this.#in.length >= PIECES_MAX) this.#raw.pause()
  }
}
