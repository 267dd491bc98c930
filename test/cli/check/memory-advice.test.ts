/** What `vedette check` says of maxmemory, for machines and containers of all sizes. */
import { expect, test } from 'vitest'
import { memoryProblems } from '../../../src/cli/check/machine.ts'
import { Settings } from '../../../src/server/settings/settings.ts'

const MB = 1024 * 1024

function codes(directives: Record<string, string>, heapMb: number, containerMb?: number): string[] {
  const settings = new Settings()
  for (const [name, value] of Object.entries(directives)) settings.load(name, [value])
  const containerBytes = containerMb === undefined ? undefined : containerMb * MB
  const place = (path: string) => ({ file: 'redis.conf', line: 1, column: 1, path })
  return memoryProblems(settings, place, { heapBytes: heapMb * MB, containerBytes }).map(
    ({ code, message }) => `${code} ${message}`,
  )
}

test('a limit that fits is no reason to say anything, and neither is none on a machine', () => {
  expect(codes({ maxmemory: '500mb' }, 1000)).toEqual([])
  expect(codes({ maxmemory: '500mb', 'maxmemory-policy': 'allkeys-lru' }, 1000)).toEqual([])
  expect(codes({}, 1000)).toEqual([])
})

test.each([
  [{}, 192, 256, /^W_CONTAINER_LIMIT no maxmemory in a container of 256\.00M: .* when 144\.00M/],
  [{ 'maxmemory-policy': 'allkeys-lfu' }, 1000, undefined, /^W_NEVER_EVICTS allkeys-lfu without/],
  [
    { maxmemory: '900mb' },
    1000,
    undefined,
    /^W_MAXMEMORY_ABOVE_HEAP 900\.00M .* \(-OOM\) from 750/,
  ],
  [
    { maxmemory: '700mb', 'maxmemory-policy': 'volatile-lru' },
    ...[1000, undefined],
    /^W_MAXMEMORY_ABOVE_HEAP 700\.00M .* keys are evicted from 634\.00M on/,
  ],
] as const)('%o with a heap of %i MB', (directives, heapMb, containerMb, expected) => {
  const found = codes(directives, heapMb, containerMb)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(expected)
})
