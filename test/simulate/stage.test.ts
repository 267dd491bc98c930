import { expect, test } from 'vitest'
import { drawIncident } from '../../src/simulate/play-seed.ts'
import { scenarioOf, scenarioText } from '../../src/simulate/scenario-of.ts'
import { stageIncident } from '../../src/simulate/stage.ts'
import { clusterOf, incident, stageOf } from './support.ts'

const TWO_GROUPS = `
  sentinel monitor orders 10.0.0.1 6379 2
  sentinel monitor my_cache 10.0.0.1 6380 2
  sentinel known-replica orders 10.0.0.1 6381`

test.each([
  ['three boxes', clusterOf(), 'lan'],
  [
    'nobody but a master and a Sentinel',
    clusterOf({ options: { sentinels: 1, replicas: 0 } }),
    'lan',
  ],
  ['two groups on one box', clusterOf({ text: TWO_GROUPS }), 'wan'],
  ['Sentinels beside clients', clusterOf({ options: { layout: 'apart' } }), 'cross-zone'],
] as const)('any history of %s is a scenario that can be read', (_, cluster, profile) => {
  const stage = stageOf(cluster, profile)
  for (let seed = 1; seed <= 120; seed++) {
    const staged = stageIncident(drawIncident(`${seed}`), stage)
    const file = scenarioOf(staged, stage)
    expect(file.durationMs).toBe(staged.durationMs)
    expect(file.steps).toHaveLength(staged.steps.length)
  }
})

test('a power loss takes all who live on the box', () => {
  const { story, effects } = stageIncident(incident({ kind: 'powerLoss' }), stageOf(clusterOf()))
  expect(story).toBe('box1 loses power, and with it n1, s1.')
  expect(effects).toMatchObject([{ kind: 'down', processes: ['n1', 's1'] }])
})

test('power that returns starts all who lived on the boxes, box by box', () => {
  const cut = incident({ kind: 'siteOutage', forMs: [4_000], gapMs: [900] })
  const { story, steps, effects } = stageIncident(cut, stageOf(clusterOf()))
  expect(story).toBe(
    'box1, box2, box3 lose power, and with it n1, s1, n2, s2, n3, s3; it is back after 4s.',
  )
  expect(steps.map(({ atMs, words }) => [atMs, words])).toEqual([
    [15_000, { 'power-loss': ['box1', 'box2', 'box3'] }],
    [19_000, { restart: ['n1', 's1'] }],
    [19_300, { restart: ['n2', 's2'] }],
    [19_600, { restart: ['n3', 's3'] }],
  ])
  expect(effects.map(({ untilMs }) => untilMs)).toEqual([19_000, 19_300, 19_600])
})

test('a minority of Sentinels is one of three and two of five, and not where the master is', () => {
  const few = incident({
    kind: 'fewSentinelsCutOff',
    forMs: [5_000],
    lots: { ...NOBODY, sentinel: 1 },
  })
  const split = (sentinels: number) =>
    stageIncident(few, stageOf(clusterOf({ options: { sentinels } }))).effects
  expect(split(3)).toMatchObject([{ kind: 'split', boxes: ['box3'] }])
  expect(split(5)).toMatchObject([{ kind: 'split', boxes: ['box3', 'watch1'] }])
})

const NOBODY = { group: 0, replica: 0, sentinel: 0, client: 0, beforehand: 0 }

test('what a wan always loses is lost again after a heal', () => {
  const cut = incident({ kind: 'cutOff', forMs: [3_000] })
  const { steps } = stageIncident(cut, stageOf(clusterOf(), 'wan'))
  expect(steps.map(({ words }) => Object.keys(words)[0])).toEqual([
    ...['shape', 'partition', 'heal', 'shape'],
  ])
})

test('clusters that are compared get the same steps for the same time', () => {
  const quick = stageOf(clusterOf({ downAfterMs: 1_000 }))
  const slow = stageOf(clusterOf({ downAfterMs: 30_000 }))
  const shared = { downAfterMaxMs: 30_000 }
  for (let seed = 1; seed <= 30; seed++) {
    const drawn = drawIncident(`${seed}`)
    const one = stageIncident(drawn, { ...quick, ...shared })
    const other = stageIncident(drawn, { ...slow, ...shared })
    expect(one).toEqual(other)
  }
})

test('there is time for a failover, and for a partition to be noticed as over', () => {
  const stage = stageOf(clusterOf({ downAfterMs: 10_000 }))
  expect(stageIncident(incident({}), stage).durationMs).toBe(15_000 + 10_000 + 20_000)
  const cut = incident({ kind: 'cutOff', forMs: [30_000] })
  expect(stageIncident(cut, stage).durationMs).toBe(15_000 + 30_000 + 10_000 + 30_000)
})

test('the file that is written tells its story', () => {
  const stage = stageOf(clusterOf({ settings: { 'min-replicas-to-write': '1' } }))
  const text = scenarioText(stageIncident(incident({ beforehand: 'sentinelDead' }), stage), stage)
  expect(text).toContain('Sentinel s1 has died before. Master n1 crashes.')
  expect(text).toContain('n1: { host: box1, settings: { min-replicas-to-write: "1" } }')
})
