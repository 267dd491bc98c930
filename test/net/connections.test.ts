import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ConnectionOptions, Connections } from '../../src/io/network/connections.ts'
import { Gate } from '../../src/io/network/demo-partition.ts'
import { listen } from '../../src/io/network/listener.ts'
import { freePorts } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A listener whose connections get the ids 1, 2, …, and a note of all that happens to them. */
async function served(options: ConnectionOptions = {}, hear = () => {}) {
  const events: string[] = []
  /** How many events there were when each round was settled. */
  const rounds: number[] = []
  const connections = new Connections(
    {
      received: (id, bytes) => {
        events.push(`${id} received ${bytes}`)
        hear()
      },
      settled: () => void rounds.push(events.length),
      closed: (id, reason) => events.push(`${id} closed: ${reason}`),
    },
    options,
  )
  const sockets: Socket[] = []
  const admit = (socket: Socket) => {
    sockets.push(socket)
    connections.add(sockets.length, socket)
    events.push(`${sockets.length} accepted`)
  }
  const server: Server = createServer((socket) => {
    if (options.gate === undefined) admit(socket)
    else options.gate.admit(socket, () => admit(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  cleanups.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { connections, events, port, rounds, server }
}

async function client(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  const seen = { pieces: [] as string[], hasEnded: false }
  socket.on('data', (chunk) => seen.pieces.push(chunk.toString('latin1')))
  socket.on('end', () => {
    seen.hasEnded = true
  })
  socket.on('error', () => undefined)
  cleanups.push(() => socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, seen }
}

test('bytes arrive as they were sent, every value of a byte', async () => {
  const { connections, events, port } = await served()
  const { socket, seen } = await client(port)
  const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')
  socket.write(all, 'latin1')
  await until(() => events.includes(`1 received ${all}`))
  connections.write(1, all)
  await until(() => seen.pieces.join('') === all)
})

test('what is written in one turn leaves in one piece', async () => {
  const { connections, events, port } = await served()
  const { seen } = await client(port)
  await until(() => events.length === 1)
  for (const text of ['+A\r\n', '+B\r\n', '+C\r\n']) connections.write(1, text)
  await until(() => seen.pieces.length > 0)
  expect(seen.pieces).toEqual(['+A\r\n+B\r\n+C\r\n'])
})

test('what turns in a row write leaves in one piece, before any timer', async () => {
  const { connections, events, port } = await served()
  const { seen } = await client(port)
  await until(() => events.length === 1)
  connections.write(1, '+A\r\n')
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(connections.queuedBytes(1)).toBe(4)
  connections.write(1, '+B\r\n')
  await until(() => seen.pieces.length > 0)
  expect(seen.pieces).toEqual(['+A\r\n+B\r\n'])
})

test.each([
  { others: 64, bytes: 4, waits: false },
  { others: 63, bytes: 4, waits: true },
  { others: 2, bytes: 16 * 1024, waits: false },
  { others: 2, bytes: 16 * 1024 - 1, waits: true },
])(
  'with $others answers of $bytes bytes, the first waits for more sockets: $waits',
  async (given) => {
    const waiting: boolean[] = []
    const { connections, events, port } = await served({}, () => {
      if (events.at(-1) === '2 received later') waiting.push(connections.queuedBytes(3) > 0)
      else
        for (let id = 3; id < 3 + given.others; id++) connections.write(id, 'x'.repeat(given.bytes))
    })
    const [first, second] = [await client(port), await client(port)]
    for (let other = 0; other < given.others; other++) await client(port)
    await until(() => events.length === 2 + given.others)
    // Both are read in one round of the event loop.
    first.socket.write('publish')
    second.socket.write('later')
    await until(() => waiting.length > 0)
    expect(waiting).toEqual([given.waits])
  },
)

test('what was read in one round comes together, and what a client sent comes before its end', async () => {
  const { events, port, rounds } = await served()
  const [first, second] = [await client(port), await client(port)]
  await until(() => events.length === 2)
  first.socket.end('last words')
  second.socket.write('still here')
  await until(() => events.some((text) => text.includes('closed')))
  expect(events.slice(2)).toEqual([
    '1 received last words',
    '2 received still here',
    '1 closed: closed by the other side',
  ])
  expect(rounds).toEqual([4])
})

test('answers leave although an application has replaced its timers', async () => {
  const { connections, events, port } = await served()
  const { socket } = await client(port)
  await until(() => events.length === 1)
  const answered = new Promise((resolve) => socket.once('data', resolve))
  // `until` would move them.
  vi.useFakeTimers({ toFake: ['setImmediate'] })
  cleanups.push(() => vi.useRealTimers())
  connections.write(1, '+A\r\n')
  await answered
})

test('who sends without end is read in turns, so that others are heard between', async () => {
  const { events, port } = await served()
  const talkers = await Promise.all(Array.from({ length: 8 }, () => client(port)))
  const piece = 'x'.repeat(4 * 1024 * 1024)
  let [turn, taken, most] = [0, 0, 0]
  const counting = () => {
    const bytes = events.splice(0).reduce((sum, text) => sum + text.length, 0)
    taken += bytes
    // In the first turn nobody has said anything yet, and everybody may.
    if (turn++ > 0) most = Math.max(most, bytes)
    if (taken < talkers.length * piece.length) setImmediate(counting)
  }
  for (const { socket } of talkers) socket.write(piece, 'latin1')
  setImmediate(counting)
  await until(() => taken >= talkers.length * piece.length)
  expect(most).toBeLessThan(1024 * 1024)
})

test('a client that is sending a long value is read in long pieces', async () => {
  const lengths: number[] = []
  let awaited = 4_000_000
  const connections = new Connections({
    received: (_id, { length }) => {
      lengths.push(length)
      awaited -= length
    },
    awaitedBytes: () => awaited,
    closed: () => undefined,
  })
  const server = createServer((socket) => connections.add(1, socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const { socket } = await client((server.address() as AddressInfo).port)
  socket.write('x'.repeat(awaited))
  await until(() => awaited === 0)
  expect(Math.max(...lengths)).toBeGreaterThan(64 * 1024)
  connections.abandon()
})

test('closing sends everything written before it, and tells nothing', async () => {
  const { connections, events, port } = await served()
  const { seen } = await client(port)
  await until(() => events.length === 1)
  const large = 'x'.repeat(8 * 1024 * 1024)
  connections.write(1, large)
  connections.close(1)
  expect(connections.has(1)).toBe(false)
  await until(() => seen.hasEnded)
  expect(seen.pieces.join('').length).toBe(large.length)
  expect(events).toEqual(['1 accepted'])
})

test('a peer that leaves still gets what was answered', async () => {
  const { connections, events, port } = await served()
  const { socket, seen } = await client(port)
  await until(() => events.length === 1)
  connections.write(1, '+OK\r\n')
  socket.end()
  await until(() => seen.hasEnded)
  expect(seen.pieces).toEqual(['+OK\r\n'])
  await until(() => events.includes('1 closed: closed by the other side'))
})

test('a reset is told once, as a closed connection', async () => {
  const { events, port } = await served()
  const { socket } = await client(port)
  await until(() => events.length === 1)
  socket.resetAndDestroy()
  await until(() => events.length === 2)
  expect(events).toEqual(['1 accepted', '1 closed: ECONNRESET'])
})

test('output that is not read is counted', async () => {
  const { connections, events, port } = await served()
  const { socket } = await client(port)
  await until(() => events.length === 1)
  socket.pause()
  const chunk = 'x'.repeat(1024 * 1024)
  for (let sent = 0; sent < 64; sent++) connections.write(1, chunk)
  expect(connections.queuedBytes(1)).toBeGreaterThan(16 * 1024 * 1024)
})

test('a peer that does not read is dropped at the limit', async () => {
  const { connections, events, port } = await served({ maxQueuedBytes: 1024 * 1024 })
  const { socket } = await client(port)
  await until(() => events.length === 1)
  socket.pause()
  const chunk = 'x'.repeat(1024 * 1024)
  for (let sent = 0; sent < 64; sent++) connections.write(1, chunk)
  expect(events).toEqual(['1 accepted', '1 closed: it does not read what it is sent'])
  expect(connections.queuedBytes(1)).toBe(0)
})

const hasOtherLoopback = process.platform === 'linux'

test.skipIf(!hasOtherLoopback)(
  'a gate holds what members send and hear, and loses nothing',
  async () => {
    const gate = new Gate((host) => host === '127.0.0.9')
    const { connections, events, port } = await served({ gate })
    const member = await client(port, '127.0.0.9')
    const plain = await client(port)
    await until(() => events.length === 2)
    gate.cut()
    member.socket.write('from member')
    plain.socket.write('from client')
    for (const id of [1, 2]) connections.write(id, `to ${id}`)
    await until(() => events.length === 3 && plain.seen.pieces.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 30))
    const [memberId, plainId] = events[2]?.startsWith('1') ? [2, 1] : [1, 2]
    expect(events[2]).toBe(`${plainId} received from client`)
    expect(member.seen.pieces).toEqual([])
    gate.heal()
    await until(() => member.seen.pieces.length === 1)
    expect(member.seen.pieces).toEqual([`to ${memberId}`])
    await until(() => events.includes(`${memberId} received from member`))
  },
)

test.skipIf(!hasOtherLoopback)(
  'a member that connects while cut off is not heard until healed',
  async () => {
    const gate = new Gate((host) => host === '127.0.0.9')
    const { events, port } = await served({ gate })
    gate.cut()
    const member = await client(port, '127.0.0.9')
    member.socket.write('hello')
    await client(port)
    await until(() => events.length === 1)
    gate.heal()
    await until(() => events.length === 3)
    expect(events).toEqual(['1 accepted', '2 accepted', '2 received hello'])
  },
)

test.skipIf(!hasOtherLoopback)(
  'a connection closed while cut off ends only when healed',
  async () => {
    const gate = new Gate((host) => host === '127.0.0.9')
    const { connections, events, port } = await served({ gate })
    const member = await client(port, '127.0.0.9')
    await until(() => events.length === 1)
    gate.cut()
    connections.write(1, 'last words')
    connections.close(1)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(member.seen).toEqual({ pieces: [], hasEnded: false })
    gate.heal()
    await until(() => member.seen.hasEnded)
    expect(member.seen.pieces).toEqual(['last words'])
  },
)

test('a listener keeps connections until somebody takes them', async () => {
  const [port] = (await freePorts(1)) as [number]
  const listener = await listen({ addresses: ['127.0.0.1', '-::1'], port })
  cleanups.push(() => listener.close())
  const { seen } = await client(port)
  listener.accept((socket) => socket.end('welcome'))
  await until(() => seen.hasEnded)
  expect(seen.pieces).toEqual(['welcome'])
})

test('an optional address that does not exist is passed over, but not all of them', async () => {
  const [port] = (await freePorts(1)) as [number]
  const listener = await listen({ addresses: ['-192.0.2.1', '127.0.0.1'], port })
  cleanups.push(() => listener.close())
  await client(port)
  await expect(listen({ addresses: ['-192.0.2.1'], port })).rejects.toMatchObject({
    code: 'E_ADDRESS_UNAVAILABLE',
  })
})

test('a held connection is not read until its peer has taken what it was sent', async () => {
  const { connections, events, port } = await served()
  const { socket, seen } = await client(port)
  await until(() => events.includes('1 accepted'))
  socket.pause()
  connections.write(1, 'x'.repeat(8 * 1024 * 1024))
  connections.holdUntilDrained(1, () => events.push('1 drained'))
  socket.write('more')
  connections.write(1, 'y')
  expect(events).toEqual(['1 accepted'])
  socket.resume()
  await until(() => events.includes('1 received more'))
  expect(events).toEqual(['1 accepted', '1 drained', '1 received more'])
  await until(() => seen.pieces.join('').endsWith('y'))
})

test('a paused connection keeps what is sent to it with the kernel', async () => {
  const { connections, events, port } = await served()
  const { socket } = await client(port)
  const other = await client(port)
  await until(() => events.includes('2 accepted'))
  connections.pauseReading(1)
  await new Promise<void>((resolve) => void socket.write('later', () => resolve()))
  other.socket.write('meanwhile')
  await until(() => events.includes('2 received meanwhile'))
  expect(events).not.toContain('1 received later')
  connections.resumeReading()
  await until(() => events.includes('1 received later'))
})

test('what has arrived before a connection is taken over is not lost', async () => {
  const events: string[] = []
  const connections = new Connections({
    received: (id, bytes) => events.push(`${id} received ${bytes}`),
    closed: (id, reason) => events.push(`${id} closed: ${reason}`),
  })
  const waiting: Socket[] = []
  const server = createServer((socket) => waiting.push(socket)).listen(0, '127.0.0.1')
  cleanups.push(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { socket } = await client((server.address() as AddressInfo).port)
  socket.write('early')
  await until(() => (waiting[0]?.readableLength ?? 0) > 0)
  connections.add(1, waiting[0] as Socket)
  await until(() => events.includes('1 received early'))
  socket.end()
  await until(() => events.includes('1 closed: closed by the other side'))
})

test('a server that closes waits for connections that were taken over', async () => {
  const { connections, events, port, server } = await served()
  const { socket } = await client(port)
  await until(() => events.includes('1 accepted'))
  let hasClosed = false
  server.close(() => {
    hasClosed = true
  })
  socket.write('still here')
  await until(() => events.includes('1 received still here'))
  expect(hasClosed).toBe(false)
  connections.close(1)
  await until(() => hasClosed)
})

test('where all together do not take what they are sent, those with most are dropped', async () => {
  const maxTotalBytes = 16 * 1024 * 1024
  const { connections, events, port } = await served({ maxTotalBytes })
  for (let n = 0; n < 3; n++) (await client(port)).socket.pause()
  await until(() => events.includes('3 accepted'))
  connections.write(1, 'x'.repeat(1024 * 1024))
  connections.write(2, 'x'.repeat(16 * 1024 * 1024))
  connections.write(3, 'x'.repeat(14 * 1024 * 1024))
  expect(events.filter((line) => line.includes('closed'))).toEqual([
    '2 closed: all clients together do not read what they are sent, and it least',
  ])
})

describe.skipIf(!existsSync('/usr/bin/ss'))('the queue of a listener (needs ss)', () => {
  test.each([
    [undefined, 4096],
    [37, 37],
    [0, 1],
  ])('tcp-backlog %s lets %i connections wait, on a Unix socket too', async (backlog, expected) => {
    const [port] = (await freePorts(1)) as [number]
    const path = join(scratchFolder('backlog'), 'node.sock')
    const unix = { path, mode: 0 }
    const listener = await listen({ addresses: ['127.0.0.1'], port, unix, backlog })
    cleanups.push(() => listener.close())
    const lines = execFileSync('/usr/bin/ss', ['-ltxnH', '-A', 'inet,unix'], { encoding: 'utf8' })
    const limits = lines
      .split('\n')
      .filter((line) => line.includes(`127.0.0.1:${port} `) || line.includes(`${path} `))
      .map((line) => Number(/LISTEN +\d+ +(\d+)/.exec(line)?.[1]))
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
    expect(limits).toEqual([expected, expected].map((limit) => Math.min(limit, most)))
  })
})
