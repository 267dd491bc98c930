/** What strangers and lying instances can make a Sentinel of real bytes keep. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePorts, MAIN, Program, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/**
 * Beyond what it has at its start. What the engine keeps for garbage is part of it, and that depends on the machine;
 * putting the same into the record takes up to a third of it.
 */
const ALLOWED_MIB = 96

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

interface Attacked {
  readonly program: Program
  readonly port: number
  /** MiB in use now. */
  memory(): number
  /** The most in use since the last look, looked at every few milliseconds. */
  peak(): number
}

/** A Sentinel whose master is this server. */
async function attacked(instance: (socket: Socket) => void, lines = ''): Promise<Attacked> {
  const [port = 0, master = 0] = await freePorts(2)
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    instance(socket)
  })
  await new Promise<void>((resolve) => server.listen(master, '127.0.0.1', resolve))
  const folder = join(scratchFolder('memory'), String(port))
  mkdirSync(folder)
  const path = join(folder, 'sentinel.conf')
  const monitor = `sentinel monitor mymaster 127.0.0.1 ${master} 1`
  writeFileSync(path, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n${monitor}\n${lines}`)
  const program = new Program(port, `${folder}.log`, process.execPath, [MAIN, 'sentinel', path])
  program.start()
  cleanups.push(async () => {
    server.close()
    await program.kill()
  })
  await until('the Sentinel answers', 10_000, () => answers(port))
  const memory = () => {
    const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
  let peak = memory()
  const timer = setInterval(() => {
    peak = Math.max(peak, memory())
  }, 10)
  cleanups.unshift(() => clearInterval(timer))
  return { program, port, memory, peak: () => peak }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('PING\r\n')
  const chunk = await new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('latin1')))
    socket.once('close', () => resolve(''))
  })
  socket.destroy()
  return chunk === '+PONG\r\n'
}

/** Asks and never reads, until the kernel takes no more for a while. Gives how many questions it took. */
async function flood(port: number, question: string, most: number): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  cleanups.push(() => void socket.destroy())
  let asked = 0
  while (asked < most) {
    asked += 1_000
    if (socket.write(question.repeat(1_000))) continue
    const isTaken = await Promise.race([
      new Promise((resolve) => socket.once('drain', () => resolve(true))),
      new Promise((resolve) => setTimeout(() => resolve(false), 1_500)),
    ])
    if (isTaken !== true) return asked
  }
  return asked
}

const HONEST = (socket: Socket) => {
  socket.on('data', () => undefined)
}

test.each([
  ['answers', 'SENTINEL MASTERS\r\n', ''],
  ['answers behind saves', 'SENTINEL FLUSHCONFIG\r\nSENTINEL MASTERS\r\n', ''],
  ['answers of hundreds of groups', 'SENTINEL MASTERS\r\n', groups(300)],
])('143 000 unread %s cost what one client may have', async (_name, question, lines) => {
  const { port, memory, peak } = await attacked(HONEST, lines)
  const beforeMib = memory()
  await flood(port, question, 143_000)
  expect(await answers(port)).toBe(true)
  expect(peak() - beforeMib).toBeLessThan(ALLOWED_MIB)
})

function groups(count: number): string {
  const line = (at: number) => `sentinel monitor g${at} 127.0.0.1 ${20_000 + at} 1\n`
  return Array.from({ length: count }, (_, at) => line(at)).join('')
}

test.each([
  ['a list of five hundred million', '*500000000\r\n', ':1\r\n', 'more than 64 values'],
  ['lists in lists', '', '*1\r\n', 'nested too deeply'],
  ['a line without an end', '+', 'xxxxxxxx', 'line too long'],
  ['attributes without an end', '', '|0\r\n', 'reply too large'],
])(
  'an instance that answers with %s is named, and costs nothing',
  async (_name, head, piece, why) => {
    const { program, port, memory, peak } = await attacked((socket) => {
      socket.once('data', () => {
        socket.write(head)
        const pump = () => {
          while (socket.writable && socket.write(piece.repeat(16_384)));
        }
        socket.on('drain', pump)
        pump()
      })
    })
    const beforeMib = memory()
    await until('the log names it', 10_000, () => program.log().includes(why))
    expect(program.log()).toMatch(/master mymaster \(127\.0\.0\.1:\d+\) says what no Redis says/)
    expect(await answers(port)).toBe(true)
    expect(peak() - beforeMib).toBeLessThan(ALLOWED_MIB)
  },
)
