/** What a worker does with one seed: plays it against each of the clusters that are compared. */
import type { MeasuredHistory } from '../../simulate/measure.ts'
import { measureSeed } from '../../simulate/play-seed.ts'
import type { Stage } from '../../simulate/stage.ts'

export interface SimulateTask {
  readonly seed: string
  /** One cluster, or two that are compared. */
  readonly stages: readonly Stage[]
}

/** Results in the order of the stages. */
export async function job({ seed, stages }: SimulateTask): Promise<readonly MeasuredHistory[]> {
  const measured: MeasuredHistory[] = []
  for (const stage of stages) measured.push(await measureSeed(seed, stage))
  return measured
}
