/** A Sentinel's host on real sockets, with a disk that takes its time. */

import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL } from '../../src/core/config.ts'
import { bareLogger } from '../../src/io/log/bare-logger.ts'
import { readClock } from '../../src/io/process/clock.ts'
import { SentinelHost } from '../../src/io/sentinel-host.ts'
import { until } from '../support/until.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** Something that answers every command of a Sentinel with PONG, and counts the PINGs of its first connection. */
async function startMaster() {
  const pings: string[] = []
  let first: Socket | undefined
  const held: (() => void)[] = []
  const master = {
    ...{ pings, port: 0, holds: false },
    letGo() {
      master.holds = false
      for (const answer of held.splice(0)) answer()
    },
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const commands = chunk.toString('latin1').match(/\*\d+\r\n/g) ?? []
      const own = chunk.toString('latin1').match(/PING\r\n/g) ?? []
      if (own.length > 0) first ??= socket
      if (socket === first) pings.push(...own)
      const answer = () => socket.write('+PONG\r\n'.repeat(commands.length))
      if (master.holds) held.push(answer)
      else answer()
    })
  })
  master.port = await listening(server)
  return master
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Saves are done when `saved` is called. */
async function startSentinel(masterPort: number) {
  const saves: (() => void)[] = []
  const config = { ...DEFAULT_SENTINEL, protectedMode: false }
  const group = { ...DEFAULT_GROUP, name: 'm', host: '127.0.0.1', port: masterPort, quorum: 1 }
  const host = new SentinelHost({
    start: {
      config: { ...config, groups: [group] },
      saved: undefined,
      rng: createRng('host'),
      now: readClock(),
    },
    save: () => new Promise((resolve) => saves.push(resolve)),
    logger: bareLogger(),
    onExit: () => undefined,
  })
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    host.accept(socket)
  })
  cleanups.push(() => host.abandon())
  const port = await listening(server)
  const saved = () => {
    for (const done of saves.splice(0)) done()
  }
  return { port, saves, saved }
}

async function connected(port: number) {
  const socket = connect(port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  const client = { socket, text: '' }
  socket.on('data', (chunk) => {
    client.text += chunk.toString('latin1')
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  return client
}

test('a client is answered when its change is saved, and is read again afterwards', async () => {
  const { port, saves, saved } = await startSentinel((await startMaster()).port)
  await until(() => saves.length > 0)
  saved()
  const client = await connected(port)
  client.socket.write('SENTINEL SET m quorum 2\r\n')
  await until(() => saves.length > 0)
  expect(client.text).toBe('')
  client.socket.write('PING\r\n')
  saved()
  await until(() => client.text === '+OK\r\n+PONG\r\n')
  client.socket.write('PING\r\n')
  await until(() => client.text === '+OK\r\n+PONG\r\n+PONG\r\n')
})

test('what a master answers during a save is read afterwards, on the same connection', async () => {
  const master = await startMaster()
  const { port, saves, saved } = await startSentinel(master.port)
  await until(() => saves.length > 0)
  saved()
  await until(() => master.pings.length > 1)
  master.holds = true
  const client = await connected(port)
  const before = master.pings.length
  await until(() => master.pings.length > before)
  client.socket.write('SENTINEL SET m quorum 2\r\n')
  await until(() => saves.length > 0)
  master.letGo()
  // Time for the answer to come in while the save is still under way.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  saved()
  await until(() => client.text === '+OK\r\n')
  const after = master.pings.length
  await until(() => master.pings.length > after + 1)
})
