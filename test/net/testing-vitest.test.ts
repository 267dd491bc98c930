/** `vedette/vitest` beside other versions of Vitest than ours. */
import { test as base, expect, test, vi } from 'vitest'
import { clusterTest } from '../../src/exports/vitest.ts'

/** What Vitest before 3.2 takes for options of a fixture; anything else makes the pair a value. */
const OLD_OPTIONS = ['auto', 'injected']

test('a Vitest that knows no scopes takes the shared cluster for a fixture', () => {
  const extend = vi.spyOn(base, 'extend')
  clusterTest()
  const [fixtures] = extend.mock.calls[0] as unknown as [{ sharedCluster: [unknown, object] }]
  extend.mockRestore()
  const [, options] = fixtures.sharedCluster
  expect(Object.keys(options).filter((name) => OLD_OPTIONS.includes(name))).not.toEqual([])
})
