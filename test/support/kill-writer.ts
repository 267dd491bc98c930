/**
 * An application on several pipelined connections that writes numbered keys and counts what was
 * acknowledged. After the server was killed, a test can check what it must have, what it may have, and
 * whether that is a beginning of what was written.
 *
 * Connection c writes, for i = 0, 1, 2, …, `INCR n:c` and then `SET k:c:i i`. Every second connection puts
 * the two, and `INCR total`, into a transaction: `total` says whether all of them are from one moment.
 */
import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createRng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { RdbReader } from '../../src/server/rdb/rdb-reader.ts'
import { emptyTables } from './key-tables.ts'

const CONNECTIONS = 4
/** How many steps wait for their answers at most; each is two commands or a transaction. */
const MAX_PIPELINE = 32
const KEYS_PER_REQUEST = 500
const BALLAST_KEYS = 200
const BALLAST_BYTES = 20_000

/** Commands in, replies out in the same order. */
export class Pipeline {
  readonly #socket: Socket
  readonly #decoder = new ReplyDecoder()
  readonly #waiting: ((reply: Reply | undefined) => void)[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#received(String(bytes)))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      for (const answer of this.#waiting.splice(0)) answer(undefined)
    })
  }

  static async open(port: number): Promise<Pipeline> {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Pipeline(socket)
  }

  /** Undefined if the connection ended before the answer came. */
  call(...argv: string[]): Promise<Reply | undefined> {
    if (this.#socket.destroyed) return Promise.resolve(undefined)
    this.#socket.write(encodeCommand(argv), 'latin1')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    this.#socket.destroy()
  }

  #received(bytes: string): void {
    this.#decoder.push(bytes)
    for (let reply = this.#decoder.next(); reply !== undefined; reply = this.#decoder.next()) {
      if (reply.kind === 'malformed') throw new Error(reply.text)
      this.#waiting.shift()?.(reply)
    }
  }
}

/** How far each connection has got: steps, counted from 0. */
export type Progress = readonly number[]

export class KillWriter {
  /** How many steps were written at all, and how many were acknowledged to their last command. */
  readonly #sent: number[]
  readonly #acknowledged: number[]
  readonly #pipelines: Pipeline[]
  #running = true
  #loops: Promise<void>[] = []

  private constructor(pipelines: Pipeline[], start: Progress) {
    this.#pipelines = pipelines
    this.#sent = [...start]
    this.#acknowledged = [...start]
  }

  /** `start`: what the server has. */
  static async open(port: number, start: Progress): Promise<KillWriter> {
    const pipelines = await Promise.all(start.map(() => Pipeline.open(port)))
    const writer = new KillWriter(pipelines, start)
    writer.#loops = pipelines.map((_, connection) => writer.#write(connection))
    return writer
  }

  get acknowledged(): Progress {
    return [...this.#acknowledged]
  }

  get sent(): Progress {
    return [...this.#sent]
  }

  get acknowledgedSteps(): number {
    return sum(this.#acknowledged)
  }

  /** Call it after the server is gone. */
  async end(): Promise<void> {
    this.#running = false
    for (const pipeline of this.#pipelines) pipeline.close()
    await Promise.all(this.#loops)
  }

  async #write(connection: number): Promise<void> {
    // Each connection has a different number of steps on their way.
    const pipeline = Math.ceil((MAX_PIPELINE * (connection + 1)) / CONNECTIONS)
    const open: Promise<void>[] = []
    while (this.#running) {
      const step = this.#sent[connection] as number
      this.#sent[connection] = step + 1
      open.push(this.#step(connection, step))
      if (open.length >= pipeline) await open.shift()
    }
    await Promise.all(open)
  }

  async #step(connection: number, step: number): Promise<void> {
    const pipeline = this.#pipelines[connection] as Pipeline
    const replies = await Promise.all(
      commandsOf(connection, step).map((argv) => pipeline.call(...argv)),
    )
    const last = replies.at(-1)
    if (last === undefined) {
      this.#running = false
      return
    }
    if (last.kind === 'error') throw new Error(`a write was refused: ${last.text}`)
    this.#acknowledged[connection] = step + 1
  }
}

export const FROM_THE_START: Progress = Array.from({ length: CONNECTIONS }, () => 0)

function isTransactional(connection: number): boolean {
  return connection % 2 === 1
}

function commandsOf(connection: number, step: number): string[][] {
  const writes = [
    ['INCR', `n:${connection}`],
    ['SET', `k:${connection}:${step}`, `${step}`],
  ]
  if (!isTransactional(connection)) return writes
  return [['MULTI'], ...writes, ['INCR', 'total'], ['EXEC']]
}

/** Makes every save take a while. */
export async function addBallast(port: number): Promise<void> {
  const pipeline = await Pipeline.open(port)
  const text = createRng('ballast').hex(BALLAST_BYTES)
  const calls = Array.from({ length: BALLAST_KEYS }, (_, n) =>
    pipeline.call('SET', `ballast:${n}`, `${n} ${text}`),
  )
  await Promise.all(calls)
  await pipeline.call('SAVE')
  pipeline.close()
}

export interface Found {
  readonly progress: Progress
  /** Why it is not a beginning of what was written; empty if it is. */
  readonly problems: readonly string[]
}

/** What the dump contains, which the next start must have without a log of commands. */
export function savedProgress(dumpPath: string): Progress {
  if (!existsSync(dumpPath)) return FROM_THE_START
  const read = new RdbReader(emptyTables(16), 0).push(readFileSync(dumpPath, 'latin1'))
  if (read.kind !== 'done') throw new Error(`a dump in its place is not whole: ${read.kind}`)
  return FROM_THE_START.map((start, connection) => {
    const value = read.contents.dbs[0]?.get(`n:${connection}`)?.value
    return value?.type === 'string' ? Number(value.bytes) : start
  })
}

/** What a server has of it. If only half of the last step was done, completes it. */
export async function inspect(port: number): Promise<Found> {
  const pipeline = await Pipeline.open(port)
  const problems: string[] = []
  const progress: number[] = []
  let transactional = 0
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const counted = await numberAt(pipeline, `n:${connection}`)
    const keys = await firstKeys(pipeline, connection, counted)
    // Outside of a transaction, the end may lie between the two commands.
    const isWhole = keys === counted || (keys === counted - 1 && !isTransactional(connection))
    if (!isWhole)
      problems.push(`connection ${connection} counted ${counted}, its keys end at ${keys}`)
    // Sends the second of the two: then the next step is a new one.
    if (keys === counted - 1) await pipeline.call('SET', `k:${connection}:${keys}`, `${keys}`)
    progress.push(counted)
    if (isTransactional(connection)) transactional += counted
  }
  const total = await numberAt(pipeline, 'total')
  if (total !== transactional) problems.push(`total is ${total}, the connections ${transactional}`)
  problems.push(...(await strayKeys(pipeline, progress)))
  pipeline.close()
  return { progress, problems }
}

/** How many of the first keys exist, each with its number. */
async function firstKeys(pipeline: Pipeline, connection: number, count: number): Promise<number> {
  for (let from = 0; from < count; from += KEYS_PER_REQUEST) {
    const numbers = range(from, Math.min(count, from + KEYS_PER_REQUEST))
    const reply = await pipeline.call('MGET', ...numbers.map((n) => `k:${connection}:${n}`))
    const items = reply?.kind === 'array' ? reply.items : []
    const wrong = numbers.findIndex((n, at) => textOf(items[at]) !== `${n}`)
    if (wrong >= 0) return from + wrong
  }
  return count
}

/** There must be no key that was not counted. */
async function strayKeys(pipeline: Pipeline, progress: Progress): Promise<string[]> {
  const size = await pipeline.call('DBSIZE')
  const keys = size?.kind === 'integer' ? Number(size.value) : 0
  const counters = progress.filter((steps) => steps > 0).length
  const hasTotal = progress.some((steps, connection) => steps > 0 && isTransactional(connection))
  const most = BALLAST_KEYS + sum(progress) + counters + (hasTotal ? 1 : 0)
  return keys > most ? [`there are ${keys} keys, and ${most} were counted`] : []
}

async function numberAt(pipeline: Pipeline, key: string): Promise<number> {
  return Number(textOf(await pipeline.call('GET', key)) ?? '0')
}

function textOf(reply: Reply | undefined): string | undefined {
  return reply?.kind === 'bulk' ? reply.bytes : undefined
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
