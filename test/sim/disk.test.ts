import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { Disk } from '../../src/sim/disk.ts'
import { Scheduler } from '../../src/sim/scheduler.ts'

function createDisk() {
  const scheduler = new Scheduler()
  const latency = { minMs: 10, maxMs: 10 }
  return { scheduler, disk: new Disk({ scheduler, rng: createRng('disk'), latency }) }
}

test('a save that is done survives a crash', () => {
  const { scheduler, disk } = createDisk()
  disk.save('state', 'new', () => {})
  scheduler.runUntil(10)
  disk.crash()
  expect(disk.read('state')).toBe('new')
})

test('a crash during a save leaves the old content, for ever', () => {
  const { scheduler, disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.save('state', 'new', () => {})
  scheduler.runUntil(9)
  disk.crash()
  scheduler.runUntil(100)
  expect(disk.read('state')).toBe('old')
})

test('nobody hears of a save that a crash has swallowed', () => {
  const { scheduler, disk } = createDisk()
  let answers = 0
  disk.save('state', 'new', () => answers++)
  disk.crash()
  scheduler.runUntil(100)
  expect(answers).toBe(0)
})

test('a failing disk says why and keeps the old content', () => {
  const { scheduler, disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.failWith('no space left on device')
  const answers: (string | undefined)[] = []
  disk.save('state', 'new', (failure) => answers.push(failure))
  scheduler.runUntil(10)
  expect(answers).toEqual(['no space left on device'])
  expect(disk.read('state')).toBe('old')
})

test('a repaired disk saves again', () => {
  const { disk } = createDisk()
  disk.failWith('input/output error')
  disk.failWith(undefined)
  expect(disk.saveNow('state', 'new')).toBeUndefined()
})

test('a wiped disk has no files', () => {
  const { disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.wipe()
  expect(disk.read('state')).toBeUndefined()
})
