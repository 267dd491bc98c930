/**
 * Bytes that no honest client sends: the exact error, that connection alone is closed, the others never
 * notice, and announced sizes cost no memory.
 */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, node, type Program, sentinel, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'
import { wireBulk } from '../support/wire.ts'

const PING = '*1\r\n$4\r\nPING\r\n'
const PONG = '+PONG\r\n'
const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')
const MIB_BYTES = 1024 * 1024
const ENDLESS_BYTES = 70_000

let folder = ''
let programs: Record<'server' | 'sentinel', Program>

beforeAll(async () => {
  folder = scratchFolder('bad-input')
  const [nodePort, sentinelPort] = (await freePorts(2)) as [number, number]
  programs = {
    server: node(folder, nodePort, ['client-query-buffer-limit 4mb']),
    sentinel: sentinel(folder, sentinelPort, { master: nodePort, quorum: 1 }),
  }
  for (const program of Object.values(programs)) {
    program.start()
    await untilAnswering(program)
  }
})
afterAll(() => stopAll(folder, Object.values(programs ?? {})))

/** What follows `Protocol error: `, by what causes it. */
const FAULTS: Readonly<Record<string, readonly [bytes: string, reason: string]>> = {
  'a count that is no number': ['*x\r\n', 'invalid multibulk length'],
  'a count without digits': ['*\r\n', 'invalid multibulk length'],
  'a count beyond 2^31 - 1': ['*2147483648\r\n', 'invalid multibulk length'],
  'a count of a hundred digits': [`*${'9'.repeat(100)}\r\n`, 'invalid multibulk length'],
  'a count line without end': [`*${'1'.repeat(ENDLESS_BYTES)}`, 'too big mbulk count string'],
  'a negative length': ['*1\r\n$-1\r\n', 'invalid bulk length'],
  'a length that is no number': ['*1\r\n$4x\r\n', 'invalid bulk length'],
  'a gigabyte announced': ['*2\r\n$3\r\nGET\r\n$1073741824\r\n', 'invalid bulk length'],
  'a length of a hundred digits': [`*1\r\n$${'9'.repeat(100)}\r\n`, 'invalid bulk length'],
  'a length line without end': [`*1\r\n$${'1'.repeat(ENDLESS_BYTES)}`, 'too big bulk count string'],
  'a word where a length should be': ['*1\r\nPING\r\n', "expected '$', got 'P'"],
  'an integer where a length should be': ['*1\r\n:1\r\n', "expected '$', got ':'"],
  'a hundred thousand nested arrays': ['*1\r\n'.repeat(100_000), "expected '$', got '*'"],
  'an inline line without end': ['x'.repeat(ENDLESS_BYTES), 'too big inline request'],
  'an unbalanced quote': ['SET "a\r\n', 'unbalanced quotes in request'],
}

describe.each(['server', 'sentinel'] as const)('bytes to a running %s', (kind) => {
  let program: Program
  /** Somebody else's connection, which stands all the time. */
  let bystander: RawClient

  beforeAll(async () => {
    program = programs[kind]
    bystander = await RawClient.connect(program.port)
  })
  afterEach(async () => {
    await bystander.expectReply(PING, PONG)
    expect(program.isRunning).toBe(true)
  })
  afterAll(() => bystander?.close())

  async function client(): Promise<RawClient> {
    const one = await RawClient.connect(program.port)
    onTestFinished(() => one.close())
    return one
  }

  /** Everything answered until the program closed the connection. */
  async function answerTo(bytes: string): Promise<string> {
    const one = await client()
    one.send(bytes)
    return one.untilClosed()
  }

  for (const [name, [bytes, reason]] of Object.entries(FAULTS)) {
    test(`${name} is told, and nothing behind it is answered`, async () => {
      expect(await answerTo(bytes + PING)).toBe(`-ERR Protocol error: ${reason}\r\n`)
    })
  }

  test('what came before a fault is answered', async () => {
    const answer = '+PONG\r\n-ERR Protocol error: invalid bulk length\r\n'
    expect(await answerTo(`${PING}*1\r\n$-1\r\n${PING}`)).toBe(answer)
  })

  test('a request of a web browser is not answered at all', async () => {
    expect(await answerTo('POST / HTTP/1.1\r\nHost: localhost\r\n\r\nPING\r\n')).toBe('')
  })

  test('a count below one is no request, and the two bytes after a bulk are not looked at', async () => {
    expect(await answerTo('*0\r\n*-1\r\n*-7\r\nQUIT\r\n')).toBe('+OK\r\n')
    expect(await answerTo('*1\r\n$4\r\nPINGxxQUIT\r\n')).toBe('+PONG\r\n+OK\r\n')
  })

  for (const half of ['*', '*2\r\n$3\r\nGE', '*2\r\n$3\r\nGET\r\n', '*1\r\n$4\r\nPING\r', 'PIN']) {
    test(`half a request, ${JSON.stringify(half)}, is not answered`, async () => {
      const one = await client()
      one.send(half)
      one.end()
      expect(await one.untilClosed()).toBe('')
    })
  }

  test('noise is survived', async () => {
    const rng = createRng(`noise for a ${kind}`)
    const noise = () => Array.from({ length: 2_000 }, () => rng.pick([...ALL_BYTES])).join('')
    for (let round = 0; round < 30; round++) {
      const one = await client()
      one.send(noise())
      one.end()
      await one.untilClosed()
    }
  })

  test('arguments may be any bytes', async () => {
    const one = await client()
    await one.expectReply(encodeCommand(['PING', ALL_BYTES]), wireBulk(ALL_BYTES))
  })

  const measures = test.skipIf(!existsSync('/proc/self/status'))

  measures('announced sizes cost no memory', async () => {
    // The largest a data node accepts; more than a Sentinel does, which refuses it.
    const isServer = kind === 'server'
    const header = `*${isServer ? 2_147_483_647 : 10_000}\r\n$${(isServer ? 511 : 1) * MIB_BYTES}\r\nabc`
    const beforeBytes = residentBytes(program)
    for (let count = 0; count < 50; count++) {
      const one = await client()
      await one.expectReply(PING + header, '+PONG\r\n')
    }
    expect(residentBytes(program) - beforeBytes).toBeLessThan(50 * MIB_BYTES)
  })

  measures('a request that never ends is hung up on before it fills the memory', async () => {
    const beforeBytes = residentBytes(program)
    const one = await client()
    // A Sentinel refuses so many words before it has seen them.
    const [words, word] = kind === 'server' ? [2_147_483_647, 'a'] : [10_000, 'a'.repeat(1_000)]
    one.send(`*${words}\r\n`)
    const piece = encodeCommand(Array.from({ length: 100 }, () => word)).replace('*100\r\n', '')
    const sentBytes = await one.flood(piece.repeat(kind === 'server' ? 100 : 1), 64 * MIB_BYTES)
    expect(sentBytes).toBeLessThan(64 * MIB_BYTES)
    expect(await one.untilClosed()).toBe('')
    expect(residentBytes(program) - beforeBytes).toBeLessThan(150 * MIB_BYTES)
  })
})

test('binary keys and values come back as they were sent', async () => {
  const one = await RawClient.connect(programs.server.port)
  onTestFinished(() => one.close())
  const value = `\r\n$-1\r\n${ALL_BYTES.repeat(1_000)}`
  await one.expectReply(encodeCommand(['SET', ALL_BYTES, value]), '+OK\r\n')
  await one.expectReply(encodeCommand(['GET', ALL_BYTES]), wireBulk(value))
  await one.expectReply(encodeCommand(['HSET', 'hash', ALL_BYTES, value]), ':1\r\n')
  await one.expectReply(encodeCommand(['HGET', 'hash', ALL_BYTES]), wireBulk(value))
  await one.expectReply(encodeCommand(['KEYS', '\0*']), `*1\r\n${wireBulk(ALL_BYTES)}`)
})

test('a master name may be any bytes, and is unknown', async () => {
  const one = await RawClient.connect(programs.sentinel.port)
  onTestFinished(() => one.close())
  const request = encodeCommand(['SENTINEL', 'MASTER', ALL_BYTES])
  await one.expectReply(request, '-ERR No such master with that name\r\n')
})

function residentBytes(program: Program): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** A node says LOADING until it has looked for its files. */
async function untilAnswering(program: Program): Promise<void> {
  await until(`${program.port} answers`, 10_000, async () => {
    const probe = await RawClient.connect(program.port)
    const answer = await probe.reply(PING, PONG.length)
    probe.close()
    return answer === PONG
  })
}
