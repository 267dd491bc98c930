/** One drawn run and what came of it. */
import { assert } from '../base/assert.ts'
import { formatProblem } from '../config/problem.ts'
import { parseScenario } from '../scenario/parse.ts'
import { type Played, playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { Happening } from '../sim/happening.ts'
import { assemble, claimsOf, type Title } from './assemble.ts'
import { drawRun, type Origin } from './draw.ts'
import { crashOf, type Failure, failureIn } from './failure.ts'
import { type FaultKind, partsOf } from './fault.ts'
import { renderScenario } from './file.ts'
import type { Plan } from './plan.ts'
import { traceHash } from './trace-hash.ts'

/** What Sentinels said of masters: how nervous they were. */
export interface Alarms {
  /** S_DOWN, of one Sentinel each. */
  readonly sdown: number
  /** O_DOWN, of one Sentinel each. */
  readonly odown: number
  /** Times anybody stood for election on its own account. */
  readonly candidacies: number
}

const NO_ALARMS: Alarms = { sdown: 0, odown: 0, candidacies: 0 }

export interface FuzzVerdict {
  readonly seed: string
  /** Undefined: everything held. */
  readonly failure: Failure | undefined
  /** Names the run: the same seed has the same one. Empty after a crash. */
  readonly traceHash: string
  /** Virtual time. */
  readonly endMs: number
  readonly failovers: number
  readonly alarms: Alarms
  /** How many of each kind were injected. */
  readonly faults: Partial<Readonly<Record<FaultKind, number>>>
}

export interface Run extends FuzzVerdict {
  readonly plan: Plan
}

/** Draws what the seed stands for, and plays it. */
export async function runSeed(seed: string, origin: Partial<Origin> = {}): Promise<Run> {
  const plan = drawRun({ profile: 'faults', detection: undefined, ...origin, seed })
  return { ...(await runPlan(plan, seed)), plan }
}

/** Plays a plan as the scenario it is written as: through the same parser and the same judge as any file. */
export async function runPlan(plan: Plan, seed: string): Promise<FuzzVerdict> {
  const file = scenarioOf(plan, seed)
  const faults = countFaults(plan)
  try {
    const played = await playScenario(file, { seed })
    return { seed, faults, ...verdictOf(played, plan) }
  } catch (error) {
    const nothing = { traceHash: '', endMs: 0, failovers: 0, alarms: NO_ALARMS }
    return { seed, faults, failure: crashOf(error), ...nothing }
  }
}

export function titleOf(seed: string): Title {
  return {
    name: `Drawn from seed ${seed}`,
    story:
      'Chance decided who is there and what goes wrong; at the end everything has to work again.',
  }
}

/** A plan that does not make a scenario is a mistake of the one who drew it. */
export function scenarioOf(plan: Plan, seed: string): ScenarioFile {
  const parsed = parseScenario(renderScenario(assemble(plan, titleOf(seed))), `seed ${seed}`)
  assert(parsed.ok, parsed.ok ? '' : parsed.problems.map(formatProblem).join('; '))
  return parsed.value
}

function verdictOf({ result, history }: Played, plan: Plan) {
  return {
    failure: failureIn(result, claimsOf(plan)),
    traceHash: traceHash(history),
    endMs: result.endMs,
    failovers: result.facts.groups.reduce((sum, { failovers }) => sum + failovers, 0),
    alarms: countAlarms(history.happenings),
  }
}

function countAlarms(happenings: readonly Happening[]): Alarms {
  const count = (isMeant: (happening: Happening) => boolean): number =>
    happenings.filter(isMeant).length
  const isAlarm = (happening: Happening, name: string): boolean =>
    happening.kind === 'event' && happening.name === name && happening.payload.startsWith('master ')
  return {
    sdown: count((one) => isAlarm(one, '+sdown')),
    odown: count((one) => isAlarm(one, '+odown')),
    candidacies: count((one) => one.kind === 'candidacy' && !one.forced && !one.isPlanned),
  }
}

function countFaults({ faults }: Plan): FuzzVerdict['faults'] {
  const counts: Partial<Record<FaultKind, number>> = {}
  for (const { kind } of faults.flatMap(partsOf)) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
