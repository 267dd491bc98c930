/**
 * Where a real connection meets the network of the world: what the real peer writes is sent on the
 * simulated connection, with all its faults, and what arrives there is written to the real peer.
 * Each connection between two processes has two legs, one at each end.
 */
import type { Socket as RealSocket } from 'node:net'
import { REAL_TIMERS } from '../../io/process/timers.ts'
import type { Socket, SocketHandler } from '../../sim/network/socket.ts'
import type { RealTime } from './real-time.ts'

/** How often a sender that got too far ahead of its reader checks whether it may continue. */
const DRAIN_CHECK_MS = 5

export class ProxyConnection {
  readonly #time: RealTime
  #simulated: Socket | undefined
  #real: RealSocket | undefined
  /** Bytes that arrived before the real connection was there. */
  #early = ''
  #endReason: string | undefined

  constructor(time: RealTime) {
    this.#time = time
  }

  /** Passes everything that the simulated connection reports to the real peer. */
  get handler(): Omit<SocketHandler, 'connected'> {
    return {
      received: (bytes) => this.#write(bytes),
      closed: (reason) => this.#end(reason),
    }
  }

  get isAttached(): boolean {
    return this.#real !== undefined
  }

  join(simulated: Socket): void {
    // What the process wrote before it died is still on its way to us.
    simulated.isCarried = true
    this.#simulated = simulated
  }

  /** The real peer is connected, or soon will be. */
  attach(real: RealSocket): void {
    this.#real = real
    real.setNoDelay(true)
    real.on('data', (chunk) => this.#time.enter(() => this.#send(chunk.toString('latin1'))))
    // Whatever went wrong, the connection is over; its close event says so.
    real.on('error', () => undefined)
    real.once('end', () => this.#time.enter(() => this.hangUp()))
    real.once('close', () => this.#time.enter(() => this.hangUp()))
    if (this.#early !== '') this.#write(this.#early)
    if (this.#endReason !== undefined) this.#end(this.#endReason)
  }

  /** The real peer has ended the connection, or never came. */
  hangUp(): void {
    this.#simulated?.close()
  }

  #send(bytes: string): void {
    this.#simulated?.write(bytes)
    if ((this.#simulated?.queuedBytes ?? 0) > 0) this.#throttle()
  }

  /** As much as kernels hold is on its way: the sender is slowed down, as over a real network. */
  #throttle(): void {
    const [real, simulated] = [this.#real, this.#simulated]
    if (real === undefined || simulated === undefined || real.isPaused()) return
    real.pause()
    const check = REAL_TIMERS.setInterval(() => {
      if (simulated.queuedBytes > 0 && simulated.isOpen && !real.destroyed) return
      REAL_TIMERS.clearInterval(check)
      real.resume()
    }, DRAIN_CHECK_MS)
  }

  #write(bytes: string): void {
    if (this.#real === undefined) this.#early += bytes
    else if (this.#real.writable) this.#real.write(bytes, 'latin1')
  }

  #end(reason: string): void {
    this.#endReason = reason
    if (reason.includes('reset')) this.#real?.resetAndDestroy()
    else this.#real?.end()
  }
}
