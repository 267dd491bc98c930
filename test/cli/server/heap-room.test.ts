/** How long values and requests may be in a small heap. */
import { expect, test } from 'vitest'
import { fitToHeap, guardHeap } from '../../../src/cli/server/heap-room.ts'
import { Settings } from '../../../src/server/settings/settings.ts'

const MB = 1024 * 1024

test('in a small heap they may be an eighth and a quarter of it, and the log says so', () => {
  const settings = new Settings()
  expect(fitToHeap(settings, 256 * MB)).toBe(
    'proto-max-bulk-len is 33554432 instead of 536870912, client-query-buffer-limit is 67108864 instead ' +
      'of 1073741824: the heap of this process has 256 MB. Start with a larger one: ' +
      'NODE_OPTIONS=--max-old-space-size=<MB>',
  )
  expect(fitToHeap(settings, 256 * MB)).toBeUndefined()
  guardHeap(settings, 256 * MB)
  expect(settings.change([['proto-max-bulk-len', `${64 * MB}`]], '127.0.0.1')).toMatchObject({
    kind: 'refused',
  })
  expect(settings.change([['proto-max-bulk-len', `${16 * MB}`]], '127.0.0.1')).toBeUndefined()
})

test('from 4 GB on nothing is lowered, and nothing more refused than ever', () => {
  const settings = new Settings()
  expect(fitToHeap(settings, 4096 * MB)).toBeUndefined()
  guardHeap(settings, 4096 * MB)
  expect(
    settings.change([['client-query-buffer-limit', `${2 ** 40}`]], '127.0.0.1'),
  ).toBeUndefined()
})
