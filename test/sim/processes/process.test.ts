import { expect, test } from 'vitest'
import type { Socket } from '../../../src/sim/network/socket.ts'
import { createProcess, Witness } from '../support.ts'

const PORT = 7000

/** A process that listens and writes down what it gets, with its times. */
function createListener() {
  const notes: string[] = []
  const world = createProcess((process) => {
    const note = (text: string): void => {
      notes.push(`${process.now().monoMs - 1_000} ${text}`)
    }
    process.listen(PORT, () => {
      note('accepted')
      return { connected: () => {}, received: note, closed: note }
    })
    return {}
  })
  world.process.start()
  const client = new Witness(world.scheduler)
  const open = (): Socket =>
    world.network.connect({
      from: world.b,
      host: world.a.ip,
      port: PORT,
      timeoutMs: 60_000,
      owner: client,
      handler: client.handler(),
    })
  return { ...world, notes, client, open }
}

test('the kernel of a stopped process accepts and keeps what arrives', () => {
  const { process, scheduler, notes, client, open } = createListener()
  process.pause()
  const socket = open()
  scheduler.runUntil(10)
  expect(client.notes).toEqual(['10 connected'])
  socket.write('one')
  scheduler.runUntil(500)
  expect(notes).toEqual([])
  process.resume()
  expect(notes).toEqual(['500 accepted', '500 one'])
})

test('a thawed process reads all of one connection, then of the next, and sees ends last', () => {
  const { process, scheduler, notes, open } = createListener()
  const [first, second] = [open(), open()]
  scheduler.runUntil(10)
  process.pause()
  second.write('a ')
  scheduler.runUntil(20)
  first.write('b ')
  scheduler.runUntil(30)
  second.write('c ')
  second.close()
  scheduler.runUntil(40)
  process.resume()
  expect(notes.slice(2)).toEqual(['40 a c ', '40 b ', '40 closed by the other side'])
})

test('what is too much for one read comes in several', () => {
  const { process, scheduler, notes, open } = createListener()
  const socket = open()
  scheduler.runUntil(10)
  process.pause()
  for (let number = 0; number < 3; number++) socket.write('x'.repeat(50_000))
  scheduler.runUntil(40)
  process.resume()
  expect(notes.slice(1).map((note) => note.split(' ')[1]?.length)).toEqual([65_536, 65_536, 18_928])
})

test('a late timer comes behind what could be read, and before what new connections have sent', () => {
  const notes: string[] = []
  const world = createProcess((self) => {
    self.listen(PORT, () => {
      notes.push('accepted')
      return { connected: () => {}, received: (bytes) => notes.push(bytes), closed: () => {} }
    })
    const isDue = (): boolean => !notes.includes('woken')
    return { wake: () => notes.push('woken'), nextWakeUpMs: () => (isDue() ? 1_050 : undefined) }
  })
  world.process.start()
  const open = (): Socket =>
    world.network.connect({
      ...{ from: world.b, host: world.a.ip, port: PORT, timeoutMs: 60_000 },
      ...{ owner: new Witness(world.scheduler), handler: new Witness(world.scheduler).handler() },
    })
  const known = open()
  world.scheduler.runUntil(10)
  world.process.pause()
  const unknown = open()
  world.scheduler.runUntil(30)
  unknown.write('from a new one')
  known.write('from a known one')
  world.scheduler.runUntil(500)
  world.process.resume()
  const afterwards = ['accepted', 'from a known one', 'woken', 'from a new one']
  expect(notes).toEqual(['accepted', ...afterwards])
})

test('killing a process ends its connections and refuses new ones', () => {
  const { process, scheduler, client, open } = createListener()
  open()
  scheduler.runUntil(10)
  process.kill()
  scheduler.runUntil(20)
  open()
  scheduler.runUntil(40)
  expect(client.notes.slice(1)).toEqual(['15 closed by the other side', '30 connection refused'])
})

test('killing a stopped process ends the connections it has not accepted yet', () => {
  const { process, scheduler, client, notes, open } = createListener()
  process.pause()
  open()
  scheduler.runUntil(10)
  process.kill()
  scheduler.runUntil(20)
  expect(client.notes).toEqual(['10 connected', '15 closed by the other side'])
  expect(notes).toEqual([])
})

test('a restarted process knows nothing of the connections of its former life', () => {
  const { process, scheduler, notes, open } = createListener()
  const socket = open()
  scheduler.runUntil(10)
  socket.write('for the former life')
  process.kill()
  process.start()
  scheduler.runUntil(100)
  expect(notes).toEqual(['5 accepted'])
})

test('a process is woken when it asked for it, by its own clock', () => {
  const wakes: number[] = []
  const { process, scheduler } = createProcess((self) => ({
    wake: () => wakes.push(self.now().monoMs),
    nextWakeUpMs: () => (wakes.length < 2 ? 1_030 + 20 * wakes.length : undefined),
  }))
  process.start()
  scheduler.runUntil(1_000)
  expect(wakes).toEqual([1_030, 1_050])
})

test('a wake-up that fell into a stop comes once, at the end of it', () => {
  const wakes: number[] = []
  const { process, scheduler } = createProcess((self) => ({
    wake: () => wakes.push(self.now().monoMs),
    nextWakeUpMs: () => (wakes.length === 0 ? 1_030 : undefined),
  }))
  process.start()
  process.pause()
  scheduler.runUntil(200)
  process.resume()
  scheduler.runUntil(1_000)
  expect(wakes).toEqual([1_200])
})

test('a jump of the wall clock moves no deadline', () => {
  const wakes: number[] = []
  const { process, scheduler } = createProcess((self) => ({
    wake: () => wakes.push(self.now().wallMs),
    nextWakeUpMs: () => (wakes.length === 0 ? 1_030 : undefined),
  }))
  process.start()
  const before = process.now().wallMs
  process.clock.jump(-60_000)
  scheduler.runUntil(30)
  expect(wakes).toEqual([before + 30 - 60_000])
})

test('a crash early in a save leaves the old file for the next life', () => {
  const { process, scheduler, disk } = createProcess(() => ({}))
  process.start()
  disk.saveNow('state', 'old')
  let answers = 0
  process.save('state', 'new', () => answers++)
  scheduler.runUntil(4)
  process.kill()
  process.start()
  scheduler.runUntil(100)
  expect([disk.read('state'), answers]).toEqual(['old', 0])
})

test('an event loop that hangs takes nothing in and goes on by itself', () => {
  const { process, scheduler, notes, open } = createListener()
  const socket = open()
  scheduler.runUntil(10)
  process.stall(500)
  socket.write('one')
  scheduler.runUntil(509)
  expect([process.status, notes]).toEqual(['paused', ['5 accepted']])
  scheduler.runUntil(510)
  expect([process.status, notes]).toEqual(['running', ['5 accepted', '510 one']])
})

test('of two hangs that overlap the later end counts', () => {
  const { process, scheduler } = createListener()
  process.stall(500)
  scheduler.runUntil(100)
  process.stall(100)
  process.stall(900)
  scheduler.runUntil(999)
  expect(process.status).toBe('paused')
  scheduler.runUntil(1_000)
  expect(process.status).toBe('running')
})

test('a hang that ends does not wake a stopped process', () => {
  const { process, scheduler } = createListener()
  process.stall(100)
  process.pause()
  scheduler.runUntil(200)
  expect(process.status).toBe('paused')
  process.resume()
  expect(process.status).toBe('running')
})

test('a resume does not end a hang', () => {
  const { process, scheduler } = createListener()
  process.pause()
  process.stall(100)
  process.resume()
  expect(process.status).toBe('paused')
  scheduler.runUntil(100)
  expect(process.status).toBe('running')
})

test('a hang dies with its process', () => {
  const { process, scheduler } = createListener()
  process.stall(100)
  process.kill()
  process.start()
  process.pause()
  process.resume()
  expect(process.status).toBe('running')
  process.pause()
  scheduler.runUntil(200)
  expect(process.status).toBe('paused')
})

test('a dead process is not woken by the end of a hang or a resume', () => {
  const { process, scheduler } = createListener()
  process.stall(100)
  process.kill()
  process.stall(50)
  process.resume()
  scheduler.runUntil(200)
  expect(process.status).toBe('down')
})

test('a fast clock rings early, a slow one late, and each at the moment it was asked for', () => {
  const { process, scheduler } = createProcess(() => ({}))
  process.start()
  const own = (): number => process.now().monoMs - 1_000
  process.drift(2)
  scheduler.runUntil(100)
  expect(own()).toBe(200)
  process.drift(0.5)
  scheduler.runUntil(200)
  expect(own()).toBe(250)
})

test.each([
  { rate: 2, rings: [50] },
  { rate: 0.5, rings: [200] },
  { rate: 1.003, rings: [100] },
])('a timer of 100 ms on a clock of rate $rate', ({ rate, rings }) => {
  const found: number[] = []
  const world = createProcess((self) => ({
    wake: () => found.push(world.scheduler.nowMs, self.now().monoMs),
    nextWakeUpMs: () => (found.length === 0 ? 1_100 : undefined),
  }))
  world.process.start()
  world.process.drift(rate)
  world.scheduler.runUntil(1_000)
  expect(found).toEqual([...rings, 1_100])
})
