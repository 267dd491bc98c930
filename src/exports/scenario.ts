/**
 * `vedette/scenario`: plays a scenario file against the production code of Sentinel and data node on virtual time, and
 * says what came of it. A run touches nothing outside of itself, takes a fraction of the time it plays, and is the same
 * for the same text and seed. docs/scenarios.md describes the files.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { runScenario } from 'vedette/scenario'
 *
 * const file = 'master-killed.yml'
 * const run = await runScenario(readFileSync(file, 'utf8'), { file, seed: '42' })
 * if (!run.ok) throw new Error(run.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'))
 * console.log(run.result.verdict, run.report)
 * ```
 *
 * @packageDocumentation
 */
import type { Problem } from '../config/problem.ts'
// The engine is loaded when it is used: by then a test may have put fake timers in the place of the true ones.
import '../io/process/timers.ts'
import { renderForLog } from '../report/terminal.ts'
import { parseScenario } from '../scenario/parse.ts'
import { playScenario as play } from '../scenario/run.ts'
import type { Engine } from '../scenario/world.ts'
import {
  checkContents,
  checkMs,
  checkNames,
  checkSeed,
  checkText,
  checkWord,
  givenOf,
} from '../testing/arguments.ts'

export type { Problem } from '../config/problem.ts'

/** What may be said about a run beside the scenario itself. */
export interface ScenarioRunOptions {
  /** The name that problems and the report show. Nothing is read from it. */
  readonly file?: string
  /** Decides everything that chance decides. `1` by default, as on the command line. */
  readonly seed?: string
  /**
   * `sim` by default: virtual time. `tcp`: real sockets of this process and real time, with deadlines postponed by
   * `graceMs`; the seed decides less there.
   */
  readonly engine?: 'sim' | 'tcp'
  /** Milliseconds; 5 000 by default, and none on virtual time. */
  readonly graceMs?: number
}

/** How a run went, or why the text is no scenario. */
export type ScenarioRun =
  | {
      readonly ok: true
      readonly result: PlayedScenario
      /** The same in words, as `vedette scenario run` prints it into a pipe: a failed run ends with why it went that way. */
      readonly report: string
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** The outcome of a scenario. Times are virtual, in milliseconds since its beginning. */
export interface PlayedScenario {
  readonly name: string
  readonly seed: string
  /** `passed` if every expectation held, and nothing happened that never may. */
  readonly verdict: 'passed' | 'failed' | 'skipped'
  readonly expectations: readonly PlayedExpectation[]
  /** What the checkers found: things that must never happen, whatever a scenario expects. */
  readonly violations: readonly PlayedViolation[]
  readonly facts: { readonly groups: readonly PlayedGroup[] }
  readonly timeline: readonly PlayedMoment[]
  readonly endMs: number
}

/** One expectation of the file, judged. */
export interface PlayedExpectation {
  readonly text: string
  readonly passed: boolean
  /** When it came true, if it had to come true. */
  readonly metAtMs: number | undefined
  /** What was found instead, or how it went. */
  readonly finding: string
}

/** Something that must never happen, and did. */
export interface PlayedViolation {
  readonly atMs: number
  readonly checker: string
  readonly text: string
}

/** What became of a group. */
export interface PlayedGroup {
  readonly group: string
  /** The master that all running Sentinels named at the end. */
  readonly finalMaster: string | undefined
  readonly failovers: number
  /** The longest time without any acknowledged write. */
  readonly longestOutageMs: number
  /** The longest time in which two nodes acknowledged writes. */
  readonly dualWritesMs: number
}

/** Something that was seen of the run. */
export interface PlayedMoment {
  readonly atMs: number
  /** The process it is about, if there is one. */
  readonly process: string | undefined
  readonly kind: string
  readonly text: string
}

/**
 * Plays one scenario.
 *
 * @param text - A scenario file's content, YAML.
 * @param options - Name and seed.
 * @returns The outcome. A scenario that fails is an outcome, too; so is a text with mistakes in it.
 * @throws TypeError for an option that is wrong, with what is right.
 */
export async function runScenario(
  text: string,
  options: ScenarioRunOptions = {},
): Promise<ScenarioRun> {
  checkContents('runScenario: the text of a scenario', text)
  checkNames('runScenario', options, Object.keys(USUAL))
  const { file, seed, engine, graceMs } = { ...USUAL, ...givenOf(options) }
  checkText('file', file)
  checkSeed(seed)
  checkWord('engine', engine, ['sim', 'tcp'])
  checkMs('graceMs', graceMs)
  const parsed = parseScenario(text, file)
  if (!parsed.ok) return { ok: false, problems: parsed.problems }
  const { result, history } = await play(
    parsed.value,
    engine === 'tcp' ? { ...(await realTime()), seed, graceMs } : { seed },
  )
  return { ok: true, result, report: renderForLog(parsed.value, result, history) }
}

const USUAL: Required<ScenarioRunOptions> = {
  ...{ file: 'scenario', seed: '1', engine: 'sim', graceMs: 5_000 },
}

/** Loaded only when it is used. */
async function realTime(): Promise<{ engine: Engine }> {
  const { createTcpEngine } = await import('../engine/tcp/engine.ts')
  return { engine: createTcpEngine() }
}
