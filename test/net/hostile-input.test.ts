/** Whatever bytes come in, at worst that one connection ends: both programs go on for everybody else. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { freePorts, until } from '../support/processes.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const HOSTILE = {
  'a negative count': '*-7\r\n',
  'a huge count': '*99999999999999999999\r\n',
  'a count that is no number': '*x\r\n',
  'a negative length': '*1\r\n$-7\r\n',
  'a gigabyte announced': '*1\r\n$1073741824\r\nabc',
  'two gigabytes of arguments announced': '*2147483647\r\n$1\r\na\r\n',
  'a missing CRLF': '*1\r\n$4\r\nPINGxx\r\n',
  'no dollar': '*1\r\nPING\r\n',
  'nested arrays': '*1\r\n'.repeat(100_000),
  'an endless line': 'x'.repeat(1024 * 1024),
  'unbalanced quotes': 'SET "a\r\n',
  'zero bytes': '\0\0\0\0\r\n',
  'a web browser': 'POST / HTTP/1.1\r\nHost: a\r\n\r\n',
  'a TLS greeting': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
}

describe.each(['server', 'sentinel'])('%s', (program) => {
  let folder = ''
  let port = 0
  let child: ChildProcess
  let redis: Redis

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-hostile-test-'))
    ;[port] = (await freePorts(1)) as [number]
    const path = join(folder, program === 'server' ? 'redis.conf' : 'sentinel.yml')
    writeFileSync(path, program === 'server' ? `port ${port}\n` : `port: ${port}\n`)
    child = spawn(process.execPath, [MAIN, program, path], { stdio: 'ignore' })
    redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 })
    redis.on('error', () => undefined)
    await until('it answers', 5_000, async () => (await redis.ping()) === 'PONG')
  })
  afterAll(() => {
    redis.disconnect()
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  /** Sends bytes, says no more, and waits until everything has been taken or the connection closed. */
  async function send(bytes: string): Promise<void> {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume()
    await new Promise((resolve) => {
      socket.once('close', resolve)
      socket.end(bytes, 'latin1')
    })
  }

  for (const [name, bytes] of Object.entries(HOSTILE)) {
    test(`${name} harms nobody else`, async () => {
      await send(bytes)
      expect(await redis.ping()).toBe('PONG')
      expect(child.exitCode).toBeNull()
    })
  }

  test('a thousand pieces of noise harm nobody else', async () => {
    const rng = createRng(`noise for a ${program}`)
    const byte = () => String.fromCharCode(rng.below(256))
    const word = () => rng.pick(['*', '$', '\r\n', '3', '-1', 'PING', 'INFO', ' ', '"', byte()])
    for (let round = 0; round < 100; round++) {
      const pieces = Array.from({ length: 10 }, () =>
        Array.from({ length: rng.below(20) }, word).join(''),
      )
      await Promise.all(pieces.map(send))
    }
    expect(await redis.ping()).toBe('PONG')
    expect(child.exitCode).toBeNull()
  })
})
