/** The engines that can run scenarios, each loaded when it is used. */
import type { RecordsLost, RecordsOf } from '../../engine/process/engine.ts'
import type { Engine, EngineName } from '../../scenario/world.ts'

export const ENGINES = ['sim', 'tcp', 'process'] as const satisfies readonly EngineName[]

/** The programs that the process engine runs. */
export const SIDES = ['vedette', 'redis', 'mixed'] as const

export type ProgramSide = (typeof SIDES)[number]

/** How much later deadlines end, because the scheduler of a real machine may delay any process. */
export const GRACE_MS: Readonly<Record<EngineName, number>> = { sim: 0, tcp: 250, process: 500 }

export async function loadEngine(
  name: EngineName,
  against: ProgramSide,
  recordsOf?: RecordsOf,
  recordsLost?: RecordsLost,
): Promise<Engine> {
  switch (name) {
    case 'sim':
      return (await import('../../scenario/sim-engine.ts')).SIM_ENGINE
    case 'tcp':
      return (await import('../../engine/tcp/engine.ts')).createTcpEngine()
    case 'process':
      return (await import('../../engine/process/engine.ts')).createProcessEngine({
        against,
        recordsOf,
        recordsLost,
      })
  }
}
