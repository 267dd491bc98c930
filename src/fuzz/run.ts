/** One drawn run and what came of it. */
import { assert } from '../base/assert.ts'
import { formatProblem } from '../config/problem.ts'
import { parseScenario } from '../scenario/parse.ts'
import { type Played, playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import { assemble, claimsOf, type Title } from './assemble.ts'
import { drawPlan } from './draw.ts'
import { crashOf, type Failure, failureIn } from './failure.ts'
import type { FaultKind } from './fault.ts'
import { renderScenario } from './file.ts'
import type { Plan } from './plan.ts'
import { traceHash } from './trace-hash.ts'

export interface FuzzVerdict {
  readonly seed: string
  /** Undefined: everything held. */
  readonly failure: Failure | undefined
  /** Names the run: the same seed has the same one. Empty after a crash. */
  readonly traceHash: string
  /** Virtual time. */
  readonly endMs: number
  readonly failovers: number
  /** How many of each kind were injected. */
  readonly faults: Partial<Readonly<Record<FaultKind, number>>>
}

export interface Run extends FuzzVerdict {
  readonly plan: Plan
}

/** Draws what the seed stands for, and plays it. */
export async function runSeed(seed: string): Promise<Run> {
  const plan = drawPlan(seed)
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
    return { seed, faults, failure: crashOf(error), traceHash: '', endMs: 0, failovers: 0 }
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
  }
}

function countFaults({ faults }: Plan): FuzzVerdict['faults'] {
  const counts: Partial<Record<FaultKind, number>> = {}
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
