import { heardEvent } from '../../src/core/event-table.ts'
import type { Happening, Occurrence } from '../../src/history/happening.ts'
import type { Write, WriteOutcome } from '../../src/history/writes.ts'
import type { ScenarioResult } from '../../src/scenario/result.ts'
import { playScenario } from '../../src/scenario/run.ts'
import type { ScenarioFile } from '../../src/scenario/scenario-file.ts'
import type { RunHistory } from '../../src/scenario/world.ts'
import { parse, SOUND } from '../scenario/support.ts'

export interface Run {
  readonly file: ScenarioFile
  readonly result: ScenarioResult
  readonly history: RunHistory
}

const played = new Map<string, Promise<Run>>()

/** A scenario in the simulated world, with everything that is known of the run; each is run once. */
export async function play(text: string = SOUND): Promise<Run> {
  const known = played.get(text) ?? run(text)
  played.set(text, known)
  return await known
}

async function run(text: string): Promise<Run> {
  const file = parse(text)
  return { file, ...(await playScenario(file, { seed: '1' })) }
}

/** A history made by hand; addresses are `n1:6379`, so that names and hosts are the same. */
export function historyOf(
  happenings: readonly Happening[],
  more: Partial<Pick<RunHistory, 'writes' | 'missing' | 'endMs'>> = {},
): RunHistory {
  return {
    happenings,
    writes: [],
    reads: [],
    questions: [],
    nameOf: ({ host }) => host,
    labels: new Map(),
    endMs: 20_000,
    missing: new Map(),
    ...more,
  }
}

export function at(atMs: number, process: string | undefined, what: Occurrence): Happening {
  return { atMs, process, ...what }
}

export function event(atMs: number, process: string, text: string): Happening {
  const [name = '', ...rest] = text.split(' ')
  return at(atMs, process, { kind: 'event', name: heardEvent(name), payload: rest.join(' ') })
}

export function write(atMs: number, node: string, kind: 'acknowledged' | 'refused'): Write {
  const outcome: WriteOutcome =
    kind === 'refused'
      ? { kind, atMs, text: 'NOREPLICAS Not enough good replicas to write.' }
      : { kind, atMs, withMajority: true }
  const operation = { kind: 'key' as const, key: `k${atMs}` }
  return { client: 'app', operation, group: 'mymaster', node, attemptedAtMs: atMs, outcome }
}
