/** One seed from its number to its measures. */
import { type Played, playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import { drawIncident } from './draw-incident.ts'
import { type Measured, measure } from './measure.ts'
import { scenarioOf } from './scenario-of.ts'
import { type Stage, type Staged, stageIncident } from './stage.ts'

export interface PlayedSeed {
  readonly staged: Staged
  readonly file: ScenarioFile
  readonly played: Played
}

/** The seed of the incident is the seed of the run as well: one number tells all of it. */
export async function playSeed(seed: string, stage: Stage): Promise<PlayedSeed> {
  const staged = stageIncident(drawIncident(seed), stage)
  const file = scenarioOf(staged, stage)
  return { staged, file, played: await playScenario(file, { seed }) }
}

export async function measureSeed(seed: string, stage: Stage): Promise<Measured> {
  const { staged, played } = await playSeed(seed, stage)
  return measure(stage.cluster, staged, played)
}
