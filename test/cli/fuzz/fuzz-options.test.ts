import { afterEach, expect, test, vi } from 'vitest'
import { type FuzzOptions, runFuzz } from '../../../src/cli/fuzz/fuzz.ts'
import { EXIT_CONFIG } from '../../../src/cli/report.ts'

const OPTIONS: FuzzOptions = { profile: 'faults', engine: 'sim', shrink: true, out: 'failures' }

afterEach(() => vi.restoreAllMocks())

test.each<[Partial<FuzzOptions>, string]>([
  [{ print: true, json: true }, 'leave --json out'],
  [{ days: 3 }, '--days needs --profile long-life'],
  [{ guided: true, profile: 'noise' }, '--guided works only with --profile faults'],
  [{ engine: 'tcp', profile: 'noise' }, '--profile noise needs virtual time'],
  [{ seeds: { first: 1, last: undefined } }, 'needs a time limit'],
])('fuzz with %j is refused before anything is played', async (options, text) => {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => said.push(String(part)) > 0)
  expect(await runFuzz({ ...OPTIONS, ...options })).toBe(EXIT_CONFIG)
  expect(said.join('')).toContain(text)
})
