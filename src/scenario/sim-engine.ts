import { SimWorld, type WorldParts } from '../sim/world.ts'
import type { Engine, World } from './world.ts'

const ANSWER_LIMIT_MS = 5_000

/** Scenarios on virtual time. No call here waits: its result is there when it returns. */
export const SIM_ENGINE: Engine = simEngine()

/** `parts`: other programs than the usual ones, for tests that look into them. */
export function simEngine(parts?: WorldParts): Engine {
  return {
    name: 'sim',
    programs: 'Vedette',
    refusal: () => undefined,
    create: async (file, seed) => createWorld(new SimWorld(file.topology, seed, parts)),
  }
}

function createWorld(world: SimWorld): World {
  return {
    runUntil: async (atMs, isMet) => world.runUntil(atMs, isMet),
    apply: async (action) => world.apply(action),
    ask: async (process, argv, before) => world.askAndWait(process, argv, ANSWER_LIMIT_MS, before),
    nameOf: (address) => world.nameOf(address),
    happenings: () => world.happenings,
    writes: () => world.writes,
    reads: () => world.reads,
    questions: () => world.questions,
    latestMs: () => undefined,
    close: async () => {},
  }
}
