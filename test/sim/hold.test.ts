import { expect, test } from 'vitest'
import { connect, connected, createNetwork, listen } from './support.ts'

test('what is held arrives in order, one way later than the release', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  socket.write('one ')
  world.scheduler.runUntil(500)
  socket.write('two')
  world.scheduler.runUntil(30_000)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(60_000)
  expect(server.notes).toEqual(['5 accepted', '30005 received one two'])
})

test('a hold keeps one direction only', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  accepted.write('heard')
  world.scheduler.runUntil(1_000)
  expect(client.notes).toEqual(['10 connected', '15 received heard'])
})

test('the end of a connection is held behind its bytes', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  socket.write('last words')
  socket.close()
  world.scheduler.runUntil(1_000)
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(2_000)
  expect(server.notes.slice(1)).toEqual([
    '1005 received last words',
    '1005 closed by the other side',
  ])
})

test.each([
  { from: 'a', to: 'b', connectedAt: 1_510 },
  // The request has arrived; only the answer waits.
  { from: 'b', to: 'a', connectedAt: 1_505 },
])('a connection asked for in a hold $from > $to stands right after the release', (hold) => {
  const world = createNetwork()
  const server = listen(world)
  world.rewire(() => world.reachability.hold(hold.from, hold.to))
  const { client } = connect(world)
  world.scheduler.runUntil(1_500)
  expect([...client.notes, ...server.notes]).toEqual([])
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(5_000)
  expect(client.notes).toEqual([`${hold.connectedAt} connected`])
})

test('a connection asked for in a hold times out like any other', () => {
  const world = createNetwork()
  listen(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  const { client } = connect(world, 2_000)
  world.scheduler.runUntil(3_000)
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(9_000)
  expect(client.notes).toEqual(['2000 connection timed out'])
})

test('what is held on a way that is cut meanwhile is lost and sent again', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  socket.write('x')
  world.scheduler.runUntil(100)
  world.rewire(() => world.reachability.cut('a', 'b'))
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(500)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(5_000)
  // First sent at 10 ms; retransmitted after 0.2 and 0.4 s.
  expect(server.notes).toEqual(['5 accepted', '615 received x'])
})

test('one heal of a hold and a cut does not bring back what the cut has swallowed', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  socket.write('x')
  world.rewire(() => world.reachability.cut('a', 'b'))
  world.scheduler.runUntil(100)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(5_000)
  expect(server.notes).toEqual(['5 accepted', '215 received x'])
})

test('a retransmission that meets a hold waits there', () => {
  const world = createNetwork()
  const { server, socket } = connected(world)
  world.rewire(() => world.reachability.cut('a', 'b'))
  socket.write('x')
  world.rewire(() => world.reachability.heal())
  world.rewire(() => world.reachability.hold('a', 'b'))
  world.scheduler.runUntil(1_000)
  expect(server.notes).toEqual(['5 accepted'])
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(5_000)
  expect(server.notes).toEqual(['5 accepted', '1005 received x'])
})

test('acknowledgements are held as well, and go on with the release', () => {
  const world = createNetwork()
  const { client, accepted } = connected(world)
  world.rewire(() => world.reachability.hold('a', 'b'))
  for (let number = 0; number < 5; number++) {
    world.scheduler.at(1_000 * number + 100, () => accepted.write(`${number} `))
  }
  world.scheduler.runUntil(5_000)
  expect(client.notes.slice(1)).toEqual(['105 received 0 '])
  world.rewire(() => world.reachability.release())
  world.scheduler.runUntil(60_000)
  expect(client.notes.slice(2)).toEqual(['5010 received 1 2 3 4 '])
})

test('a word that came another way leaves nothing behind that would keep later losses', () => {
  const world = createNetwork()
  const { client, socket, accepted } = connected(world)
  world.rewire(() => world.conditions.shape('a', 'b', { loss: 1 }))
  accepted.write('one ')
  world.scheduler.runUntil(100)
  world.rewire(() => world.reachability.hold('b', 'a'))
  world.rewire(() => world.conditions.heal())
  // A retransmission is held; a segment of the other direction brings the word.
  world.scheduler.runUntil(1_000)
  socket.write('back')
  world.scheduler.runUntil(1_100)
  world.rewire(() => world.reachability.release())
  world.rewire(() => world.conditions.shape('b', 'a', { loss: 0.5 }))
  for (let number = 0; number < 20; number++) accepted.write(`${number} `)
  world.scheduler.runUntil(120_000)
  const heard = client.notes.slice(2).map((note) => note.split('received ')[1] ?? '')
  expect(heard.join('')).toBe([...Array(20).keys()].map((number) => `${number} `).join(''))
})
