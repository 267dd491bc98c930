/** Scenarios of the simulated world, recorded by Sentinels whose clocks disagree, and told from the records. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { commonTime } from '../../src/blackbox/incident/common-time.ts'
import { SentinelLife } from '../../src/blackbox/incident/life.ts'
import type { PlayedStep } from '../../src/blackbox/player.ts'
import { recordedRun } from '../../src/cli/incident/recorded-run.ts'
import { explainRecorded } from '../../src/report/chain/chain.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { playScenario } from '../../src/scenario/run.ts'
import type { ScenarioFile } from '../../src/scenario/scenario-file.ts'
import { differencesOf, type KeptJournal, type KeptRecord, recordingEngine } from './support.ts'

/** How far the clocks of the three Sentinels are off; the monotonic ones begin anywhere. */
const SKEWS_MS = [0, 7_000, -42_000]

/**
 * A shipped scenario, recorded, and its records told by Sentinels whose clocks disagree. `skippedMs`: so much is missing
 * at the beginning of each record. `group`: what its only group is called instead, in bytes.
 */
export async function played(name: string, skippedMs: readonly number[] = [], group?: string) {
  const path = new URL(`../../scenarios/${name}`, import.meta.url)
  const parsed = parseScenario(readFileSync(path, 'utf8'), name)
  if (!parsed.ok) throw new Error(`${name} cannot be read`)
  const records: KeptRecord[] = []
  const journals: KeptJournal[] = []
  const engine = recordingEngine(records, 1_000, journals)
  const file = group === undefined ? parsed.value : renamed(parsed.value, group)
  const { result, history } = await playScenario(file, { seed: '1', engine })
  expect(result.verdict).toBe('passed')
  const lives = records.map((record, at) => lifeOf(record, SKEWS_MS[at] ?? 0, skippedMs[at]))
  const ties = commonTime(lives)
  const run = recordedRun(lives, ties)
  const chapters = explainRecorded(run.file, run.history)
  return { truth: history, lives, ties, run, chapters, journals }
}

/** A scenario file takes fewer names than a Sentinel. */
function renamed(file: ScenarioFile, group: string): ScenarioFile {
  const { topology } = file
  const own = <Named extends { readonly group: string }>(one: Named) => ({ ...one, group })
  const nodes = topology.nodes.map(own)
  const clients = topology.clients.map(own)
  const groups = topology.groups.map((one) => ({ ...one, name: group }))
  return { ...file, expectations: [], topology: { ...topology, groups, nodes, clients } }
}

function lifeOf(record: KeptRecord, skewMs: number, skippedMs = 0): SentinelLife {
  let life: SentinelLife | undefined
  let firstMs: number | undefined
  const shifted = ({ monoMs, wallMs }: PlayedStep['now']) => {
    return { monoMs: monoMs + 3 * skewMs, wallMs: wallMs + skewMs }
  }
  const look = (step: PlayedStep) => {
    firstMs ??= step.now.monoMs
    if (step.now.monoMs - firstMs < skippedMs) return
    life ??= new SentinelLife({ ...step.state, startedAt: shifted(step.state.startedAt) })
    life.note({ ...step, now: shifted(step.now) })
  }
  expect(differencesOf(record, look)).toEqual([])
  if (life === undefined) throw new Error('nothing is recorded')
  return life
}
