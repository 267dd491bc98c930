/**
 * The ways in which users of Sentinel lost writes that had been acknowledged, each played with both kinds of
 * replication. Two clients fight for the same keys; one of them lives beside the first master.
 */
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/scenario/parse.ts'
import type { GroupFacts } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'

interface Way {
  readonly name: string
  readonly steps: readonly string[]
  readonly settings?: string
  readonly downAfter?: string
  /** Directives of n3. */
  readonly third?: string
}

const WAYS: readonly Way[] = [
  {
    name: 'the master is cut off with one of its clients, and another one is promoted',
    steps: ['at: 6s, partition: [[a], [b, c, d]]', 'at: 11s, heal: true'],
  },
  {
    name: 'only the replicas hear nothing of the master, which then dies',
    steps: [
      'at: 6s, cut: { from: a, to: b }',
      'at: 6s, cut: { from: a, to: c }',
      'at: 8s, kill: n1',
      'at: 11s, heal: true',
      'at: 12s, start: n1',
    ],
  },
  {
    name: 'the master comes back empty before anybody misses it',
    settings: 'replica-empty-master-guard: no, appendonly: no',
    steps: ['at: 6s, restart: { process: n1, disk: empty }'],
  },
  {
    name: 'an operator orders a failover while the replicas lag',
    steps: [
      'at: 6s, hold: { from: a, to: b }',
      'at: 6s, hold: { from: a, to: c }',
      'at: 6500ms, failover: { at: s2 }',
      'at: 9s, heal: true',
    ],
  },
  {
    name: 'a replica that lags has the better priority',
    third: 'replica-priority: 1',
    steps: [
      'at: 6s, cut: { from: a, to: c }',
      'at: 8s, kill: n1',
      'at: 11s, heal: true',
      'at: 12s, start: n1',
    ],
  },
  {
    name: 'a master that was stopped goes on when it was replaced, and hears of nobody',
    downAfter: '400ms',
    steps: [
      'at: 6s, pause: [n1, s1]',
      'at: 6200ms, partition: [[a], [b, c, d]]',
      'at: 8s, resume: [n1, s1]',
      'at: 12s, heal: true',
    ],
  },
  {
    name: 'the power fails under the master, whose file is synced every second',
    settings: 'appendonly: yes',
    steps: [
      'at: 6s, cut: { from: a, to: b }',
      'at: 6s, cut: { from: a, to: c }',
      'at: 6500ms, power-loss: a',
      'at: 6600ms, start: [n1, s1]',
      'at: 6600ms, heal: true',
    ],
  },
]

async function play(
  { steps, settings, third, downAfter = '1s' }: Way,
  replication: string,
): Promise<GroupFacts> {
  const text = `
name: A way to lose writes
story: One of those that users reported.
topology:
  settings: { ${settings ?? 'appendonly: yes'} }
  groups:
    mymaster: { master: n1, quorum: 2, down-after: ${downAfter}, failover-timeout: 5s${replication} }
  nodes:
    n1: { host: a }
    n2: { host: b, replica-of: n1 }
    n3: { host: c, replica-of: n1${third === undefined ? '' : `, settings: { ${third} }`} }
  sentinels: { s1: { host: a }, s2: { host: b }, s3: { host: c } }
workload:
  clients:
    app: { host: a, operation: shared, think: 10ms }
    other: { host: d, operation: shared, think: 10ms }
duration: 20s
timeline:
${steps.map((step) => `  - { ${step} }`).join('\n')}
expect:
  - { failovers: { at-most: 9 } }
`
  const parsed = parseScenario(text, 'way')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { facts } = await runScenario(parsed.value, { seed: '1' })
  const [group] = facts.groups
  if (group === undefined) throw new Error('there is a group')
  return group
}

test.each(WAYS)('async: $name', async (way) => {
  const { shared } = await play(way, '')
  expect(shared?.anomalies).toBeGreaterThan(0)
})

test.each(WAYS)('strict: $name', async (way) => {
  const { shared, writes } = await play(way, ', replication: strict, reads: linearizable')
  expect(shared).toMatchObject({ anomalies: 0, undecided: 0 })
  expect(writes.acknowledged).toBeGreaterThan(300)
})
