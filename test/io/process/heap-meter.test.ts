import { expect, test } from 'vitest'
import { shownCollector, V8HeapMeter } from '../../../src/io/process/heap-meter.ts'

test('a collection is counted, and says how long it took', () => {
  const meter = new V8HeapMeter()
  const { collections } = meter.read()
  expect(meter.collect()).toBeGreaterThan(0)
  expect(meter.read().collections).toBe(collections + 1)
})

test('an engine that shows no collector, as that of Bun, is left to collect in its own time', () => {
  const isolated = (code: string) => new Function('gc', `return ${code}`)(undefined)
  expect(shownCollector(isolated)()).toBeUndefined()
})
