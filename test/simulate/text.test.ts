import { expect, test } from 'vitest'
import { adviceLines } from '../../src/cli/simulate/simulate-output.ts'
import { PLAIN } from '../../src/scenario/report.ts'
import { adviceFor } from '../../src/simulate/advice.ts'
import { compare } from '../../src/simulate/compare.ts'
import { INCIDENT_KINDS } from '../../src/simulate/incident.ts'
import { PROFILES } from '../../src/simulate/profiles.ts'
import { summarize } from '../../src/simulate/summary.ts'
import { clusterLines } from '../../src/simulate/text-cluster.ts'
import { comparisonLines } from '../../src/simulate/text-compare.ts'
import { measuredLines, summaryLines } from '../../src/simulate/text-summary.ts'
import { bar, durationText, entry, paragraph } from '../../src/simulate/text-table.ts'
import { clusterOf, measured } from './support.ts'

const LOST = { asynchronous: 12, splitBrain: 13_345, emptyRestart: 0 }
const BAD = INCIDENT_KINDS.map((kind, index) => ({
  ...measured(`${index + 190}`, {
    outageMs: 62_300,
    sdownMs: 30_123,
    odownMs: 30_999,
    lost: LOST,
    twoMastersMs: 25_300,
    failovers: 2,
    needless: 1,
    refused: 12_345,
    outcome: 'impossible',
    lacking: 'majority',
  }),
  kind,
}))
const GOOD = BAD.map(({ seed, kind }) => ({ ...measured(seed), kind }))
const CLUSTER = clusterOf({ quorum: 3, options: { sentinels: 4 } })

test('everything fits into eighty columns', () => {
  const summary = summarize(BAD)
  const lines = [
    ...clusterLines(CLUSTER, PROFILES.wan),
    ...summaryLines(summary, [{ title: 'a-group-of-a-long-name', summary }], PLAIN),
    ...adviceLines(adviceFor(CLUSTER, BAD), PLAIN),
    ...comparisonLines(compare(BAD.map((bad, at) => [bad, GOOD[at] ?? bad])), PLAIN),
    ...BAD.flatMap((one) => measuredLines(one, CLUSTER)),
  ]
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('no advice is said in words', () => {
  expect(adviceLines([], PLAIN)).toEqual([
    '  No setting is to blame for what these histories brought.',
  ])
})

test('a measure nobody met is none, and not a row of zeros', () => {
  const summary = summarize(GOOD)
  expect(summaryLines(summary, [{ title: '', summary }], PLAIN)[1]).toMatch(/noticed.*none$/)
})

test('the history of one seed is told in a line', () => {
  expect(measuredLines(measured('1', { outcome: 'came', odownMs: 2_040 }), CLUSTER)).toEqual([
    '  mymaster   failed over, agreed after 2.04 s, outage 0 ms, 0 writes lost',
  ])
})

test.each([
  [0, '0 ms'],
  [1_000, '1 s'],
  [5_050, '5.05 s'],
  [26_038, '26 s'],
  [180_000, '180 s'],
])('%d ms is told as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('what is there at all has a bar, and what is not has none', () => {
  expect(bar(1, 1_000, 50)).toBe('█')
  expect(bar(0, 1_000, 50)).toBe('')
  expect(bar(1_000, 1_000, 50)).toHaveLength(50)
})

test('a paragraph breaks between words, and goes on under its first line', () => {
  expect(paragraph('one two three', '  ', 9)).toEqual(['  one two', '  three'])
  expect(entry('word', `${'x'.repeat(60)} ${'y'.repeat(20)}`)[1]).toBe(
    `${' '.repeat(13)}${'y'.repeat(20)}`,
  )
})
