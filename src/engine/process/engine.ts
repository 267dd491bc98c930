/** Scenarios on real processes, each host a network namespace of this machine. */

import { describeAction } from '../../history/action.ts'
import type { Topology } from '../../history/topology.ts'
import type { ScenarioFile, Step } from '../../scenario/scenario-file.ts'
import type { Engine } from '../../scenario/world.ts'
import { actionRefusal, NETEM } from './faults.ts'
import { removeLeftovers } from './leftovers.ts'
import { type HostCapabilities, probeMachine, redisVersion } from './machine.ts'
import { type Against, missingBuild } from './process-spec.ts'
import type { RecordsLost } from './processes.ts'
import { createProcessWorld } from './world.ts'

export type { Against } from './process-spec.ts'
export type { RecordsLost } from './processes.ts'

export interface ProcessEngineOptions {
  /** The make of the programs that are run. */
  readonly against: Against
  readonly recordsOf?: RecordsOf | undefined
  /** Told of records that could not be kept; without it they end the run. */
  readonly recordsLost?: RecordsLost | undefined
}

/** The folder that gets the records of a run's Sentinels; it is made. */
export type RecordsOf = (file: ScenarioFile, seed: string) => string

/** The seed decides nothing here: chance is up to the machine. */
export function createProcessEngine({
  against,
  recordsOf,
  recordsLost,
}: ProcessEngineOptions): Engine {
  return {
    name: 'process',
    programs: programsOf(against, redisVersion),
    refusal: (file) => refusalOf(file, probeMachine(), { against, missingBuild: missingBuild() }),
    create: async (file, seed) => {
      const machine = requireMachine(against)
      removeLeftovers()
      const records = recordsOf?.(file, seed)
      return await createProcessWorld({ file, against, machine, records, recordsLost })
    },
  }
}

/** In words for a report. A version is asked for only where Redis' programs run. */
export function programsOf(against: Against, version: () => string): string {
  switch (against) {
    case 'vedette':
      return 'Vedette'
    case 'redis':
      return `redis-server and redis-sentinel ${version()}`
    default:
      return `nodes: redis-server ${version()}; Sentinels: Vedette and redis-sentinel in turn`
  }
}

/** Why no scenario at all can run here, in words; undefined: some can. */
export function processEngineRefusal(against: Against): string | undefined {
  return machineRefusal(probeMachine(), against, missingBuild())
}

function requireMachine(against: Against): HostCapabilities {
  const refusal = processEngineRefusal(against)
  if (refusal !== undefined) throw new Error(refusal)
  return probeMachine()
}

/** Why the process engine cannot run a scenario, in words that name the step and the way out. */
interface Means {
  readonly against: Against
  /** What of our own programs is missing; undefined: nothing. */
  readonly missingBuild: string | undefined
}

/** Without netem every path is as fast as the machine: near enough to latencies up to this. */
const NEGLIGIBLE_LATENCY_MS = 5

export function refusalOf(
  file: ScenarioFile,
  machine: HostCapabilities,
  { against, missingBuild }: Means,
): string | undefined {
  return (
    machineRefusal(machine, against, missingBuild) ??
    topologyRefusal(file.topology, machine) ??
    stepsRefusal(file.steps, machine)
  )
}

/** Why this machine can run no scenario at all. */
function machineRefusal(
  { missing, hasRedis }: HostCapabilities,
  against: Against,
  missingBuild: string | undefined,
): string | undefined {
  const faults = [
    ...missing,
    ...(against === 'redis' || missingBuild === undefined ? [] : [missingBuild]),
    ...(against === 'vedette' || hasRedis
      ? []
      : ['redis-server and redis-sentinel are not installed (packages of these names)']),
  ]
  if (faults.length === 0) return undefined
  return `real processes in network namespaces cannot be had here: ${faults.join('; ')}`
}

function topologyRefusal(
  { latency, ways, password, clients }: Topology,
  machine: HostCapabilities,
): string | undefined {
  if (password !== undefined) return 'topology: clients of real processes show no password'
  const halving = clients.find(({ halfCloses }) => halfCloses === true)
  if (halving !== undefined) {
    return `topology: whether half-closed connections of ${halving.name} are answered cannot be seen on real processes`
  }
  if (machine.canDelay) return undefined
  const all = [latency, ...ways.map((way) => way.latency)]
  const longestMs = Math.max(...all.map(({ baseMs, jitterMs }) => baseMs + jitterMs))
  if (longestMs <= NEGLIGIBLE_LATENCY_MS) return undefined
  return `topology: a latency of up to ${longestMs} ms is not to be had: ${NETEM}`
}

function stepsRefusal(steps: readonly Step[], machine: HostCapabilities): string | undefined {
  for (const [index, { label, actions }] of steps.entries()) {
    for (const action of actions) {
      const reason = actionRefusal(action, machine)
      if (reason === undefined) continue
      const name = label === undefined ? '' : ` (${label})`
      return `step ${index + 1}${name}, ${describeAction(action)}: ${reason}`
    }
  }
  return undefined
}
