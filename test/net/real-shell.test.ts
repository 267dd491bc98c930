import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { RealShell, runProgram } from '../../src/engine/real-shell.ts'
import { kernelSurroundings } from '../../src/io/host-environment.ts'
import type { Shell } from '../../src/sim/processes/shell.ts'
import { until } from '../support/until.ts'

const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))

const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  for (const socket of sockets.splice(0)) socket.destroy()
})

test('every byte comes back as it was sent', async () => {
  const { heard, connect } = rig(await serve((socket) => socket.pipe(socket)))
  const connection = connect()
  await until(() => heard.includes('connected'))
  connection.write(EVERY_BYTE)
  await until(() => heard.slice(1).join('').length === 256)
  expect(heard.slice(1).join('')).toBe(EVERY_BYTE)
  connection.close()
})

test('is told of a refusal after connect has returned, and of nothing after it', async () => {
  const port = await serve(() => undefined)
  servers.splice(0)[0]?.close()
  const { heard, connect } = rig(port)
  connect()
  expect(heard).toEqual([])
  await until(() => heard.length > 0)
  await pause(20)
  expect(heard).toEqual(['closed: ECONNREFUSED'])
})

test('gives up after the timeout where nobody answers', async () => {
  const silence = { ...kernelSurroundings(() => undefined), dial: () => undefined }
  const { heard, connect } = rig(9, silence)
  connect(50)
  await until(() => heard.length > 0)
  expect(heard).toEqual(['closed: connection timed out'])
})

test('hears that the other side has closed, once', async () => {
  const { heard, connect } = rig(await serve((socket) => socket.end('bye')))
  connect()
  await until(() => heard.some((text) => text.startsWith('closed')))
  await pause(20)
  expect(heard).toEqual(['connected', 'bye', 'closed: closed by the other side'])
})

test('what was written before a close still arrives, and nothing is heard any more', async () => {
  let arrived = ''
  const { heard, connect } = rig(
    await serve((socket) => {
      socket.write('hello')
      socket.on('data', (chunk) => {
        arrived += chunk
      })
    }),
  )
  const connection = connect()
  await until(() => heard.includes('connected'))
  connection.write('the last word')
  connection.close()
  const before = heard.length
  await until(() => arrived !== '')
  expect(arrived).toBe('the last word')
  expect(heard).toHaveLength(before)
})

test('a program is woken when it wants to be, and not after it was stopped', async () => {
  const wakes: number[] = []
  const running = runProgram({ name: 'clock', life: 1 }, (shell: Shell) => {
    let nextMs = shell.now().monoMs + 10
    return {
      wake: () => {
        expect(shell.now().monoMs).toBeGreaterThanOrEqual(nextMs)
        wakes.push(nextMs)
        nextMs += 10
      },
      nextWakeUpMs: () => nextMs,
      stopRequested: () => undefined,
    }
  })
  await until(() => wakes.length >= 3)
  running.stop()
  const before = wakes.length
  await pause(40)
  expect(wakes).toHaveLength(before)
})

/** A shell, and everything its connections have heard. */
function rig(port: number, surroundings = kernelSurroundings(() => undefined)) {
  const heard: string[] = []
  const shell = new RealShell({ name: 'test', life: 1, surroundings, onExit: () => undefined })
  const handler = {
    connected: () => heard.push('connected'),
    received: (bytes: string) => heard.push(bytes),
    closed: (reason: string) => heard.push(`closed: ${reason}`),
  }
  const connect = (timeoutMs = 1_000) => shell.connect('127.0.0.1', port, timeoutMs, handler)
  return { heard, connect }
}

function serve(take: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    take(socket)
  })
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
