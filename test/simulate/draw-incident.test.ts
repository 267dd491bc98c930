import { expect, test } from 'vitest'
import { INCIDENT_KINDS, INCIDENTS } from '../../src/simulate/incident.ts'
import { drawIncident } from '../../src/simulate/play-seed.ts'

const DRAWN = Array.from({ length: 600 }, (_, index) => drawIncident(`${index + 1}`))

test('a seed stands for one history, for ever', () => {
  expect(drawIncident('7')).toEqual(drawIncident('7'))
  expect(drawIncident('7')).not.toEqual(drawIncident('8'))
})

test('every kind of incident is met, the heavier ones more often', () => {
  const counts = new Map(INCIDENT_KINDS.map((kind) => [kind, 0]))
  for (const { kind } of DRAWN) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  expect(Math.min(...counts.values())).toBeGreaterThan(5)
  expect(counts.get('crash')).toBeGreaterThan(counts.get('sentinelStall') ?? 0)
})

test('incidents last as long as their kind says', () => {
  for (const { kind, forMs } of DRAWN) {
    const [minMs, maxMs] = INCIDENTS[kind].lastsMs ?? [0, 0]
    for (const lengthMs of forMs) {
      expect(lengthMs).toBeGreaterThanOrEqual(minMs)
      expect(lengthMs).toBeLessThanOrEqual(maxMs)
    }
    expect(forMs.length > 0).toBe(INCIDENTS[kind].lastsMs !== undefined)
  }
})

test('short hangs are as likely as long ones', () => {
  const hangs = DRAWN.filter(({ kind }) => kind === 'hang').map(({ forMs }) => forMs[0] ?? 0)
  const short = hangs.filter((ms) => ms < 2_828).length
  expect(short / hangs.length).toBeGreaterThan(0.35)
  expect(short / hangs.length).toBeLessThan(0.65)
})

test('titles fit their column', () => {
  for (const { title } of Object.values(INCIDENTS)) expect(title.length).toBeLessThanOrEqual(22)
})
