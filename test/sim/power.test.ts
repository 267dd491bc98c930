import { expect, test } from 'vitest'
import { connect, connected, createNetwork, listen, PORT, Witness } from './support.ts'

type World = ReturnType<typeof createNetwork>
type Connected = ReturnType<typeof connected>

/** The host of the accepting side loses power. */
function losePower(world: World, { accepted }: Connected): void {
  world.network.unlisten(world.b, PORT)
  accepted.vanish(() => world.b.ip === accepted.ends.localHost)
  world.network.setPower(world.b, false)
}

test('nobody is told when a host loses power', () => {
  const world = createNetwork()
  const ends = connected(world)
  losePower(world, ends)
  ends.socket.write('anybody there?')
  world.scheduler.runUntil(600_000)
  expect(ends.client.notes).toEqual(['10 connected'])
})

test('what it had on the wire when the power went still arrives', () => {
  const world = createNetwork()
  const ends = connected(world)
  ends.accepted.write('last words')
  losePower(world, ends)
  world.scheduler.runUntil(1_000)
  expect(ends.client.notes.slice(1)).toEqual(['15 received last words'])
})

test('what its kernel kept back is gone with it', () => {
  const world = createNetwork()
  const ends = connected(world)
  world.rewire(() => world.reachability.partition([['a'], ['b']]))
  ends.accepted.write('kept')
  losePower(world, ends)
  world.network.setPower(world.b, true)
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(60_000)
  expect(ends.client.notes).toEqual(['10 connected'])
})

test('a host without power does not even refuse', () => {
  const world = createNetwork()
  world.network.setPower(world.b, false)
  const { client } = connect(world, 2_500)
  world.scheduler.runUntil(10_000)
  expect(client.notes).toEqual(['2500 connection timed out'])
})

test('a host that is back resets an old connection with the next retransmission', () => {
  const world = createNetwork()
  const ends = connected(world)
  losePower(world, ends)
  ends.socket.write('x')
  world.scheduler.runUntil(1_000)
  world.network.setPower(world.b, true)
  world.scheduler.runUntil(60_000)
  // First sent at 10 ms; retransmitted after 0.2, 0.4 and 0.8 s, and 10 ms for the answer.
  expect(ends.client.notes.slice(1)).toEqual(['1420 connection reset'])
})

test('what was on the wire to it is sent again too, and answered so', () => {
  const world = createNetwork()
  const ends = connected(world)
  ends.socket.write('x')
  losePower(world, ends)
  world.network.setPower(world.b, true)
  world.scheduler.runUntil(60_000)
  expect(ends.client.notes.slice(1)).toEqual(['220 connection reset'])
})

test('an old connection that is silent learns nothing until it speaks', () => {
  const world = createNetwork()
  const ends = connected(world)
  losePower(world, ends)
  world.network.setPower(world.b, true)
  world.scheduler.runUntil(60_000)
  expect(ends.client.notes).toEqual(['10 connected'])
  ends.socket.write('x')
  world.scheduler.runUntil(120_000)
  expect(ends.client.notes.slice(1)).toEqual(['60010 connection reset'])
})

test('who goes on sending hears the reset as soon as who sends once', () => {
  const world = createNetwork()
  const ends = connected(world)
  losePower(world, ends)
  world.network.setPower(world.b, true)
  for (let number = 0; number < 50; number++) {
    world.scheduler.at(100 + number, () => ends.socket.write('x'))
  }
  world.scheduler.runUntil(1_000)
  expect(ends.client.notes.slice(1)).toEqual(['110 connection reset'])
})

test('the reset of a host that is back waits for a way that is cut', () => {
  const world = createNetwork()
  const ends = connected(world)
  losePower(world, ends)
  world.network.setPower(world.b, true)
  world.rewire(() => world.reachability.cut('b', 'a'))
  ends.socket.write('x')
  world.scheduler.runUntil(5_000)
  expect(ends.client.notes).toEqual(['10 connected'])
  world.rewire(() => world.reachability.heal())
  world.scheduler.runUntil(6_000)
  expect(ends.client.notes.at(-1)).toMatch(/connection reset$/)
})

test('two hosts that lost power together do not answer each other for ever', () => {
  const world = createNetwork()
  const ends = connected(world)
  ends.socket.write('forth')
  ends.accepted.write('back')
  losePower(world, ends)
  ends.socket.vanish(() => true)
  world.network.setPower(world.b, true)
  world.scheduler.runUntil(60_000)
  expect(ends.client.notes).toEqual(['10 connected'])
})

test('nobody is at the old address of a host that has moved', () => {
  const world = createNetwork()
  const ends = connected(world)
  const oldIp = world.b.ip
  losePower(world, ends)
  ends.socket.write('x')
  world.network.readdress(world.b)
  world.network.setPower(world.b, true)
  listen(world)
  const late = new Witness(world.scheduler)
  const to = { from: world.a, host: oldIp, port: PORT, timeoutMs: 5_000 }
  world.network.connect({ ...to, owner: late, handler: late.handler() })
  const { client } = connect(world)
  world.scheduler.runUntil(600_000)
  expect(ends.client.notes).toEqual(['10 connected'])
  expect(late.notes).toEqual(['5010 connection timed out'])
  expect(client.notes).toEqual(['20 connected'])
})

test('a request on its way to a host that moves is not answered at the new address', () => {
  const world = createNetwork()
  const { client } = connect(world, 3_000)
  world.scheduler.runUntil(2)
  world.network.readdress(world.b)
  listen(world)
  world.scheduler.runUntil(10_000)
  expect(client.notes).toEqual(['3000 connection timed out'])
})

test('a reset is heard at both ends after the way, and what was on it is lost', () => {
  const world = createNetwork()
  const { client, server, socket, accepted } = connected(world)
  socket.write('lost')
  world.scheduler.runUntil(12)
  socket.reset()
  accepted.reset()
  socket.write('ignored')
  world.scheduler.runUntil(1_000)
  expect(client.notes).toEqual(['10 connected', '17 connection reset'])
  expect(server.notes).toEqual(['5 accepted', '17 connection reset'])
})
