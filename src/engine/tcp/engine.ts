import type { Engine } from '../../scenario/world.ts'
import { createTcpWorld } from './tcp-world.ts'

/** Scenarios on real sockets, in this process and in real time. It can do all that the simulator can. */
export function createTcpEngine(): Engine {
  return {
    name: 'tcp',
    refusal: () => undefined,
    create: (file, seed) => createTcpWorld(file.topology, seed),
  }
}
