/** One drawn run and its outcome. */
import { assert } from '../base/assert.ts'
import { formatProblem } from '../config/problem.ts'
import type { EventName, Happening } from '../history/happening.ts'
import { renderTrace } from '../history/trace.ts'
import { parseScenario } from '../scenario/parse.ts'
import { type Played, playScenario, type RunOptions } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { RunHistory } from '../scenario/world.ts'
import { assemble, claimsOf, type Title } from './assemble.ts'
import { drawRun, type Origin } from './draw/draw.ts'
import { crashOf, type Failure, failureIn } from './failure.ts'
import { type FaultKind, partsOf } from './faults/faults.ts'
import { renderScenario } from './file.ts'
import type { FuzzPlan } from './plan.ts'

/** What Sentinels said about masters: how easily they were alarmed. */
export interface Alarms {
  /** How many times a Sentinel declared a master S_DOWN. */
  readonly sdown: number
  /** How many times a Sentinel declared a master O_DOWN. */
  readonly odown: number
  /** How many times a Sentinel stood for election on its own account. */
  readonly candidacies: number
}

const NO_ALARMS: Alarms = { sdown: 0, odown: 0, candidacies: 0 }

export interface FuzzVerdict {
  readonly seed: string
  /** Undefined: everything held. */
  readonly failure: Failure | undefined
  /** Identifies the run: the same seed gives the same hash. Empty after a crash. */
  readonly traceHash: string
  /** Virtual time. */
  readonly endMs: number
  readonly failovers: number
  readonly alarms: Alarms
  /** How many faults of each kind were injected. */
  readonly faults: Partial<Readonly<Record<FaultKind, number>>>
}

export interface Run extends FuzzVerdict {
  readonly plan: FuzzPlan
}

/** Draws the run that the seed stands for, and plays it. */
export async function runSeed(seed: string, origin: Partial<Origin> = {}): Promise<Run> {
  const plan = drawRun({ profile: 'faults', detection: undefined, ...origin, seed })
  return { ...(await runPlan(plan, seed)), plan }
}

/**
 * Plays a plan as the scenario that it is written as: through the same parser and the same judge as
 * any file.
 */
export async function runPlan(
  plan: FuzzPlan,
  seed: string,
  look: (history: RunHistory) => void = () => undefined,
  where: Pick<RunOptions, 'engine' | 'graceMs'> = {},
): Promise<FuzzVerdict> {
  const file = scenarioOf(plan, seed)
  const faults = countFaults(plan)
  try {
    const played = await playScenario(file, { seed, ...where })
    look(played.history)
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

/** A plan that does not make a valid scenario is a mistake in the code that drew it. */
export function scenarioOf(plan: FuzzPlan, seed: string): ScenarioFile {
  const parsed = parseScenario(renderScenario(assemble(plan, titleOf(seed))), `seed ${seed}`)
  assert(parsed.ok, parsed.ok ? '' : parsed.problems.map(formatProblem).join('; '))
  return parsed.value
}

function verdictOf({ result, history }: Played, plan: FuzzPlan) {
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
  const isAlarm = (happening: Happening, name: EventName): boolean =>
    happening.kind === 'event' && happening.name === name && happening.payload.startsWith('master ')
  return {
    sdown: count((one) => isAlarm(one, '+sdown')),
    odown: count((one) => isAlarm(one, '+odown')),
    candidacies: count((one) => one.kind === 'candidacy' && !one.forced && !one.isPlanned),
  }
}

function countFaults({ faults }: FuzzPlan): FuzzVerdict['faults'] {
  const counts: Partial<Record<FaultKind, number>> = {}
  for (const { kind } of faults.flatMap(partsOf)) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/**
 * A short name for a whole run: two runs with the same one are the same run. It guards against
 * chance, not against malice, so it is made for speed (FNV-1a, twice with different bases).
 */
const PRIME = 0x01_00_01_93

export function traceHash({ happenings, writes, nameOf }: RunHistory): string {
  const text = renderTrace(happenings, writes, nameOf)
  return fnv(text, 0x81_1c_9d_c5) + fnv(text, 0x5b_d1_e9_95)
}

function fnv(text: string, basis: number): string {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
