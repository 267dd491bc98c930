import type { Socket } from 'node:net'
import { type Clock, REAL_CLOCK } from './process/clock.ts'

/** Starts to connect a new socket to an address. */
export type Dial = (socket: Socket, host: string, port: number) => void

/**
 * What surrounds a host. A daemon has nothing between itself and its kernel; the laboratory puts
 * clocks, a network and a scheduler of its own there, and so can make them fail.
 */
export interface Surroundings {
  readonly clock: Clock
  readonly dial: Dial
  /** Admits an input: at once, or later and in order if the process is stopped for a while. */
  readonly admit: (input: () => void) => void
}

/** Asked for each new connection. Undefined or empty: the kernel chooses. */
export type SourceAddress = () => string | undefined

export function kernelSurroundings(sourceAddress: SourceAddress): Surroundings {
  return { clock: REAL_CLOCK, dial: dialFrom(sourceAddress), admit: (input) => input() }
}

export function dialFrom(sourceAddress: SourceAddress): Dial {
  return (socket, host, port) => {
    const localAddress = sourceAddress()
    socket.connect({ host, port, ...(localAddress && { localAddress }) })
  }
}
