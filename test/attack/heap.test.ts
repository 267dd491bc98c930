/**
 * The heap's end, on real processes with little of it: whatever clients, files and masters send, nobody is
 * ended by the engine. Decisions, number by number: test/server/memory/heap-guard.test.ts.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, MAIN, Program, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const MB = 1024 * 1024
const HEAP_MB = 64
const VALUE = 'x'.repeat(40)
/** A bound for what a busy machine takes long for. */
const PATIENCE_MS = 30_000

let folder = ''
const programs: Program[] = []
const clients: RawClient[] = []

beforeEach(() => {
  folder = scratchFolder('heap')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await stopAll(folder, programs.splice(0))
})

interface Plan {
  readonly heapMb?: number
  readonly dir?: string
  readonly lines?: readonly string[]
}

async function start({ heapMb = HEAP_MB, dir = 'data', lines = [] }: Plan = {}): Promise<Program> {
  const [port] = (await freePorts(1)) as [number]
  const path = join(folder, dir)
  mkdirSync(path, { recursive: true })
  const words = ['--port', `${port}`, '--dir', path, '--enable-debug-command', 'yes', ...lines]
  const argv = [`--max-old-space-size=${heapMb}`, MAIN, 'server', '--save', '', ...words]
  const program = new Program(port, join(folder, `${port}.log`), process.execPath, argv)
  programs.push(program)
  program.start()
  return program
}

async function ready(program: Program): Promise<Program> {
  await until('it has loaded', PATIENCE_MS, async () => {
    return (await say(program, 'PING')) === '+PONG\r\n'
  })
  return program
}

async function connected(program: Program): Promise<RawClient> {
  const client = await RawClient.connect(program.port)
  clients.push(client)
  return client
}

/** One command on a connection of its own. */
async function say(program: Program, ...words: string[]): Promise<string> {
  const client = await RawClient.connect(program.port)
  try {
    return await client.reply(encodeCommand(words), 4)
  } finally {
    client.close()
  }
}

async function field(program: Program, name: string): Promise<number> {
  const text = await say(program, 'INFO', 'everything')
  return Number(new RegExp(`^${name}:(.*)\r$`, 'm').exec(text)?.[1])
}

/** Many commands at once, and what is answered; a client that is closed gives what came until then. */
async function many(program: Program, commands: readonly string[][]): Promise<string> {
  const client = await RawClient.connect(program.port)
  client.send(commands.map((words) => encodeCommand(words)).join(''))
  client.end()
  try {
    return await until('all is answered', PATIENCE_MS, () => client.untilClosed())
  } finally {
    client.close()
  }
}

/** Small keys until they are refused. */
async function fill(program: Program): Promise<number> {
  for (let from = 0; from < 2_000_000; from += 20_000) {
    const keys = Array.from({ length: 20_000 }, (_, at) => [
      'SET',
      `key:${from + at}`,
      `v${from + at}`,
    ])
    if ((await many(program, keys)).includes('-OOM ')) {
      const size = await say(program, 'DBSIZE')
      return Number(size.slice(1))
    }
  }
  throw new Error('nothing is ever refused')
}

/** So many small keys. */
async function keep(program: Program, keys: number): Promise<void> {
  for (let from = 0; from < keys; from += 20_000) {
    const words = Array.from({ length: 20_000 }, (_, at) => ['SET', `key:${from + at}`, VALUE])
    await many(program, words)
  }
}

/** Alive, of use, and nobody but those who took too much has been sent away. */
async function isWell(program: Program): Promise<void> {
  expect(program.isRunning).toBe(true)
  expect(await say(program, 'GET', 'kept')).toBe('$4\r\ndata\r\n')
  await until('writes are taken', PATIENCE_MS, async () => {
    return (await say(program, 'SET', 'again', '1')) === '+OK\r\n'
  })
}

test.each([
  ['a dump', ['--appendonly', 'no']],
  ['the append-only file', ['--appendonly', 'yes', '--appendfsync', 'no']],
])(
  'filled to the end, a node refuses in words and loads all of it again from %s',
  async (_, lines) => {
    const program = await ready(await start({ lines }))
    const keys = await fill(program)
    expect(keys).toBeGreaterThan(100_000)
    expect(await say(program, 'SET', 'one', 'more')).toBe(
      "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
    )
    expect(await say(program, 'GET', 'key:777')).toBe('$4\r\nv777\r\n')
    expect(await field(program, 'vedette_heap_refusing_writes')).toBe(1)
    expect(program.log()).toContain('commands that need memory are refused (-OOM)')
    if (lines.includes('no') && !lines.includes('yes')) {
      expect(await say(program, 'BGSAVE')).toContain('+Background saving started')
      await until('it is saved', PATIENCE_MS, async () => {
        return (await field(program, 'rdb_bgsave_in_progress')) === 0
      })
    }
    await program.kill()
    program.start()
    await ready(program)
    expect(await say(program, 'DBSIZE')).toBe(`:${keys}\r\n`)
    // Whoever makes room can write again.
    expect(await say(program, 'FLUSHALL')).toBe('+OK\r\n')
    await until('writes are taken again', PATIENCE_MS, async () => {
      return (await say(program, 'SET', 'one', 'more')) === '+OK\r\n'
    })
  },
)

test('forty connections that queue commands without end: those are closed, the data stay', async () => {
  const program = await ready(await start())
  await say(program, 'SET', 'kept', 'data')
  const piece = encodeCommand(['SET', 'k', 'x'.repeat(20)]).repeat(1_000)
  const floods = Array.from({ length: 40 }, async () => {
    const client = await connected(program)
    client.send(encodeCommand(['MULTI']))
    return client.flood(piece, 4 * MB)
  })
  await Promise.all(floods)
  await until(
    'those that hold most are closed',
    PATIENCE_MS,
    async () => (await field(program, 'evicted_clients')) > 0,
  )
  expect(program.log()).toContain('closed: memory is short, and it holds')
  for (const client of clients.splice(0)) client.close()
  await isWell(program)
})

test('heavy rewriting over 40 % of the heap is never refused, and nobody is closed', async () => {
  const program = await ready(await start())
  const keys = 70_000
  const value = (round: number) => `${round}`.padEnd(150, 'x')
  for (let round = 0; round < 6; round++) {
    for (let from = 0; from < keys; from += 10_000) {
      const words = Array.from({ length: 10_000 }, (_, at) => [
        'SET',
        `k${from + at}`,
        value(round),
      ])
      expect(await many(program, words)).toBe('+OK\r\n'.repeat(10_000))
    }
  }
  const info = await say(program, 'INFO', 'everything')
  const share = Number(/vedette_heap_collected_perc:([\d.]+)%/.exec(info)?.[1])
  expect(share).toBeGreaterThan(35)
  expect(info).toContain('evicted_clients:0\r\n')
  expect(info).not.toContain('errorstat_OOM')
})

const HUGE = 'x'.repeat(4 * MB)

test.each([
  [
    'a transaction without end',
    (client: RawClient) => {
      client.send(encodeCommand(['MULTI']))
      return client.flood(encodeCommand(['PING']).repeat(4_000), 40 * MB)
    },
  ],
  [
    'a value that was announced too long for the heap',
    async (client: RawClient) => {
      client.send('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$268435456\r\n')
      expect(await client.untilClosed()).toBe('-ERR Protocol error: invalid bulk length\r\n')
      return 0
    },
  ],
  [
    'a request of values as long as they may be',
    (client: RawClient) => {
      client.send('*1000\r\n$4\r\nMSET\r\n')
      return client.flood(`$${HUGE.length}\r\n${HUGE}\r\n`, 120 * MB)
    },
  ],
  [
    'patterns and patterns',
    (client: RawClient) => {
      const names = Array.from({ length: 20 }, (_, at) => `${'p'.repeat(5_000)}${at}:`)
      let round = 0
      const flood = async (): Promise<number> => {
        let bytes = 0
        while (bytes < 120 * MB) {
          const words = names.map((name) => `${name}${round}`)
          round++
          const piece = encodeCommand(['PSUBSCRIBE', ...words])
          const sent = await client.flood(piece, piece.length)
          if (sent === 0) return bytes
          bytes += sent
        }
        return bytes
      }
      return flood()
    },
  ],
])('%s closes its own connection and nothing else', async (_, attack) => {
  const program = await ready(await start({ heapMb: 64 }))
  await say(program, 'SET', 'kept', 'data')
  await attack(await connected(program))
  await until(
    'it is closed',
    PATIENCE_MS,
    async () => (await field(program, 'connected_clients')) === 1,
  )
  await isWell(program)
})

test('answers nobody reads are made no faster than they are taken, and hurt nobody', async () => {
  const program = await ready(await start({ heapMb: 64 }))
  await say(program, 'SET', 'kept', 'data')
  const client = await connected(program)
  client.send(encodeCommand(['SET', 'huge', HUGE]))
  client.pause()
  await client.flood(encodeCommand(['GET', 'huge']).repeat(10), 1024)
  await until('the answers wait', PATIENCE_MS, async () =>
    (await say(program, 'CLIENT', 'LIST')).includes('cmd=get'),
  )
  await isWell(program)
})

test.each([
  ['SETBIT', (key: number) => ['SETBIT', `k${key}`, `${8 * 8 * MB - 1}`, '1']],
  ['SETRANGE', (key: number) => ['SETRANGE', `k${key}`, `${8 * MB - 1}`, 'x']],
  ['COPY', (key: number) => ['COPY', 'first', `k${key}`]],
  ['BITOP', (key: number) => ['BITOP', 'NOT', `k${key}`, 'first']],
])(
  'a hundred short requests for long values (%s) in one go are refused in time',
  async (_, command) => {
    const program = await ready(await start())
    await many(program, [
      ['SET', 'kept', 'data'],
      ['SETBIT', 'first', `${8 * 4 * MB}`, '1'],
    ])
    const words = Array.from({ length: 100 }, (_, key) => command(key))
    const answers = await many(program, [...words, ['BITCOUNT', 'k0']])
    expect(answers).toMatch(/^(:\d+\r\n)+(-OOM [^\r]+\r\n)*:\d+\r\n$/)
    expect(await say(program, 'GET', 'kept')).toBe('$4\r\ndata\r\n')
  },
)

test('a dump that does not fit ends the start in words, and stays as it is', async () => {
  const first = await ready(await start({ heapMb: 128 }))
  await keep(first, 200_000)
  expect(await say(first, 'SAVE')).toBe('+OK\r\n')
  const dump = join(folder, 'data', 'dump.rdb')
  const before = digestOf(dump)
  await first.kill()
  const second = await start({ heapMb: 48 })
  await until('it has ended', PATIENCE_MS, () => !second.isRunning)
  expect(second.exitCode).toBe(1)
  await until('why is written', 5_000, () => second.log().includes('does not fit into memory'))
  expect(second.log()).toContain('NODE_OPTIONS=--max-old-space-size=')
  expect(digestOf(dump)).toBe(before)
})

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

test('a replica too small for its master goes on with what it has, and says why', async () => {
  const master = await ready(await start({ heapMb: 160, dir: 'master' }))
  const small = await ready(await start({ heapMb: 64, dir: 'small' }))
  await say(small, 'SET', 'kept', 'data')
  await keep(master, 250_000)
  await say(small, 'REPLICAOF', '127.0.0.1', `${master.port}`)
  await until('it says why', PATIENCE_MS, () => small.log().includes('its copy does not fit'))
  expect(small.isRunning).toBe(true)
  expect(await say(small, 'GET', 'kept')).toBe('$4\r\ndata\r\n')
})

test('a replica whose master outgrows it stops following, and stays readable', async () => {
  const master = await ready(await start({ heapMb: 160, dir: 'master' }))
  await say(master, 'SET', 'kept', 'data')
  const small = await ready(
    await start({ heapMb: 64, dir: 'small', lines: ['--replicaof', `127.0.0.1 ${master.port}`] }),
  )
  await until('it follows', PATIENCE_MS, async () =>
    (await say(small, 'GET', 'kept')).includes('data'),
  )
  await keep(master, 400_000)
  await until('it says why', PATIENCE_MS, () => small.log().includes('what it sends does not fit'))
  expect(small.isRunning).toBe(true)
  expect(await say(small, 'GET', 'kept')).toBe('$4\r\ndata\r\n')
})
