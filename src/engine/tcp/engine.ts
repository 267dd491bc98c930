import type { ActionKind } from '../../history/action.ts'
import { wordOf } from '../../scenario/language/actions.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { Engine } from '../../scenario/world.ts'
import { createTcpWorld } from './tcp-world.ts'

/**
 * Scenarios on real sockets, in this process and in real time. It can do all that the simulator
 * can, except lie and run out of memory.
 */
export function createTcpEngine(): Engine {
  return {
    name: 'tcp',
    programs: 'Vedette',
    refusal,
    create: (file, seed) => createTcpWorld(file.topology, seed),
  }
}

const IMPOSSIBLE: { readonly [Kind in ActionKind]?: string } = {
  lie: 'liars live in the simulated world only',
  measure: 'machines behind real sockets cannot be looked into',
  memoryUse: 'all processes of this world share one heap',
}

/** Names every step that cannot be done here, once. */
function refusal({ steps }: ScenarioFile): string | undefined {
  const refused = steps.flatMap(({ actions }, index) => {
    const refused = actions.find(({ kind }) => kind in IMPOSSIBLE)
    if (refused === undefined) return []
    return [`step ${index + 1} (${wordOf(refused)}): ${IMPOSSIBLE[refused.kind]}`]
  })
  return refused.length === 0 ? undefined : refused.join('; ')
}
