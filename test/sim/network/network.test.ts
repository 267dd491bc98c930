import { expect, test } from 'vitest'
import { connect, connected, createNetwork, listen, PORT, Witness } from '../support.ts'

test('a connection stands after one round trip', () => {
  const { client, server } = connected(createNetwork())
  expect(server.notes).toEqual(['5 accepted'])
  expect(client.notes).toEqual(['10 connected'])
})

test('each side knows the address of the other', () => {
  const { socket, accepted } = connected(createNetwork())
  expect(socket.ends.remoteHost).toBe(accepted.ends.localHost)
  expect(accepted.ends.remotePort).toBe(socket.ends.localPort)
})

test('a living host refuses a port nobody listens on', () => {
  const world = createNetwork()
  const { client } = connect(world)
  world.scheduler.runUntil(100)
  expect(client.notes).toEqual(['10 connection refused'])
})

test('a connection into a partition times out in silence', () => {
  const world = createNetwork()
  listen(world)
  world.reachability.partition([['a'], ['b']])
  const { client } = connect(world, 2_000)
  world.scheduler.runUntil(10_000)
  expect(client.notes).toEqual(['2000 connection timed out'])
})

test('a connection asked for in a partition is tried again until it heals', () => {
  const world = createNetwork()
  listen(world)
  world.reachability.partition([['a'], ['b']])
  const { client } = connect(world)
  world.scheduler.runUntil(1_500)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(10_000)
  // Attempts at 0, 1 and 3 s.
  expect(client.notes).toEqual(['3010 connected'])
})

test('an address outside the world swallows what is sent there', () => {
  const world = createNetwork()
  const client = new Witness(world.scheduler)
  const handler = client.handler()
  const to = { from: world.a, host: '192.0.2.1', port: PORT, timeoutMs: 500 }
  world.network.connect({ ...to, owner: client, handler })
  world.scheduler.runUntil(1_000)
  expect(client.notes).toEqual(['500 connection timed out'])
})

test('bytes arrive in order whatever the jitter', () => {
  const world = createNetwork(20)
  const { server, socket } = connected(world)
  for (let number = 0; number < 50; number++) {
    world.scheduler.at(100 + number, () => socket.write(`${number},`))
  }
  world.scheduler.runUntil(1_000)
  const bytes = server.notes.map((note) => note.split('received ')[1] ?? '').join('')
  expect(bytes).toBe([...Array(50).keys()].map((number) => `${number},`).join(''))
})

test('bytes sent into a partition arrive after it heals, and once', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  socket.write('one ')
  world.scheduler.runUntil(500)
  socket.write('two')
  world.scheduler.runUntil(1_000)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(10_000)
  // First sent at 10 ms; retransmitted after 0.2, 0.4 and 0.8 s.
  expect(server.notes).toEqual(['5 accepted', '1415 received one two'])
})

test('what is on the wire when a partition begins still arrives', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  socket.write('just in time')
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  world.scheduler.runUntil(1_000)
  expect(server.notes).toContain('15 received just in time')
})

test('a heal that does not last delivers nothing', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  socket.write('late')
  world.scheduler.runUntil(1_000)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(1_100)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  world.scheduler.runUntil(60_000)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(120_000)
  expect(server.notes.length).toBe(2)
})

test('a one-way cut holds one direction and lets the other pass', () => {
  const world = createNetwork()
  const { client, server, socket, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  socket.write('held')
  accepted.write('heard')
  world.scheduler.runUntil(1_000)
  expect(server.notes).toEqual(['5 accepted'])
  expect(client.notes).toEqual(['10 connected', '15 received heard'])
})

test('behind what is not acknowledged a few segments follow, and then nothing', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  for (let number = 0; number < 50; number++) {
    world.scheduler.at(100 + 2 * number, () => accepted.write(`${number} `))
  }
  world.scheduler.runUntil(60_000)
  expect(client.notes.slice(1)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${105 + 2 * number} received ${number} `),
  )
})

test.each([
  // One alone is probed for, and then sent again; several only once.
  { everyMs: 1_000, arrive: 1 },
  { everyMs: 300, arrive: 2 },
  { everyMs: 100, arrive: 3 },
  { everyMs: 50, arrive: 5 },
])('of messages every $everyMs ms $arrive arrive whose acknowledgements are cut off', (row) => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  for (let number = 0; number < 20; number++) {
    world.scheduler.at(100 + row.everyMs * number, () => accepted.write(`${number} `))
  }
  world.scheduler.runUntil(60_000)
  expect(client.notes.slice(1).length).toBe(row.arrive)
})

test('what an unacknowledged connection kept leaves when a retransmission is answered', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  accepted.write('one ')
  world.scheduler.at(1_000, () => accepted.write('two '))
  world.scheduler.runUntil(2_000)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(60_000)
  // Arrived at 15; sent again 0.2, 0.4, 0.8 and 1.6 s later; one round trip, and one way.
  expect(client.notes.slice(1)).toEqual(['15 received one ', '3030 received two '])
})

test('a segment of the other direction acknowledges as well', () => {
  const world = createNetwork()
  const { client, socket, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  accepted.write('one ')
  world.scheduler.at(1_000, () => accepted.write('two '))
  world.scheduler.runUntil(1_500)
  world.rewire(() => world.reachability.heal())
  socket.write('back')
  world.scheduler.runUntil(60_000)
  expect(client.notes.slice(1)).toEqual(['15 received one ', '1510 received two '])
})

test('the end of a stream waits behind what is not acknowledged', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  accepted.write('one ')
  world.scheduler.runUntil(1_000)
  accepted.close()
  world.scheduler.runUntil(2_000)
  expect(client.notes.at(-1)).toBe('15 received one ')
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(60_000)
  expect(client.notes.at(-1)).toBe('3030 closed by the other side')
})

test('a way that loses everything carries no acknowledgement', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.conditions.shape('a', 'b', { loss: 1 }))
  for (let number = 0; number < 5; number++) {
    world.scheduler.at(1_000 * number + 100, () => accepted.write(`${number} `))
  }
  world.scheduler.runUntil(10_000)
  expect(client.notes.slice(1)).toEqual(['105 received 0 '])
  world.rewire(() => world.conditions.heal())
  world.scheduler.runUntil(20_000)
  expect(client.notes.slice(2)).toEqual(['12720 received 1 2 3 4 '])
})

test('closing delivers what was written before', () => {
  const world = createNetwork()
  const { client, server, socket } = connected(world)
  socket.write('last words')
  socket.close()
  world.scheduler.runUntil(1_000)
  expect(server.notes.slice(1)).toEqual(['15 received last words', '15 closed by the other side'])
  expect(client.notes).toEqual(['10 connected'])
})

test('a side that closes its half is still told what comes, and sends no more', () => {
  const world = createNetwork()
  const { client, server, socket, accepted } = connected(world)
  socket.write('question')
  socket.closeSending()
  socket.write('too late')
  world.scheduler.at(12, () => accepted.write('answer'))
  world.scheduler.runUntil(1_000)
  // The witness knows no halves, so for it this is the end.
  expect(server.notes.slice(1)).toEqual(['15 received question', '15 closed by the other side'])
  expect(client.notes.slice(1)).toEqual(['17 received answer', '20 closed by the other side'])
})

test('nothing is heard on a connection after closing it', () => {
  const world = createNetwork()
  const { client, socket, accepted } = connected(world)
  accepted.write('too late')
  socket.close()
  world.scheduler.runUntil(1_000)
  expect(client.notes).toEqual(['10 connected'])
})

test('the end of a connection waits for the heal too', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  socket.close()
  world.scheduler.runUntil(1_000)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(5_000)
  expect(server.notes.at(-1)).toBe('1415 closed by the other side')
})

test('a writer sees a queue once the kernels are full', () => {
  const world = createNetwork()
  const { socket } = connected(world)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  socket.write('x'.repeat(256 * 1024))
  expect(socket.queuedBytes).toBe(0)
  socket.write('x'.repeat(1_000))
  expect(socket.queuedBytes).toBe(1_000)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(10_000)
  expect(socket.queuedBytes).toBe(0)
})
