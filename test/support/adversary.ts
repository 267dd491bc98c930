/**
 * Adversaries on loopback: a crowd of raw connections, a program that answers whatever a test wants (a
 * lying Sentinel, master or replica), and the cost of an attack for its victim, as the kernel counts it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'vitest'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import { type Program, until } from './processes.ts'

/** When this test ends, everything that an adversary has opened is closed. */
export type Bounds = Pick<TestContext, 'onTestFinished'>

const HOST = '127.0.0.1'
const HELLO = '__sentinel__:hello'
export const PING = '*1\r\n$4\r\nPING\r\n'

/** Whether /proc says what a process uses. */
export const HAS_PROC = process.platform === 'linux'

/** Bytes of real memory. */
export function residentBytes({ pid }: Program): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** How many files and sockets it has open. */
export function openFiles({ pid }: Program): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** A command that does not exist, sent last: its refusal comes in every state, and ends a conversation. */
const END = 'end-of-the-conversation'

/** One connection that sends all these at once, and the replies in their order. */
export function say(port: number, ...commands: readonly (readonly string[])[]): Promise<Reply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST)
    const decoder = new ReplyDecoder()
    const replies: Reply[] = []
    const end = () => {
      socket.destroy()
      resolve(replies)
    }
    socket.setEncoding('latin1')
    socket.setTimeout(10_000, () => {
      socket.destroy()
      reject(new Error(`${commands[replies.length]?.join(' ')} is not answered on ${port}`))
    })
    // A connection that is closed by the other side returns what came before.
    socket.once('close', end)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      decoder.push(String(bytes))
      for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
        if (reply.kind === 'malformed') return reject(new Error(reply.text))
        if (reply.kind === 'error' && reply.text.includes(END)) return end()
        replies.push(reply)
      }
    })
    socket.write([...commands, [END]].map((argv) => encodeCommand(argv)).join(''), 'latin1')
  })
}

/** The text of one reply; for an array, its items separated by blanks. */
export async function ask(port: number, ...argv: readonly string[]): Promise<string> {
  const [reply] = await say(port, argv)
  return reply === undefined ? 'no reply' : textOf(reply)
}

export function textOf(reply: Reply): string {
  switch (reply.kind) {
    case 'simple':
    case 'error':
      return reply.text
    case 'integer':
      return String(reply.value)
    case 'bulk':
      return reply.bytes
    case 'array':
      return reply.items.map(textOf).join(' ')
    default:
      return reply.kind
  }
}

/** How long a stranger waits for an answer: the slowest of a few attempts. */
export async function slowestPingMs(port: number, attempts = 10): Promise<number> {
  let slowestMs = 0
  for (let left = attempts; left > 0; left--) {
    const startMs = performance.now()
    await say(port, ['PING'])
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
  }
  return slowestMs
}

/** Connections of one attacker, all to one port; closed when the test is over. */
export class Crowd {
  readonly #port: number
  readonly #sockets: Socket[] = []
  /** Bytes that any of them received. */
  received = ''
  closed = 0

  constructor(bounds: Bounds, port: number) {
    this.#port = port
    bounds.onTestFinished(() => this.leave())
  }

  get standing(): number {
    return this.#sockets.length - this.closed
  }

  /** Opens this many more connections, each of which begins with these bytes. */
  async join(count: number, bytes = ''): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#one(bytes)))
  }

  /** Sends this on every connection that is still open. */
  shout(bytes: string): void {
    for (const socket of this.#sockets) if (socket.writable) socket.write(bytes, 'latin1')
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Connected or turned away: the attacker accepts either. */
  #one(bytes: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, HOST)
      this.#sockets.push(socket)
      socket.setEncoding('latin1')
      socket.on('data', (text) => {
        this.received = (this.received + text).slice(-100_000)
      })
      socket.on('error', () => undefined)
      socket.once('close', () => {
        this.closed++
        resolve()
      })
      socket.once('connect', () => {
        if (bytes !== '') socket.write(bytes, 'latin1')
        resolve()
      })
    })
  }
}

/** A liar's answers. A text is sent as it is; undefined sends nothing. */
export type Answers = (argv: readonly string[], socket: Socket) => Reply | string | undefined

/** A program that listens like a Sentinel or a data node and answers whatever a test wants. */
export class Liar {
  answers: Answers
  readonly runId: string
  /** Everything it was asked, first words in capitals. */
  readonly heard: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(runId: string, answers: Answers) {
    this.runId = runId
    this.answers = answers
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async listen(bounds: Bounds, runId: string, answers: Answers): Promise<Liar> {
    const liar = new Liar(runId, answers)
    await new Promise<void>((resolve) => liar.#server.listen(0, HOST, resolve))
    bounds.onTestFinished(() => liar.close())
    return liar
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Announces itself on a node's hello channel, as a Sentinel would; listeners take it for one. */
  async greet(node: number, epoch: number, master: number, configEpoch: number): Promise<string> {
    const own = `${HOST},${this.port},${this.runId},${epoch}`
    return ask(node, 'PUBLISH', HELLO, `${own},mymaster,${HOST},${master},${configEpoch}`)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    const decoder = new RequestDecoder()
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('data', (bytes) => {
      decoder.push(String(bytes))
      for (let next = decoder.next(); next?.kind === 'command'; next = decoder.next()) {
        this.#answer(next.argv, socket)
      }
    })
  }

  #answer(argv: readonly string[], socket: Socket): void {
    const [name = '', ...rest] = argv
    this.heard.push([name.toUpperCase(), ...rest].join(' '))
    const answer = this.answers(argv, socket)
    if (answer === undefined || !socket.writable) return
    socket.write(typeof answer === 'string' ? answer : encodeReply(answer, 2), 'latin1')
  }
}

/** A recognisable run id. */
export function runIdOf(digit: string): string {
  return digit.repeat(40)
}

/** The answers of a Sentinel that does its work, except to questions of others about the master. */
export function asSentinel(runId: string, aboutMaster: Answers): Answers {
  return (argv, socket) => {
    const [name = '', subcommand = ''] = argv.map((word) => word.toUpperCase())
    if (name === 'PING') return '+PONG\r\n'
    if (name === 'PUBLISH') return ':1\r\n'
    if (name !== 'SENTINEL') return '+OK\r\n'
    if (subcommand === 'MYID') return `$40\r\n${runId}\r\n`
    if (subcommand === 'CONFER') return "-ERR Unknown sentinel subcommand 'CONFER'.\r\n"
    return aboutMaster(argv, socket)
  }
}

/** The answer to IS-MASTER-DOWN-BY-ADDR: down or not, and a vote in the epoch of the question. */
export function opinion(isDown: boolean, leader: 'asker' | 'nobody' | string): Answers {
  return ([, , , , epoch = '0', candidate = '*']) => {
    const voted = leader === 'asker' ? candidate : leader === 'nobody' ? '*' : leader
    const at = voted === '*' ? '0' : epoch
    return `*3\r\n:${isDown ? 1 : 0}\r\n$${voted.length}\r\n${voted}\r\n:${at}\r\n`
  }
}

/** Waits until a program answers PING with anything but LOADING. */
export async function untilAnswering({ port }: Program): Promise<void> {
  await until(`${port} answers`, 10_000, async () => {
    const answer = await ask(port, 'PING')
    return answer !== '' && answer !== 'no reply' && !answer.startsWith('LOADING')
  })
}
