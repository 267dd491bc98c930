import { performance } from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { telling } from '../../../src/cli/scenario/scenario-progress.ts'
import { StatusLine } from '../../../src/cli/status-line.ts'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { SIM_ENGINE } from '../../../src/scenario/sim-engine.ts'
import type { Engine } from '../../../src/scenario/world.ts'
import { SOUND } from '../../scenario/support.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** The simulated world, as one that takes its time. */
const SLOW: Engine = {
  ...SIM_ENGINE,
  name: 'tcp',
  create: async (file, seed) => {
    const world = await SIM_ENGINE.create(file, seed)
    const slow = Object.create(world)
    slow.runUntil = (atMs: number) =>
      new Promise((resolve) => setTimeout(() => resolve(atMs), atMs))
    return slow
  },
}

test('a run in real time says how far it is, every ten seconds without a terminal', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
  vi.useFakeTimers()
  let err = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text)
    return true
  })
  const parsed = parseScenario(SOUND, 'a.yml')
  if (!parsed.ok) throw new Error('SOUND is sound')
  const world = await telling(SLOW, 'a.yml, seed 1', new StatusLine()).create(parsed.value, '1')
  const end = world.runUntil(12_000)
  await vi.advanceTimersByTimeAsync(12_000)
  await end
  expect(err).toBe(
    'a.yml, seed 1: 1.0 s of 12.0 s played after 1 s\na.yml, seed 1: 11.0 s of 12.0 s played after 11 s\n',
  )
})

test('how late a world is does not get lost on the way to its judge', async () => {
  const late: Engine = {
    ...SIM_ENGINE,
    name: 'tcp',
    create: async (file, seed) => ({
      ...(await SIM_ENGINE.create(file, seed)),
      latestMs: () => 300,
    }),
  }
  const parsed = parseScenario(SOUND, 'a.yml')
  if (!parsed.ok) throw new Error('SOUND is sound')
  const world = await telling(late, 'a.yml, seed 1', new StatusLine()).create(parsed.value, '1')
  expect(world.latestMs()).toBe(300)
})
