import { expect, test } from 'vitest'
import type { LinkShape } from '../../src/history/link-shape.ts'
import { connect, connected, createNetwork, listen, type Witness } from '../sim/support.ts'

const LOSS = 1

type World = ReturnType<typeof createNetwork>

function shape(world: World, from: string | undefined, to: string | undefined, how: LinkShape) {
  world.rewire(() => world.conditions.shape(from, to, how))
}

/** What arrived, without `accepted`. */
function arrivals({ notes }: Witness): string[] {
  return notes.slice(1)
}

test('a longer way delays one direction, and what is sent from now on', () => {
  const world = createNetwork()
  const { client, server, socket, accepted } = connected(world)
  socket.write('before')
  shape(world, 'a', 'b', { latencyMs: 50 })
  socket.write(' after')
  accepted.write('back')
  world.scheduler.runUntil(1_000)
  expect(arrivals(server)).toEqual(['15 received before', '60 received  after'])
  expect(arrivals(client)).toEqual(['15 received back'])
})

test('a way that becomes shorter lets nothing overtake what was sent before', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { latencyMs: 50 })
  socket.write('one')
  world.rewire(() => world.conditions.heal())
  socket.write(' two')
  world.scheduler.runUntil(1_000)
  expect(arrivals(server)).toEqual(['60 received one two'])
})

test('an empty shape is the way as it was', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { latencyMs: 50 })
  shape(world, 'a', 'b', {})
  socket.write('x')
  world.scheduler.runUntil(1_000)
  expect(arrivals(server)).toEqual(['15 received x'])
})

test('a lost segment comes 200 ms late, and what was sent behind it waits', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  // Only the first of the two is sent while the way loses.
  shape(world, 'a', 'b', { loss: LOSS })
  socket.write('one')
  world.rewire(() => world.conditions.heal())
  world.scheduler.at(100, () => socket.write(' two'))
  world.scheduler.runUntil(1_000)
  expect(arrivals(server)).toEqual(['215 received one two'])
})

test('each further loss doubles the wait', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { loss: LOSS })
  socket.write('x')
  world.scheduler.at(500, () => world.rewire(() => world.conditions.heal()))
  world.scheduler.runUntil(2_000)
  // First sent at 10 ms, again 200 and 600 ms later.
  expect(arrivals(server)).toEqual(['615 received x'])
})

test('a lost connection request is sent again after a second, then after two', () => {
  const world = createNetwork()
  listen(world)
  shape(world, 'a', 'b', { loss: LOSS })
  const { client } = connect(world)
  world.scheduler.at(1_500, () => world.rewire(() => world.conditions.heal()))
  world.scheduler.runUntil(10_000)
  expect(client.notes).toEqual(['3010 connected'])
})

test('a lost answer to a connection request delays it as much', () => {
  const world = createNetwork()
  const server = listen(world)
  shape(world, 'b', 'a', { loss: LOSS })
  const { client } = connect(world)
  world.scheduler.at(500, () => world.rewire(() => world.conditions.heal()))
  world.scheduler.runUntil(10_000)
  expect(client.notes).toEqual(['1010 connected'])
  expect(server.notes).toEqual(['1005 accepted'])
})

test('what is lost in part arrives as a whole, in order', () => {
  const world = createNetwork(3)
  const { server, socket } = connected(world)
  shape(world, undefined, undefined, { loss: 0.3, duplication: 0.3, jitterMs: 20 })
  const numbers = [...Array(200).keys()].map((number) => `${number},`)
  numbers.forEach((text, index) => {
    world.scheduler.at(100 + 10 * index, () => socket.write(text))
  })
  world.scheduler.runUntil(600_000)
  const texts = arrivals(server).map((note) => note.split('received ')[1])
  expect(texts.join('')).toBe(numbers.join(''))
  expect(texts.length).toBeLessThan(200)
})

test('a loss of everything is silence until it ends', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { loss: 1 })
  socket.write('x')
  world.scheduler.runUntil(60_000)
  expect(arrivals(server)).toEqual([])
  world.rewire(() => world.conditions.heal())
  world.scheduler.runUntil(120_000)
  expect(arrivals(server).length).toBe(1)
})

test('a slow link sends one segment after the other, of all connections', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  const second = connect(world)
  world.scheduler.runUntil(20)
  shape(world, 'a', 'b', { bytesPerSecond: 1_000 })
  socket.write('x'.repeat(50))
  second.socket.write('y'.repeat(50))
  world.scheduler.runUntil(1_000)
  const times = server.notes.filter((note) => note.includes('received')).map(Number.parseFloat)
  // 50 bytes take 50 ms; then 5 ms of way.
  expect(times).toEqual([75, 125])
})

test('the directions of a slow link do not share its bandwidth', () => {
  const world = createNetwork()
  const { client, socket, accepted } = connected(world)
  shape(world, 'a', 'b', { bytesPerSecond: 1_000 })
  socket.write('x'.repeat(500))
  accepted.write('y')
  world.scheduler.runUntil(1_000)
  expect(arrivals(client)).toEqual(['15 received y'])
})

test('what comes to a full queue is dropped, and sent again until it finds room', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { bytesPerSecond: 1_000 })
  // 2.5 s of link: the queue is full before the second write.
  socket.write('x'.repeat(2_500))
  socket.write('y')
  world.scheduler.runUntil(9_000)
  expect(arrivals(server).length).toBe(2)
  // Dropped at 10 ms, and again 0.2, 0.6 and 1.4 s later, when the queue still held 1.1 s.
  expect(arrivals(server).at(-1)).toBe('3016 received y')
})

test('a segment that comes twice takes the link twice and is read once', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  shape(world, 'a', 'b', { bytesPerSecond: 1_000, duplication: 1 })
  socket.write('x'.repeat(10))
  world.scheduler.runUntil(11)
  socket.write('y'.repeat(10))
  world.scheduler.runUntil(1_000)
  const [first, second] = arrivals(server).map(Number.parseFloat)
  expect([first, second]).toEqual([25, 45])
})
