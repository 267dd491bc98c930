import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { Disk } from '../../../src/sim/processes/disk.ts'
import { Scheduler } from '../../../src/sim/scheduler.ts'

/** A save takes 10 ms; the rename is half way. */
const RENAME_MS = 5

function createDisk(seed = 'disk') {
  const scheduler = new Scheduler()
  const latency = { minMs: 10, maxMs: 10 }
  return { scheduler, disk: new Disk({ scheduler, rng: createRng(seed), latency }) }
}

/** What is found after `fate` under many seeds. */
function outcomes(fate: (world: ReturnType<typeof createDisk>) => void): Set<string | undefined> {
  const seeds = [...Array(20).keys()].map(String)
  return new Set(
    seeds.map((seed) => {
      const world = createDisk(seed)
      fate(world)
      return world.disk.read('state')
    }),
  )
}

test('a save that is done survives a crash', () => {
  const { scheduler, disk } = createDisk()
  disk.save('state', 'new', () => {})
  scheduler.runUntil(10)
  disk.crash()
  expect(disk.read('state')).toBe('new')
})

test('a crash before the rename leaves the old content, for ever', () => {
  const { scheduler, disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.save('state', 'new', () => {})
  scheduler.runUntil(RENAME_MS - 1)
  disk.crash()
  scheduler.runUntil(100)
  expect(disk.read('state')).toBe('old')
})

test('a crash between the rename and the last sync leaves the new content, and nobody is told', () => {
  const { scheduler, disk } = createDisk()
  disk.saveNow('state', 'old')
  let answers = 0
  disk.save('state', 'new', () => answers++)
  scheduler.runUntil(RENAME_MS)
  disk.crash()
  scheduler.runUntil(100)
  expect([disk.read('state'), answers]).toEqual(['new', 0])
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
  disk.failWith({ operation: 'write', reason: 'no space left on device' })
  const answers: (string | undefined)[] = []
  disk.save('state', 'new', (failure) => answers.push(failure))
  scheduler.runUntil(10)
  expect(answers).toEqual(['no space left on device'])
  expect(disk.read('state')).toBe('old')
})

test('a repaired disk saves again', () => {
  const { disk } = createDisk()
  disk.failWith({ operation: 'sync', reason: 'input/output error' })
  disk.failWith(undefined)
  expect(disk.saveNow('state', 'new')).toBeUndefined()
})

test('a wiped disk has no files', () => {
  const { disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.wipe()
  expect(disk.read('state')).toBeUndefined()
})

test('what is saved survives a power loss', () => {
  const found = outcomes(({ scheduler, disk }) => {
    disk.save('state', 'new', () => {})
    scheduler.runUntil(10)
    disk.losePower()
  })
  expect(found).toEqual(new Set(['new']))
})

test('a power loss between the rename and the last sync leaves the old content or the new', () => {
  const found = outcomes(({ scheduler, disk }) => {
    disk.saveNow('state', 'old')
    disk.save('state', 'new', () => {})
    scheduler.runUntil(RENAME_MS)
    disk.losePower()
  })
  expect(found).toEqual(new Set(['old', 'new']))
})

test('a file whose first sync never came may be missing after a power loss', () => {
  const found = outcomes(({ scheduler, disk }) => {
    disk.save('state', 'new', () => {})
    scheduler.runUntil(RENAME_MS)
    disk.losePower()
  })
  expect(found).toEqual(new Set([undefined, 'new']))
})

test('a sync that fails fails the save, and the new content is there until the power goes', () => {
  const { scheduler, disk } = createDisk()
  disk.saveNow('state', 'old')
  disk.failWith({ operation: 'sync', reason: 'input/output error' })
  const answers: (string | undefined)[] = []
  disk.save('state', 'new', (failure) => answers.push(failure))
  scheduler.runUntil(10)
  disk.crash()
  expect(answers).toEqual(['input/output error'])
  expect(disk.read('state')).toBe('new')
})

test('a power loss after a failed sync leaves what was safe last, or the last that was written', () => {
  const found = outcomes(({ disk }) => {
    disk.saveNow('state', 'old')
    disk.failWith({ operation: 'sync', reason: 'input/output error' })
    disk.saveNow('state', 'lost for sure')
    disk.saveNow('state', 'new')
    disk.losePower()
  })
  expect(found).toEqual(new Set(['old', 'new']))
})

test('a save that succeeds makes safe what an earlier one could not', () => {
  const found = outcomes(({ disk }) => {
    disk.saveNow('state', 'old')
    disk.failWith({ operation: 'sync', reason: 'input/output error' })
    disk.saveNow('state', 'unsafe')
    disk.failWith(undefined)
    disk.saveNow('state', 'new')
    disk.losePower()
  })
  expect(found).toEqual(new Set(['new']))
})

test('on a slow disk a save is done so much later, and a repair ends that', () => {
  const { scheduler, disk } = createDisk()
  const done: number[] = []
  const note = (): void => {
    done.push(scheduler.nowMs)
  }
  disk.slowDown(4_000)
  disk.save('state', 'slow', note)
  scheduler.runUntil(5_000)
  disk.repair()
  disk.save('state', 'quick', note)
  scheduler.runUntil(6_000)
  expect(done).toEqual([4_010, 5_010])
})

test('a backup has the file as it was then, or as it was first written', () => {
  const { scheduler, disk } = createDisk()
  for (const [atMs, bytes] of [
    [1_000, 'first'],
    [2_000, 'second'],
    [3_000, 'third'],
  ] as const) {
    scheduler.runUntil(atMs)
    disk.saveNow('state', bytes)
  }
  const restored = (agoMs: number): string | undefined => {
    disk.rollBack(agoMs)
    return disk.read('state')
  }
  expect(restored(500)).toBe('second')
  expect(restored(1_500)).toBe('first')
  expect(restored(60_000)).toBe('first')
})
