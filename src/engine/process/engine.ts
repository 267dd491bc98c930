/** Scenarios on real processes, each host a network namespace of this machine. */
import type { Engine } from '../../scenario/world.ts'
import { type Against, missingBuild } from './cast.ts'
import { removeLeftovers } from './leftovers.ts'
import { type Machine, probeMachine } from './machine.ts'
import { machineRefusal, refusalOf } from './refusal.ts'
import { createProcessWorld } from './world.ts'

export type { Against } from './cast.ts'

export interface ProcessEngineOptions {
  /** Whose programs are run. */
  readonly against: Against
}

/** The seed decides nothing here: chance is the machine's. */
export function createProcessEngine({ against }: ProcessEngineOptions): Engine {
  return {
    name: 'process',
    refusal: (file) => refusalOf(file, probeMachine(), { against, missingBuild: missingBuild() }),
    create: async (file) => {
      const machine = requireMachine(against)
      removeLeftovers()
      return await createProcessWorld({ file, against, machine })
    },
  }
}

/** Why nothing at all can be run here, in words; undefined: something can. */
export function processEngineRefusal(against: Against): string | undefined {
  return machineRefusal(probeMachine(), against, missingBuild())
}

function requireMachine(against: Against): Machine {
  const refusal = processEngineRefusal(against)
  if (refusal !== undefined) throw new Error(refusal)
  return probeMachine()
}
