import { formatProblem } from '../../src/config/problem.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import type { ScenarioFile } from '../../src/scenario/scenario-file.ts'

/** A small sound scenario: replace what a test is about. A death takes a whole down-after, as with C Sentinel. */
export const SOUND = `
name: A test
story: Nothing happens.
topology:
  groups:
    mymaster: { master: n1, quorum: 2, down-after: 1s, failover-timeout: 10s, detection: ping }
  settings: { repl-diskless-sync-delay: 0 }
  nodes:
    n1: { host: a }
    n2: { host: b, replica-of: n1 }
    n3: { host: c, replica-of: n1 }
  sentinels:
    s1: { host: a }
    s2: { host: b }
    s3: { host: c }
workload:
  clients:
    app: { host: d, rate: 20 }
duration: 9s
timeline:
  - { at: 5s, as: kill, kill: n1 }
expect:
  - { master: { not: n1 }, after: kill, within: 2s }
`

export function parse(text: string): ScenarioFile {
  const parsed = parseScenario(text, 'test.yml')
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return parsed.value
}

/** `SOUND` with one piece of text in the place of another. */
export function altered(piece: string | RegExp, by: string): string {
  if (SOUND.replace(piece, '') === SOUND) throw new Error(`no ${piece} in the scenario`)
  return SOUND.replace(piece, by)
}

export function problemsOf(text: string): string[] {
  const parsed = parseScenario(text, 'test.yml')
  return parsed.ok ? [] : parsed.problems.map(formatProblem)
}
