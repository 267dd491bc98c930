import { expect, test } from 'vitest'
import type { Event } from '../../../src/core/event.ts'
import {
  EVERY_SCRIPT_SUCCEEDS,
  type ScriptPlay,
  SentinelScripts,
} from '../../../src/sim/processes/sentinel-program.ts'
import { createProcess } from '../support.ts'

/** The scripts of a process, and what is told of them with the time. */
function playing(play: ScriptPlay) {
  const { process, scheduler } = createProcess(() => ({}))
  process.start()
  const told: string[] = []
  const feed = (event: Event) => {
    if (event.kind === 'scriptStarted') told.push(`${scheduler.nowMs} ${event.job} started`)
    if (event.kind !== 'scriptEnded') return
    told.push(`${scheduler.nowMs} ${event.job} ended ${event.status} ${event.signal}`)
  }
  return { process, scheduler, told, scripts: new SentinelScripts(process, feed, play) }
}

test('a simulated script takes a moment and succeeds', () => {
  const { scheduler, told, scripts } = playing(EVERY_SCRIPT_SUCCEEDS)
  scripts.run(7, ['/s'])
  expect(told).toEqual([])
  scheduler.runUntil(100)
  expect(told).toEqual(['0 7 started', '10 7 ended 0 0'])
})

test('a test says how each script fares', () => {
  const { scheduler, told, scripts } = playing(([path]) => ({
    afterMs: path === '/slow' ? 50 : 1,
    status: path === '/bad' ? 1 : 0,
    signal: 0,
  }))
  scripts.run(1, ['/slow'])
  scripts.run(2, ['/bad'])
  scheduler.runUntil(100)
  expect(told.slice(2)).toEqual(['1 2 ended 1 0', '50 1 ended 0 0'])
})

test('a killed script ends at once, and only once', () => {
  const { scheduler, told, scripts } = playing(() => ({ afterMs: 50, status: 0, signal: 0 }))
  scripts.run(1, ['/s'])
  scheduler.runUntil(20)
  scripts.kill(1)
  scheduler.runUntil(100)
  expect(told).toEqual(['0 1 started', '20 1 ended 0 9'])
})

test('a script of an earlier life is not heard of', () => {
  const { process, scheduler, told, scripts } = playing(EVERY_SCRIPT_SUCCEEDS)
  scripts.run(1, ['/s'])
  scheduler.runUntil(5)
  process.kill()
  process.start()
  scheduler.runUntil(100)
  expect(told).toEqual(['0 1 started'])
})
