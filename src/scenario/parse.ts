/**
 * Reads a scenario file: either all of it makes sense, or every problem is reported at once with
 * its line and how to mend it.
 */
import type { Problem } from '../config/problem.ts'
import { inFileOrder } from '../config/problem.ts'
import { ExpectationBuilder } from './language/build-expectations.ts'
import { buildSteps } from './language/build-steps.ts'
import { buildTopology } from './language/build-topology.ts'
import { Problems } from './language/problems.ts'
import { type RawScenario, SCENARIO } from './language/schema.ts'
import { readSource } from './language/source.ts'
import { Symbols } from './language/symbols.ts'
import type { ScenarioFile } from './scenario-file.ts'

export type ParsedScenario =
  | { readonly ok: true; readonly value: ScenarioFile }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** `file` is the name that problems and reports show. */
export function parseScenario(text: string, file: string): ParsedScenario {
  const source = readSource(text, file)
  const problems = new Problems(source, SCENARIO)
  if (problems.list.length > 0) return refuse(problems)
  const shape = SCENARIO.safeParse(source.value, { reportInput: true })
  if (!shape.success) {
    for (const issue of shape.error.issues) problems.addIssue(issue)
    return refuse(problems)
  }
  if (isTooLarge(shape.data, problems)) return refuse(problems)
  const value = build(shape.data, file, problems)
  return problems.list.length > 0 ? refuse(problems) : { ok: true, value }
}

/**
 * The limit on nodes, Sentinels and clients together. Beyond it a second of virtual time takes
 * minutes: each Sentinel asks each node, and each master reports each replica.
 */
const MAX_PROCESSES = 500

/** Checked before anything else, because the other checks compare each process with all others. */
function isTooLarge({ topology, workload }: RawScenario, problems: Problems): boolean {
  const counts = [topology.nodes, topology.sentinels, workload?.clients ?? {}].map(
    (processes) => Object.keys(processes).length,
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= MAX_PROCESSES) return false
  const message = `${total} nodes, Sentinels and clients: at most ${MAX_PROCESSES} can be played`
  problems.add(['topology'], 'E_RANGE', message, 'leave out what is like the others')
  return true
}

function build(raw: RawScenario, file: string, problems: Problems): ScenarioFile {
  const topology = buildTopology(raw, problems)
  const cast = new Symbols(topology, problems)
  const steps = buildSteps(raw.timeline, cast, problems)
  const builder = new ExpectationBuilder(cast, steps, problems)
  const expectations = raw.expect.flatMap(
    (expectation, index) => builder.build(expectation, ['expect', index]) ?? [],
  )
  return {
    file,
    name: raw.name,
    story: raw.story.trim(),
    topology,
    steps,
    expectations,
    durationMs: raw.duration,
  }
}

function refuse(problems: Problems): ParsedScenario {
  return { ok: false, problems: inFileOrder(problems.list) }
}
