/**
 * Whether a cluster has come to rest: all processes agree, and all nodes hold the same data. The
 * processes themselves are asked, with the same commands whatever engine runs them, until it is so
 * or the time is up. Meant for a world that has been healed.
 */
import type { GroupSpec, SentinelSpec } from '../../history/topology.ts'
import type { Reply } from '../../resp/reply.ts'
import type { ScenarioFile } from '../scenario-file.ts'
import type { World } from '../world.ts'
import { dataDifferences } from './data-difference.ts'
import { nodeDifferences, readNodes } from './node-agreement.ts'

export interface ConvergenceOptions {
  /** Time since the start of the run at which to begin. */
  readonly fromMs: number
  /** How long the cluster may take. */
  readonly budgetMs: number
  /** No client writes any more. Only then can offsets and data be compared. */
  readonly isLoadStopped: boolean
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/** What is wrong when the time is up, in words; empty: the cluster is at rest. */
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

/** What is wrong at this moment, in words. Only processes that run are asked. */
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

// Whether all Sentinels name the same master, in the same config epoch.

/** What a Sentinel answered about one group. */
interface AgreedView {
  readonly sentinel: string
  /** Name of the node, or its address; undefined: the Sentinel named none. */
  readonly master: string | undefined
  readonly configEpoch: number | undefined
}

async function readSentinels(
  world: World,
  group: string,
  sentinels: readonly SentinelSpec[],
): Promise<readonly AgreedView[]> {
  const views: AgreedView[] = []
  for (const { name: sentinel } of sentinels) {
    const address = await world.ask(sentinel, ['SENTINEL', 'get-master-addr-by-name', group])
    const fields = await world.ask(sentinel, ['SENTINEL', 'MASTER', group])
    const master = nameIn(address, world)
    views.push({ sentinel, master, configEpoch: numberOf(fields, 'config-epoch') })
  }
  return views
}

/** The differences in words; empty: the Sentinels agree. */
function sentinelDifferences(group: string, views: readonly AgreedView[]): readonly string[] {
  if (views.length === 0) return [`${group}: no Sentinel runs`]
  const silent = views.filter(
    ({ master, configEpoch }) => master === undefined || configEpoch === undefined,
  )
  if (silent.length > 0) {
    return silent.map(({ sentinel }) => `${group}: ${sentinel} does not tell the master`)
  }
  const told = new Set(views.map(({ master, configEpoch }) => `${master} in epoch ${configEpoch}`))
  if (told.size === 1) return []
  return views.map(
    ({ sentinel, master, configEpoch }) =>
      `${group}: ${sentinel} names ${master} in config epoch ${configEpoch}`,
  )
}

function nameIn(reply: Reply | undefined, world: World): string | undefined {
  if (reply?.kind !== 'array') return undefined
  const [host, port] = reply.items
  if (host?.kind !== 'bulk' || port?.kind !== 'bulk') return undefined
  return world.nameOf({ host: host.bytes, port: Number(port.bytes) })
}

/** Reads a number from a flat list of names and values, or from a map. */
function numberOf(reply: Reply | undefined, name: string): number | undefined {
  const value = fieldOf(reply, name)
  return value?.kind === 'bulk' ? Number(value.bytes) : undefined
}

function fieldOf(reply: Reply | undefined, name: string): Reply | undefined {
  const isName = (one: Reply): boolean => one.kind === 'bulk' && one.bytes === name
  if (reply?.kind === 'map') return reply.entries.find(([field]) => isName(field))?.[1]
  if (reply?.kind !== 'array') return undefined
  const place = reply.items.findIndex((one, at) => at % 2 === 0 && isName(one))
  return place < 0 ? undefined : reply.items[place + 1]
}
