import { expect, test } from 'vitest'
import { Timeline } from '../../src/http/timeline.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const HOUR_MS = 3_600_000

/** Observed every second, as the listener does. */
function watch(stage: SentinelStage, timeline: Timeline, ms: number): void {
  for (let passed = 0; passed < ms; passed += 1_000) {
    stage.run(1_000)
    stage.look(({ state, now }) => timeline.observe(state, now))
  }
}

function lanesOf(stage: SentinelStage, timeline: Timeline) {
  const document = stage.look(({ now }) => timeline.document(now.wallMs))
  return document.groups.find(({ name }) => name === 'g')?.lanes ?? []
}

function statesOf(stage: SentinelStage, timeline: Timeline, address: string): string[] {
  const lane = lanesOf(stage, timeline).find((one) => one.address === address)
  return (lane?.spans ?? []).map(({ state }) => state)
}

test('an hour of calm is one span for each instance', () => {
  const [stage, timeline] = [new SentinelStage(), new Timeline()]
  stage.run(5_000)
  watch(stage, timeline, 60_000)
  const lanes = lanesOf(stage, timeline)
  expect(lanes.map(({ spans }) => spans.length)).toEqual([1, 1, 1, 1, 1, 1])
  expect(lanes[0]?.spans[0]).toMatchObject({ state: 'master' })
  expect((lanes[0]?.spans[0]?.toMs ?? 0) - (lanes[0]?.spans[0]?.fromMs ?? 0)).toBe(59_000)
})

test('a killed master is down, down for the quorum, and a replica once it is back', () => {
  const [stage, timeline] = [new SentinelStage(), new Timeline()]
  stage.run(5_000)
  watch(stage, timeline, 5_000)
  stage.kill('master')
  for (const peer of ['peer1', 'peer2']) stage.part(peer).seesDown = true
  watch(stage, timeline, 30_000)
  stage.revive('master')
  watch(stage, timeline, 60_000)
  const states = statesOf(stage, timeline, '10.0.0.1:6379')
  expect(states[0]).toBe('master')
  expect(states).toContain('down')
  expect(states.at(-1)).toBe('replica')
  const roles = ['10.0.0.2:6379', '10.0.0.3:6379'].map((one) => statesOf(stage, timeline, one))
  expect(roles.filter((one) => one.at(-1) === 'master')).toHaveLength(1)
})

test('what is older than an hour is forgotten, with the instance that was not seen since', () => {
  const [stage, timeline] = [new SentinelStage(), new Timeline()]
  stage.run(5_000)
  watch(stage, timeline, 2_000)
  stage.ask('SENTINEL', 'REMOVE', 'g')
  stage.look(({ state, now }) =>
    timeline.observe(state, { ...now, wallMs: now.wallMs + HOUR_MS + 5_000 }),
  )
  expect(lanesOf(stage, timeline)).toEqual([])
})

test('a hole in observing is a hole in the lane', () => {
  const [stage, timeline] = [new SentinelStage(), new Timeline()]
  stage.run(5_000)
  watch(stage, timeline, 2_000)
  stage.run(60_000)
  watch(stage, timeline, 2_000)
  expect(statesOf(stage, timeline, '10.0.0.1:6379')).toEqual(['master', 'master'])
})

test('what was seen while the clock was ahead moves along when it is set back, and is no hole', () => {
  const [stage, timeline] = [new SentinelStage(), new Timeline()]
  stage.run(5_000)
  let aheadMs = 2 * HOUR_MS
  const observe = () =>
    stage.look(({ state, now }) => {
      timeline.observe(state, { ...now, wallMs: now.wallMs + aheadMs })
      return now.wallMs
    })
  const firstMs = observe()
  stage.run(2_000)
  observe()
  stage.run(1_000)
  aheadMs = 0
  const lastMs = observe()
  const spans = lanesOf(stage, timeline).map((lane) => lane.spans)
  expect(spans[0]).toEqual([{ fromMs: firstMs, toMs: lastMs, state: 'master' }])
})
