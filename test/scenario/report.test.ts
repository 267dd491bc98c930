import { expect, test } from 'vitest'
import { renderJson } from '../../src/cli/scenario/run-text.ts'
import { PLAIN, renderReport } from '../../src/scenario/report.ts'
import type { ScenarioResult } from '../../src/scenario/result.ts'
import { playScenario } from '../../src/scenario/run.ts'
import { altered, parse } from './support.ts'

const RESULT: ScenarioResult = {
  file: 'a.yml',
  name: 'A run',
  story: 'Something happens.',
  seed: '7',
  engine: 'sim',
  programs: 'Vedette',
  verdict: 'failed',
  expectations: [
    { text: 'this', passed: true, metAtMs: 6_000, finding: 'after 1 s' },
    { text: 'that', passed: false, metAtMs: undefined, finding: 's1 names n1' },
  ],
  violations: [{ atMs: 1_500, checker: 'one leader per epoch', text: 'two lead' }],
  facts: {
    groups: [
      {
        group: 'mymaster',
        finalMaster: 'n2',
        failovers: 1,
        writes: { attempted: 10, acknowledged: 8, refused: { NOREPLICAS: 1 }, unknown: 1 },
        longestOutageMs: 1_250,
        dualWritesMs: 0,
        dualWritesTotalMs: 0,
        outages: [],
        lost: {
          ...{ byMajority: 1, byCutOff: 2, byDeposed: 0 },
          ...{ asynchronous: 1, splitBrain: 2, emptyRestart: 0 },
        },
        staleReads: { fromDeposed: 0, afterLoss: 0 },
      },
    ],
  },
  timeline: [
    { atMs: 5_000, process: undefined, kind: 'fault', text: '! kill n1' },
    { atMs: 6_001, process: 's1', kind: 'event', text: '+sdown master mymaster n1' },
  ],
  endMs: 9_000,
}

test('a report says what was expected, what was found and how it went', () => {
  expect(renderReport(RESULT)).toMatchInlineSnapshot(`
    "FAILED  A run
      a.yml, seed 7, 9 s of virtual time
      Something happens.

      ✓ this: after 1 s
      ✗ that: s1 names n1
      ✗ one leader per epoch: two lead (at 1.5 s)

      mymaster: 10 writes, 8 acknowledged, refused: 1 NOREPLICAS, 1 never answered, 3 lost (1 not replicated in time, 2 in a split brain)
        1 failover, longest outage 1.25 s, two nodes acknowledging 0 ms, master at the end: n2

          5.000        ! kill n1
          6.001  s1    +sdown master mymaster n1
    "
  `)
})

test('a quorum above the number of Sentinels is told as the reason why no failover came', async () => {
  const unreachable = altered('quorum: 2', 'quorum: 4')
  const { result } = await playScenario(parse(unreachable), { seed: '1' })
  const reason = 'no automatic failover is possible: the quorum is 4, and there are 3 Sentinels'
  expect(renderReport(result, { brief: true })).toContain(reason)
  expect(result.facts.groups).toMatchObject([{ unreachableQuorum: { quorum: 4, sentinels: 3 } }])
})

test('a brief report has no timeline', () => {
  expect(renderReport(RESULT, { brief: true })).not.toContain('kill n1')
})

test('what is wrong is painted as bad', () => {
  const painter = { ...PLAIN, bad: (text: string) => `<${text}>` }
  const report = renderReport(RESULT, { painter })
  expect(report).toContain('<FAILED>')
  expect(report).toContain('<s1 names n1>')
})

test('a result survives JSON', () => {
  expect(JSON.parse(renderJson(RESULT))).toEqual(JSON.parse(JSON.stringify(RESULT)))
})

test('a run that failed on a busy machine says how late that was', () => {
  const told = (latestMs: number, verdict: 'passed' | 'failed') =>
    renderReport({ ...RESULT, engine: 'tcp', verdict, latestMs })
      .split('\n')[1]
      ?.trim()
  const run = 'a.yml, seed 7, 9 s of real time'
  expect(told(1_800.4, 'failed')).toBe(`${run}; this machine was busy, and up to 1.8 s late`)
  expect(told(20, 'failed')).toBe(run)
  expect(told(1_800, 'passed')).toBe(run)
})
