import { expect, test } from 'vitest'
import { replacedMastersAreLeft } from '../../../src/history/checkers/replaced-masters.ts'
import type { Occurrence } from '../../../src/history/happening.ts'

const OLD = { host: '10.0.0.1', port: 6379 }
const NEW = { host: '10.0.0.2', port: 6379 }

/** Each with its time and the process where it happens; what the checker says of the last one. */
function verdict(...story: readonly (readonly [number, string, Occurrence])[]): string | undefined {
  const checker = replacedMastersAreLeft(3)
  return story.map(([atMs, process, what]) => checker.observe({ atMs, process, ...what })).at(-1)
}

const names = (master: typeof OLD): Occurrence => ({ kind: 'view', group: 'g', master })
const sends = (node: typeof OLD): Occurrence => ({ kind: 'forwarded', group: 'g', node })

test('bytes for a master that two of three Sentinels replaced long ago are wrong', () => {
  const replaced = [
    ...[[0, 's1', names(OLD)] as const, [1_000, 's1', names(NEW)] as const],
    [1_000, 's2', names(NEW)] as const,
  ]
  expect(verdict(...replaced, [9_000, 'app', sends(OLD)])).toContain('2 of 3 Sentinels')
  expect(verdict(...replaced, [1_900, 'app', sends(OLD)])).toBeUndefined()
  expect(verdict(...replaced, [9_000, 'app', sends(NEW)])).toBeUndefined()
})

test('one Sentinel of another mind is nothing', () => {
  expect(verdict([0, 's1', names(NEW)], [9_000, 'app', sends(OLD)])).toBeUndefined()
})

test('a Sentinel that named the old master again lately counts from then', () => {
  const story = [[0, 's1', names(NEW)] as const, [0, 's2', names(NEW)] as const]
  const again = [[8_000, 's2', names(OLD)] as const, [8_500, 's2', names(NEW)] as const]
  expect(verdict(...story, ...again, [9_000, 'app', sends(OLD)])).toBeUndefined()
})
