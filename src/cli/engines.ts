/** The engines scenarios can be run by, each loaded when it is asked for. */
import type { Engine, EngineName } from '../scenario/world.ts'

export const ENGINES = ['sim', 'tcp', 'process'] as const satisfies readonly EngineName[]

/** Whose programs the process engine runs. */
export const SIDES = ['vedette', 'redis', 'mixed'] as const

export type Side = (typeof SIDES)[number]

/** Deadlines are put off by so much, for a scheduler of a real machine is nobody's fault. */
export const GRACE_MS: Readonly<Record<EngineName, number>> = { sim: 0, tcp: 250, process: 500 }

export async function loadEngine(name: EngineName, against: Side): Promise<Engine> {
  switch (name) {
    case 'sim':
      return (await import('../scenario/sim-engine.ts')).SIM_ENGINE
    case 'tcp':
      return (await import('../engine/tcp/engine.ts')).createTcpEngine()
    case 'process':
      return (await import('../engine/process/engine.ts')).createProcessEngine({ against })
  }
}
