/**
 * A scenario file, read: either all of it makes sense, or every problem is told at once with its line
 * and a way out.
 */
import type { Problem } from '../config/problem.ts'
import { inFileOrder } from '../config/problem.ts'
import { ExpectationBuilder } from './language/build-expectations.ts'
import { buildSteps } from './language/build-steps.ts'
import { buildTopology } from './language/build-topology.ts'
import { Cast } from './language/cast.ts'
import { Problems } from './language/problems.ts'
import { type RawScenario, SCENARIO } from './language/schema.ts'
import { readSource } from './language/source.ts'
import type { ScenarioFile } from './scenario-file.ts'

export type ParsedScenario =
  | { readonly ok: true; readonly value: ScenarioFile }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** `file` is the name that problems and reports show. */
export function parseScenario(text: string, file: string): ParsedScenario {
  const source = readSource(text, file)
  const problems = new Problems(source)
  if (problems.list.length > 0) return refuse(problems)
  const shape = SCENARIO.safeParse(source.value, { reportInput: true })
  if (!shape.success) {
    for (const issue of shape.error.issues) problems.addIssue(issue)
    return refuse(problems)
  }
  const value = build(shape.data, file, problems)
  return problems.list.length > 0 ? refuse(problems) : { ok: true, value }
}

function build(raw: RawScenario, file: string, problems: Problems): ScenarioFile {
  const topology = buildTopology(raw, problems)
  const cast = new Cast(topology, problems)
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
