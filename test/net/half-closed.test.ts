/** A client that closes its half of a real connection to a data node, as `printf … | nc` does, and reads on. */
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, MAIN, Program, stopAll, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const COUNT = 2_000

test('is told all that it asked, although each write waits for the disk', async ({
  onTestFinished,
}) => {
  const folder = scratchFolder('half-closed')
  const [port = 0] = await freePorts(1)
  const dir = join(folder, 'data')
  mkdirSync(dir)
  const options = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', dir]
  const argv = [MAIN, 'server', '--port', `${port}`, ...options]
  const program = new Program(port, join(folder, 'node.log'), process.execPath, argv)
  onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await until('it answers', 10_000, async () => (await told(port, ['PING'], 1)) === '+PONG\r\n')
  const numbers = Array.from({ length: COUNT }, (_, at) => `:${at + 1}\r\n`)
  expect(await told(port, ['INCR', 'n'], COUNT)).toBe(numbers.join(''))
})

/** All that comes until the other side closes, after the command was sent so often. */
function told(port: number, argv: readonly string[], times: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let got = ''
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => resolve(got))
    socket.end(encodeCommand(argv).repeat(times))
  })
}
