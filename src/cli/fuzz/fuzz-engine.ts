/** What it takes to play drawn runs in real time, on real sockets or processes. */
import { drawRun, type FuzzProfile, type Origin } from '../../fuzz/draw/draw.ts'
import { costOf, endOf, type Fault, lasting } from '../../fuzz/faults/faults.ts'
import type { PlannedGroup } from '../../fuzz/members.ts'
import { FIRST_FAULT_MS, type FuzzPlan } from '../../fuzz/plan.ts'
import { scenarioOf } from '../../fuzz/run.ts'
import type { Engine, EngineName } from '../../scenario/world.ts'
import { defaultWorkers } from '../pool/pool.ts'

/** Worlds on real sockets mostly wait. */
const WORLDS_PER_CORE = 4
/** Runs beside each other would share one process id, by which what they make is named. */
const PROCESS_WORLDS = 1

/** The others bend clocks, lie, or take weeks. */
const REAL_PROFILES: readonly FuzzProfile[] = ['faults', 'shared', 'strict']

export interface EngineChoice {
  readonly engine: EngineName
  readonly profile: Origin['profile']
  readonly jobs?: number
  readonly guided?: true
  readonly coverage?: true
  readonly coverageJson?: string
}

/** Why these options do not go together, in words; undefined: they do. */
export function engineProblem(choice: EngineChoice): string | undefined {
  const { engine, profile, jobs, guided, coverage, coverageJson } = choice
  if (engine === 'sim') return undefined
  if (guided || coverage || coverageJson !== undefined) {
    return `what is reached is measured on virtual time: leave --engine ${engine} out`
  }
  if (!REAL_PROFILES.includes(profile)) {
    return `--profile ${profile} needs virtual time: leave --engine ${engine} out, or the profile`
  }
  if (engine === 'process' && (jobs ?? 1) > PROCESS_WORLDS) {
    return 'real processes are played one run at a time: leave --jobs out'
  }
  return undefined
}

/** Why this machine cannot play anything with the engine, in words; undefined: it can. */
export async function machineProblem(engine: EngineName): Promise<string | undefined> {
  if (engine !== 'process') return undefined
  const { processEngineRefusal } = await import('../../engine/process/engine.ts')
  return processEngineRefusal('vedette')
}

/** A worker that is stopped in the middle of a run leaves its processes behind. */
export async function removeOwnLeftovers(engine: EngineName): Promise<void> {
  if (engine !== 'process') return
  const { removeOurs } = await import('../../engine/process/machine.ts')
  removeOurs()
}

export function jobsFor(engine: EngineName): number {
  if (engine === 'process') return PROCESS_WORLDS
  return engine === 'tcp' ? WORLDS_PER_CORE * defaultWorkers() : defaultWorkers()
}

/** The run that the seed stands for, in as much of real time and with the faults that the engine has. */
export function drawForEngine(origin: Origin, engine: Engine): FuzzPlan {
  const plan = drawRun(origin)
  if (engine.name === 'sim') return plan
  const near = engine.name === 'process' ? onOneMachine(plan) : plan
  return briefly(near, (one) => engine.refusal(scenarioOf(one, origin.seed)) === undefined)
}

/**
 * Namespaces of one machine are near each other, and not every kernel can make them seem far; clients of real
 * processes show no password, and are not seen to close half of a connection; and a Sentinel with a program that
 * does not exist does not start.
 */
function onOneMachine(plan: FuzzPlan): FuzzPlan {
  const { topology } = plan
  const near = { latencyMs: 0, jitterMs: 0, zones: [] }
  const groups = topology.groups.map(withRealPrograms)
  const clients = plan.clients.map((client) => ({ ...client, halfCloses: false }))
  return { ...plan, clients, topology: { ...topology, ...near, password: undefined, groups } }
}

function withRealPrograms(group: PlannedGroup): PlannedGroup {
  const drawn = PROGRAMS.filter((option) => (group[option] ?? '') !== '')
  return { ...group, ...Object.fromEntries(drawn.map((option) => [option, '/bin/true'])) }
}

const PROGRAMS = ['notificationScript', 'clientReconfigScript', 'preFailoverHook'] as const

/**
 * A drawn run for a world in which time is real: the same cluster, clients and kinds of faults, in half a
 * minute. Faults come for five seconds only, and none that costs a Sentinel thirty seconds of TILT; the
 * run ends as soon as the cluster has come to rest.
 */

const FAULTY_MS = 5_000
const CALM_MS = FIRST_FAULT_MS + FAULTY_MS
/** A fault that begins later has no time to do anything. */
const LAST_FAULT_MS = CALM_MS - 500

/** `isPossible`: whether the world can do what a plan asks for. */
export function briefly(plan: FuzzPlan, isPossible: (plan: FuzzPlan) => boolean): FuzzPlan {
  const nothing: FuzzPlan = {
    ...plan,
    calmMs: CALM_MS,
    ending: 'rest',
    restMs: undefined,
    faults: [],
  }
  const faults = plan.faults
    .filter((fault) => fault.fromMs < LAST_FAULT_MS && costOf(fault) !== 'tilt')
    .map(curtailed)
    .filter((fault) => isPossible({ ...nothing, faults: [fault] }))
  return { ...nothing, faults }
}

function curtailed(fault: Fault): Fault {
  return endOf(fault) > CALM_MS ? lasting(fault, CALM_MS - fault.fromMs) : fault
}
