import { expect, test } from 'vitest'
import { eachInOrder } from '../../../src/cli/scenario/scenario.ts'

/** Ends the works by hand, in any order. */
function createWorks() {
  const ends = new Map<string, () => void>()
  const begun: string[] = []
  const told: string[] = []
  const work = (item: string): Promise<string> => {
    begun.push(item)
    return new Promise((resolve) => ends.set(item, () => resolve(item.toUpperCase())))
  }
  const tell = async (_item: string, result: string): Promise<void> => {
    told.push(result)
  }
  const end = async (item: string): Promise<void> => {
    ends.get(item)?.()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { begun, told, work, tell, end }
}

test('no more than asked for are under way, and the next begins when any ends', async () => {
  const { begun, work, tell, end } = createWorks()
  const all = eachInOrder(['a', 'b', 'c', 'd'], 2, work, tell)
  expect(begun).toEqual(['a', 'b'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const item of ['a', 'c', 'd']) await end(item)
  await all
})

test('results are told in the order of the items, however they end', async () => {
  const { told, work, tell, end } = createWorks()
  const all = eachInOrder(['a', 'b', 'c'], 3, work, tell)
  await end('c')
  await end('b')
  expect(told).toEqual([])
  await end('a')
  await all
  expect(told).toEqual(['A', 'B', 'C'])
})

test('a failure is passed on and nothing new begins', async () => {
  const begun: string[] = []
  const work = async (item: string): Promise<void> => {
    begun.push(item)
    throw new Error('it broke')
  }
  await expect(eachInOrder(['a', 'b'], 1, work, async () => {})).rejects.toThrow('it broke')
  expect(begun).toEqual(['a'])
})
