/** Why the process engine cannot run a scenario, in words that name the step and the way out. */
import type { ScenarioFile, Step } from '../../scenario/scenario-file.ts'
import type { Action } from '../../sim/action.ts'
import { describeAction } from '../../sim/action.ts'
import type { Topology } from '../../sim/topology.ts'
import type { Against } from './cast.ts'
import type { Machine } from './machine.ts'

export interface Means {
  readonly against: Against
  /** What of our own programs is missing; undefined: nothing. */
  readonly missingBuild: string | undefined
}

/** Without netem every way is as fast as the machine: near enough to latencies up to this. */
const NEGLIGIBLE_LATENCY_MS = 5
const NETEM = 'this kernel has no netem queue (CONFIG_NET_SCH_NETEM; modprobe sch_netem)'

export function refusalOf(
  file: ScenarioFile,
  machine: Machine,
  { against, missingBuild }: Means,
): string | undefined {
  return (
    machineRefusal(machine, against, missingBuild) ??
    topologyRefusal(file.topology, machine) ??
    stepsRefusal(file.steps, machine)
  )
}

/** Of every scenario. */
export function machineRefusal(
  { missing, hasRedis }: Machine,
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

function topologyRefusal({ latency, ways }: Topology, machine: Machine): string | undefined {
  if (machine.canDelay) return undefined
  const all = [latency, ...ways.map((way) => way.latency)]
  const longestMs = Math.max(...all.map(({ baseMs, jitterMs }) => baseMs + jitterMs))
  if (longestMs <= NEGLIGIBLE_LATENCY_MS) return undefined
  return `topology: a latency of up to ${longestMs} ms is not to be had: ${NETEM}`
}

function stepsRefusal(steps: readonly Step[], machine: Machine): string | undefined {
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

function actionRefusal(action: Action, machine: Machine): string | undefined {
  switch (action.kind) {
    case 'clockJump':
    case 'clockDrift':
      return 'real processes share the clock of the machine'
    case 'failDisk':
      return action.operation === 'sync'
        ? 'a real disk cannot be made to fail its syncs'
        : undefined
    case 'refuse':
      return 'the bridge between real hosts drops or lets pass, and answers for nobody'
    case 'reset':
      return machine.canReset ? undefined : 'ss -K does not work here (CONFIG_INET_DIAG_DESTROY)'
    case 'shape': {
      const { latencyMs, jitterMs, duplication, bytesPerSecond } = action.shape
      const isDelay = [latencyMs, jitterMs, duplication].some((value) => (value ?? 0) > 0)
      if (isDelay && !machine.canDelay) return NETEM
      if (bytesPerSecond === undefined || machine.canThrottle) return undefined
      return 'this kernel has no HTB queue (CONFIG_NET_SCH_HTB; modprobe sch_htb)'
    }
    default:
      return undefined
  }
}
