import { SimWorld } from '../sim/world.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { World } from './world.ts'

const KEYS_PER_COMMAND = 500
const ANSWER_LIMIT_MS = 5_000

/** The scenario on virtual time. It never waits: promises are kept before they are given. */
export async function createSimEngine(file: ScenarioFile, seed: string): Promise<World> {
  const world = new SimWorld(file.topology, seed)
  return {
    runUntil: async (atMs) => world.runUntil(atMs),
    apply: async (action) => world.apply(action),
    keysAt: async (node, keys) => keysAt(world, node, keys),
    nameOf: (address) => world.nameOf(address),
    happenings: () => world.happenings,
    writes: () => world.writes,
    close: async () => {},
  }
}

function keysAt(
  world: SimWorld,
  node: string,
  keys: readonly string[],
): ReadonlySet<string> | undefined {
  const present = new Set<string>()
  for (let first = 0; first < keys.length; first += KEYS_PER_COMMAND) {
    const some = keys.slice(first, first + KEYS_PER_COMMAND)
    const reply = world.askAndWait(node, ['MGET', ...some], ANSWER_LIMIT_MS)
    if (reply?.kind !== 'array') return undefined
    reply.items.forEach((item, index) => {
      if (item.kind === 'bulk') present.add(some[index] ?? '')
    })
  }
  return present
}
