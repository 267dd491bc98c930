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

/** Connections are opened from `localAddress`; undefined lets the kernel choose. */
export function kernelSurroundings(localAddress: string | undefined): Surroundings {
  return { clock: REAL_CLOCK, dial: dialFrom(localAddress), admit: (input) => input() }
}

export function dialFrom(localAddress: string | undefined): Dial {
  const from = localAddress === undefined ? {} : { localAddress }
  return (socket, host, port) => socket.connect({ host, port, ...from })
}
