import { SimWorld } from '../sim/world.ts'
import type { Engine, World } from './world.ts'

const ANSWER_LIMIT_MS = 5_000

/** Scenarios on virtual time. It never waits: promises are kept before they are given. */
export const SIM_ENGINE: Engine = {
  name: 'sim',
  refusal: () => undefined,
  create: async (file, seed) => createWorld(new SimWorld(file.topology, seed)),
}

function createWorld(world: SimWorld): World {
  return {
    runUntil: async (atMs, isMet) => world.runUntil(atMs, isMet),
    apply: async (action) => world.apply(action),
    ask: async (process, argv) => world.askAndWait(process, argv, ANSWER_LIMIT_MS),
    nameOf: (address) => world.nameOf(address),
    happenings: () => world.happenings,
    writes: () => world.writes,
    reads: () => world.reads,
    close: async () => {},
  }
}
