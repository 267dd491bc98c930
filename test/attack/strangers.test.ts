/**
 * Strangers who have nothing but a connection, or very many: half requests, half connections, floods,
 * scans and guessed passwords. Whoever was served before is served meanwhile, and nothing of it stays.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  Crowd,
  HAS_PROC,
  openFiles,
  PING,
  residentBytes,
  say,
  slowestPingMs,
  untilAnswering,
} from '../support/adversary.ts'
import {
  freePorts,
  node,
  type Program,
  sentinel,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const MIB = 1024 * 1024
/** Nobody waits longer for a PONG, on a machine that has other things to do as well. */
const PATIENCE_MS = 2_000
const PLACES = 200
/** A save or a link opened anew meanwhile. */
const FILES_OF_ITS_OWN = 5
const REFUSED = '-ERR max number of clients reached\r\n'

let folder = ''
let programs: Record<'server' | 'sentinel', Program>

beforeAll(async () => {
  folder = scratchFolder('strangers')
  const [nodePort, sentinelPort] = (await freePorts(2)) as [number, number]
  programs = {
    server: node(folder, nodePort, [`maxclients ${PLACES}`]),
    sentinel: sentinel(folder, sentinelPort, { master: nodePort, quorum: 1 }),
  }
  for (const program of Object.values(programs)) {
    program.start()
    await untilAnswering(program)
  }
  // Its connections are counted as well, by those who count what is left.
  await until('the Sentinel listens to its master', 10_000, async () => {
    const channel = '__sentinel__:hello'
    return (await ask(nodePort, 'PUBSUB', 'NUMSUB', channel)) === `${channel} 1`
  })
})
afterAll(() => stopAll(folder, Object.values(programs ?? {})))

describe.each(['server', 'sentinel'] as const)('strangers before a %s', (kind) => {
  let program: Program
  let bystander: RawClient

  beforeAll(async () => {
    program = programs[kind]
    bystander = await RawClient.connect(program.port)
  })
  afterEach(async () => {
    await bystander.expectReply(PING, '+PONG\r\n')
    expect(program.isRunning).toBe(true)
    // The one who supervises has not been led to call its master dead.
    expect(programs.sentinel.log()).not.toContain('+sdown master')
  })
  afterAll(() => bystander?.close())

  test('a slow loris: requests that come byte by byte and never end keep nobody waiting', async (context) => {
    const filesBefore = HAS_PROC ? openFiles(program) : 0
    const crowd = new Crowd(context, program.port)
    await crowd.join(PLACES / 2, '*3\r\n$3\r\nSET\r\n$100\r\n')
    for (let byte = 0; byte < 20; byte++) {
      crowd.shout('x')
      expect(await slowestPingMs(program.port, 2)).toBeLessThan(PATIENCE_MS)
    }
    expect(crowd.received).toBe('')
    crowd.leave()
    if (HAS_PROC) await untilFilesAre(program, filesBefore)
  })

  test('a scan: connections that are reset or left at once leave nothing open', async (context) => {
    const filesBefore = HAS_PROC ? openFiles(program) : 0
    for (let round = 0; round < 10; round++) {
      const crowd = new Crowd(context, program.port)
      await crowd.join(PLACES / 2)
      crowd.leave()
    }
    expect(await slowestPingMs(program.port)).toBeLessThan(PATIENCE_MS)
    if (HAS_PROC) await untilFilesAre(program, filesBefore)
  })

  test.skipIf(!HAS_PROC)(
    'requests that are announced and never sent cost no memory',
    async (context) => {
      const beforeBytes = residentBytes(program)
      const crowd = new Crowd(context, program.port)
      const announced = kind === 'server' ? 511 * MIB : MIB
      await crowd.join(PLACES / 2, `*1000\r\n$${announced}\r\n`)
      expect(await slowestPingMs(program.port)).toBeLessThan(PATIENCE_MS)
      expect(residentBytes(program) - beforeBytes).toBeLessThan(50 * MIB)
    },
  )

  test('noise and other protocols on a hundred connections at once are refused one by one', async (context) => {
    const noise = ['\0\x01\xff\xfe', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x02\0\x01']
    const nested = '*1\r\n'.repeat(10_000)
    const crowd = new Crowd(context, program.port)
    for (const bytes of [...noise, nested, '*-1\r\n$-1\r\n', '$-9223372036854775808\r\n']) {
      await crowd.join(PLACES / 10, bytes)
      await crowd.join(PLACES / 20, `${bytes}\r\n\r\n`)
    }
    expect(await slowestPingMs(program.port)).toBeLessThan(PATIENCE_MS)
  })
})

test('a browser that was led here can write nothing: POST and Host end the connection', async (context) => {
  const { port } = programs.server
  for (const line of ['POST / HTTP/1.1', 'Host: localhost:6379']) {
    const one = await RawClient.connect(port)
    context.onTestFinished(() => one.close())
    one.send(`${line}\r\nSET smuggled 1\r\n`)
    expect(await one.untilClosed()).toBe('')
  }
  expect(await ask(port, 'EXISTS', 'smuggled')).toBe('0')
})

test('a flood fills the places and no more: the rest is refused in words, and later there is room', async (context) => {
  const { port } = programs.server
  const bystander = await RawClient.connect(port)
  context.onTestFinished(() => bystander.close())
  await bystander.expectReply(PING, '+PONG\r\n')
  const crowd = new Crowd(context, port)
  await crowd.join(PLACES * 3)
  await until('the rest is refused', 5_000, () => crowd.received.includes(REFUSED))
  await until('only as many stand as there are places', 5_000, () => crowd.standing <= PLACES)
  await bystander.expectReply(PING, '+PONG\r\n')
  // The Sentinel has its connections; whoever has one keeps it.
  expect(await ask(programs.sentinel.port, 'SENTINEL', 'CKQUORUM', 'mymaster')).toMatch(/^OK/)
  expect(programs.sentinel.log()).not.toContain('+sdown master')
  crowd.leave()
  await until('there is room again', 5_000, async () => (await ask(port, 'PING')) === 'PONG')
})

describe('guessing passwords', () => {
  const PASSWORD = 'correct horse battery staple'
  const GUESSES = 20_000

  test.for(['server', 'sentinel'] as const)(
    'twenty thousand guesses at a %s: nobody waits, logs stay short and hold no guess',
    async (kind, context) => {
      const dir = scratchFolder('guesses')
      const [port = 0, master = 0] = await freePorts(2)
      const program =
        kind === 'server'
          ? node(dir, port, [`requirepass "${PASSWORD}"`])
          : protectedSentinel(dir, port, master, PASSWORD)
      context.onTestFinished(() => stopAll(dir, [program]))
      program.start()
      await untilAnswering(program)
      const logBytes = program.log().length
      const bytesBefore = HAS_PROC ? residentBytes(program) : 0
      const guesses = Array.from({ length: GUESSES }, (_, n) => ['AUTH', `guess-${n}`])
      const [replies, waitMs] = await Promise.all([say(port, ...guesses), slowestPingMs(port, 20)])
      expect(replies).toHaveLength(GUESSES)
      expect(new Set(replies.map((one) => JSON.stringify(one))).size).toBe(1)
      expect(JSON.stringify(replies[0])).toContain('WRONGPASS')
      expect(waitMs).toBeLessThan(PATIENCE_MS)
      expect(program.log().length - logBytes).toBeLessThan(2_000)
      const [, kept] = await say(port, ['AUTH', PASSWORD], ['ACL', 'LOG'])
      const text = JSON.stringify(kept)
      expect(text).toContain('AUTH')
      expect(text).not.toContain('guess-')
      expect(text.length).toBeLessThan(100_000)
      if (HAS_PROC) expect(residentBytes(program) - bytesBefore).toBeLessThan(100 * MIB)
    },
  )

  test('without a password there is no way to say anything long or to learn anything', async (context) => {
    const dir = scratchFolder('unknown')
    const [port = 0] = await freePorts(1)
    const program = node(dir, port, [`requirepass "${PASSWORD}"`])
    context.onTestFinished(() => stopAll(dir, [program]))
    program.start()
    await untilAnswering(program)
    const answers = await say(
      port,
      ...[['INFO'], ['CONFIG', 'GET', '*'], ['COMMAND'], ['CLIENT', 'LIST'], ['ACL', 'WHOAMI']],
      ...[['PSYNC', '?', '-1'], ['REPLCONF', 'ACK', '0'], ['PUBLISH', 'a', 'b'], ['MULTI']],
    )
    expect(answers.map((one) => JSON.stringify(one)).every((one) => one.includes('NOAUTH'))).toBe(
      true,
    )
    expect(answers).toHaveLength(9)
    for (const [bytes, fault] of [
      ['*11\r\n', 'unauthenticated multibulk length'],
      ['*1\r\n$16385\r\n', 'unauthenticated bulk length'],
    ] as const) {
      const one = await RawClient.connect(port)
      context.onTestFinished(() => one.close())
      one.send(bytes)
      expect(await one.untilClosed()).toContain(fault)
    }
  })
})

function protectedSentinel(dir: string, port: number, master: number, password: string): Program {
  const path = join(dir, 'sentinel.conf')
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, `requirepass "${password}"`]
  writeFileSync(path, [...lines, `sentinel monitor mymaster 127.0.0.1 ${master} 1`, ''].join('\n'))
  return sentinelOn(path, port, join(dir, 'sentinel.log'), false)
}

async function untilFilesAre(program: Program, count: number): Promise<void> {
  await until(`${program.port} has closed what was left`, 5_000, () => {
    return openFiles(program) <= count + FILES_OF_ITS_OWN
  })
}
