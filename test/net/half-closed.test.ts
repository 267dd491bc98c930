/** A client that closes its half of a real connection to a data node, as `printf … | nc` does, and reads on. */
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, MAIN, Program, stopAll, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const COUNT = 2_000
const VALUE = 'x'.repeat(50_000)

let port = 0
beforeAll(async () => {
  const folder = scratchFolder('half-closed')
  ;[port = 0] = await freePorts(1)
  const dir = join(folder, 'data')
  mkdirSync(dir)
  const options = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', dir]
  const argv = [MAIN, 'server', '--port', `${port}`, ...options]
  const program = new Program(port, join(folder, 'node.log'), process.execPath, argv)
  program.start()
  await until('it answers', 10_000, async () => (await told(['PING'], 1)) === '+PONG\r\n')
  return () => stopAll(folder, [program])
})

test('is told all that it asked, although each write waits for the disk', async () => {
  const numbers = Array.from({ length: COUNT }, (_, at) => `:${at + 1}\r\n`)
  expect(await told(['INCR', 'n'], COUNT)).toBe(numbers.join(''))
})

test('is told all of a value that it begins to read when the node is done with it', async () => {
  await told(['SET', 'long', VALUE], 1)
  const isGone = async () => !/cmd=get/.test(await told(['CLIENT', 'LIST'], 1))
  const whenGone = () => until('the node has closed it', 5_000, isGone)
  expect(await told(['GET', 'long'], 1, whenGone)).toBe(`$${VALUE.length}\r\n${VALUE}\r\n`)
})

/** All that comes until the other side closes, after the command was sent so often. Read once `begin` has resolved. */
function told(
  argv: readonly string[],
  times: number,
  begin: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let got = ''
    socket.once('connect', async () => {
      await begin()
      socket.on('data', (bytes) => {
        got += bytes.toString('latin1')
      })
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => resolve(got))
    socket.end(encodeCommand(argv).repeat(times))
  })
}
