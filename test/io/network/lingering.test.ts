/** The sockets are stand-ins that only stream: nothing here listens. */
import type { Socket } from 'node:net'
import { Duplex, type DuplexOptions } from 'node:stream'
import { expect, test } from 'vitest'
import { Lingering } from '../../../src/io/network/connections.ts'

/** A peer that takes everything and never ends its side. */
function silentPeer(): Socket {
  const stream = new Duplex({
    allowHalfOpen: true,
    read: () => undefined,
    write: (_bytes, _encoding, done) => done(),
  })
  return Object.assign(stream, { connecting: false }) as unknown as Socket
}

/** A peer that has sent its end, which was read. */
function endedPeer(write: DuplexOptions['write']): Socket {
  const stream = new Duplex({ allowHalfOpen: true, read: () => undefined, ...(write && { write }) })
  stream.push(null)
  stream.resume()
  return Object.assign(stream, { connecting: false }) as unknown as Socket
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('of those that were told everything only the latest are kept', async () => {
  const lingering = new Lingering()
  const sockets = Array.from({ length: 100 }, silentPeer)
  for (const socket of sockets) {
    socket.write('-ERR max number of clients reached\r\n')
    lingering.end(socket)
  }
  await settled()
  expect(sockets.filter(({ destroyed }) => !destroyed)).toEqual(sockets.slice(-32))
  for (const socket of sockets) socket.destroy()
})

test('who has ended its side, and was told everything, is closed at once', async () => {
  const socket = endedPeer((_bytes, _encoding, done) => done())
  const reading = endedPeer(() => undefined)
  await settled()
  const lingering = new Lingering()
  for (const one of [socket, reading]) {
    one.write('+OK\r\n')
    lingering.end(one)
  }
  expect([socket.destroyed, reading.destroyed]).toEqual([true, false])
  reading.destroy()
})

test('who still has something to read is not cut off for others', async () => {
  const lingering = new Lingering()
  const slow = new Duplex({ allowHalfOpen: true, read: () => undefined, write: () => undefined })
  const reader = Object.assign(slow, { connecting: false }) as unknown as Socket
  reader.write('a long reply')
  lingering.end(reader)
  const others = Array.from({ length: 100 }, silentPeer)
  for (const socket of others) lingering.end(socket)
  await settled()
  expect(reader.destroyed).toBe(false)
  for (const socket of [reader, ...others]) socket.destroy()
})
