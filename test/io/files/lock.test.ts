import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Lock, type LockOptions, lockFile } from '../../../src/io/files/lock.ts'
import { scratchFolder } from '../../support/scratch.ts'

let folder = ''
let path = ''
const locks: Lock[] = []

/** The user id of nobody, on most systems. */
const NOBODY = 65_534

beforeEach(() => {
  folder = scratchFolder('lock')
  path = join(folder, 'sentinel-26379.state')
})
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release()
})

async function lock(options: LockOptions = {}): Promise<Lock> {
  const held = await lockFile(path, { patienceMs: 200, ...options })
  locks.push(held)
  return held
}

function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs)
}

test('the second one is refused, and told who is first', async () => {
  expect((await lock()).missing).toBeUndefined()
  await expect(lock()).rejects.toMatchObject({
    code: 'E_STATE_IN_USE',
    message: `the state file ${path} is taken: process ${process.pid} uses it`,
  })
})

test('one that was released can be taken again, and leaves nothing behind', async () => {
  const first = await lock()
  first.release()
  expect(readdirSync(folder)).toEqual([])
  expect((await lock()).missing).toBeUndefined()
})

test('files beside each other have locks of their own', async () => {
  await lock()
  const other = await lockFile(join(folder, 'sentinel-26380.state'))
  locks.push(other)
  expect(other.missing).toBeUndefined()
})

test('a dead one is no hindrance, and its socket is removed', async () => {
  const dead = join(folder, 'sentinel-26379.state.lock-1-00000000')
  const script = `require('net').createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, 'SIGKILL'))`
  await new Promise((resolve) => spawn(process.execPath, ['-e', script]).once('close', resolve))
  expect(readdirSync(folder)).toHaveLength(1)
  expect((await lock()).missing).toBeUndefined()
  expect(readdirSync(folder)).toEqual([expect.stringContaining(`.lock-${process.pid}-`)])
})

test('one that is stopped still holds it', async () => {
  const silent = createServer(() => undefined)
  const socket = join(folder, 'sentinel-26379.state.lock-4711-00000000')
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  await expect(lock()).rejects.toMatchObject({
    message: `the state file ${path} is taken: process 4711, which does not answer, uses it`,
  })
  silent.close()
})

/** Only root can be another user. */
test.skipIf(process.getuid?.() !== 0)(
  'one that another user has left is named with its socket: whether its process lives cannot be asked',
  async () => {
    const socket = join(folder, 'sentinel-26379.state.lock-4711-00000000')
    const roots = createServer(() => undefined)
    await new Promise<void>((resolve) => roots.listen(socket, resolve))
    chmodSync(folder, 0o777)
    process.seteuid?.(NOBODY)
    const refused = await lock().catch((error: unknown) => error)
    process.seteuid?.(0)
    roots.close()
    expect(refused).toMatchObject({
      code: 'E_STATE_IN_USE',
      message: `the state file ${path} may be taken: process 4711 of another user holds or has left ${socket}, which this user may not ask`,
      hint: expect.stringMatching(
        /^if there is no such process any more, delete that socket; else stop/,
      ),
    })
  },
)

describe('of those who start at the same time', () => {
  test('exactly one gets it, when all are in sight before any looks', async () => {
    const count = 8
    let inSight = 0
    let go = () => {}
    const everybody = new Promise<void>((resolve) => {
      go = resolve
    })
    const starts = Array.from({ length: count }, () =>
      lock({
        pause: async (moment) => {
          if (moment === 'in sight' && ++inSight === count) go()
          await everybody
        },
      }),
    )
    const outcomes = await Promise.allSettled(starts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test.each([
    ['lower', '00000000', '11111111'],
    ['higher', '11111111', '00000000'],
  ])('exactly one gets it when the %s one has looked before the other came', async (_, a, b) => {
    const late: Promise<Lock>[] = []
    const early = lock({
      mark: a,
      pause: async (moment) => {
        if (moment !== 'looked') return
        late.push(lock({ mark: b }))
        await Promise.allSettled(late)
      },
    })
    const outcomes = await Promise.allSettled([
      early,
      ...(await early.then(
        () => late,
        () => late,
      )),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('exactly one gets it, however their steps fall between each other', async () => {
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, async (_, index) => {
          for (let turn = 0; turn < (index * (round + 1)) % 7; turn++) await Promise.resolve()
          return lock()
        }),
      )
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(winners, `round ${round}`).toHaveLength(1)
      for (const winner of winners) winner.value.release()
    }
  })

  // All had lost to each other when the machine was busy: none had heard an answer in time, since none had run.
  test('exactly one gets it when all of them stand still for longer than they are patient', async () => {
    const starts = Array.from({ length: 4 }, () =>
      lock({
        patienceMs: 60,
        pause: async (moment) => {
          // Behind this one's first question, before anybody can have answered.
          if (moment === 'in sight') setImmediate(standStill, 120)
        },
      }),
    )
    const outcomes = await Promise.allSettled(starts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('also over the socket of a dead one', async () => {
    const dead = join(folder, 'sentinel-26379.state.lock-1-00000000')
    const script = `require('net').createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, 'SIGKILL'))`
    await new Promise((resolve) => spawn(process.execPath, ['-e', script]).once('close', resolve))
    const outcomes = await Promise.allSettled([lock(), lock(), lock()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

test('a folder whose path is too long for a socket is no hindrance', async () => {
  const deep = join(folder, 'a'.repeat(120))
  mkdirSync(deep)
  const here = process.cwd()
  path = join(deep, 'sentinel-26379.state')
  expect((await lock()).missing).toBeUndefined()
  await expect(lock()).rejects.toMatchObject({ code: 'E_STATE_IN_USE' })
  expect(process.cwd()).toBe(here)
})

test.runIf(process.platform === 'linux')('where sockets cannot be made, that is said', async () => {
  const nowhere = await lockFile('/proc/sentinel-26379.state')
  expect(nowhere.missing).toMatch(/^E[A-Z]+$/)
})

test('a file that only has the name of a lock is removed', async () => {
  writeFileSync(`${path}.lock-1-00000000`, '')
  expect((await lock()).missing).toBeUndefined()
})
