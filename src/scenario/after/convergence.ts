/**
 * Whether a cluster has come to rest: everybody agrees, and everybody holds the same. Asked of the
 * processes themselves, in the same words whatever engine runs them, until it is so or the time is up.
 * Meant for a world that has been healed.
 */
import type { GroupSpec } from '../../sim/topology.ts'
import type { ScenarioFile } from '../scenario-file.ts'
import type { World } from '../world.ts'
import { dataDifferences } from './data-difference.ts'
import { nodeDifferences, readNodes } from './node-agreement.ts'
import { readSentinels, sentinelDifferences } from './sentinel-agreement.ts'

export interface ConvergenceOptions {
  /** Time since the start of the run at which to begin. */
  readonly fromMs: number
  /** How long the cluster may take. */
  readonly budgetMs: number
  /** Nobody writes any more. Only then can offsets and data be compared. */
  readonly isLoadStopped: boolean
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/** What is not as it should be when the time is up, in words; empty: all is at rest. */
export async function awaitConvergence(
  world: World,
  file: ScenarioFile,
  options: ConvergenceOptions,
): Promise<readonly string[]> {
  const untilMs = options.fromMs + options.budgetMs
  let nowMs = await world.runUntil(options.fromMs)
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const found = await differences(world, file, options.isLoadStopped)
    if (found.length === 0 || nowMs >= untilMs) return found
    nowMs = await world.runUntil(Math.min(nowMs + pauseMs, untilMs))
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** What is not as it should be at this moment, in words. Only processes that run are asked. */
export async function differences(
  world: World,
  file: ScenarioFile,
  isLoadStopped: boolean,
): Promise<readonly string[]> {
  const isRunning = runningIn(world)
  const found: string[] = []
  for (const group of file.topology.groups) {
    found.push(...(await differencesIn(group, world, file, { isLoadStopped, isRunning })))
  }
  return found
}

interface Conditions {
  readonly isLoadStopped: boolean
  readonly isRunning: (process: string) => boolean
}

async function differencesIn(
  { name: group, master: firstMaster }: GroupSpec,
  world: World,
  { topology }: ScenarioFile,
  { isLoadStopped, isRunning }: Conditions,
): Promise<readonly string[]> {
  const sentinels = topology.sentinels.filter(({ name }) => isRunning(name))
  const nodes = topology.nodes.filter((node) => node.group === group && isRunning(node.name))
  const told = await readSentinels(world, group, sentinels)
  const disagreement = sentinelDifferences(group, told)
  if (disagreement.length > 0) return disagreement
  const states = await readNodes(world, nodes, firstMaster)
  const master = told[0]?.master
  const misfits = nodeDifferences(group, states, { master, isLoadStopped })
  if (misfits.length > 0 || !isLoadStopped) return misfits
  return await dataDifferences(world, states, master)
}

function runningIn(world: World): (process: string) => boolean {
  const running = new Set<string>()
  for (const happening of world.happenings()) {
    if (happening.kind !== 'status' || happening.process === undefined) continue
    if (happening.status === 'running') running.add(happening.process)
    else running.delete(happening.process)
  }
  return (process) => running.has(process)
}
