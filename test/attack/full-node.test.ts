/**
 * A node that nobody gave a limit, and writers that never stop: it refuses in words, goes on answering,
 * is killed and started again, and has everything that it acknowledged. VEDETTE_FULL_NODE_SECONDS=300 for
 * the long form of it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { MemoryGroup } from '../support/memory-group.ts'
import { freePorts, MAIN, Program, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const MB = 1024 * 1024
const PATIENCE_MS = 60_000
/** Filling takes a few seconds, and on a busy machine some minutes. */
const FILL_MS = 180_000
const WRITERS = 4
const PAGE = 50
/** How many elements a collection gets. */
const LENGTH = 200
/** Between two restarts. */
const LIFE_MS = 20_000
const SECONDS = Number(process.env.VEDETTE_FULL_NODE_SECONDS ?? 0)
const OOM = "-OOM command not allowed when used memory > 'maxmemory'."

let folder = ''
const programs: Program[] = []
const groups: MemoryGroup[] = []

beforeEach(() => {
  folder = scratchFolder('full')
})
afterEach(async () => {
  await stopAll(folder, programs.splice(0))
  for (const group of groups.splice(0)) group.remove()
})

test.each([
  ['a heap of 96 MB', (argv: string[]) => withHeap(96, argv)],
  ['a container of 256 MB', (argv: string[]) => inContainer(256, argv)],
])(
  '%s, filled without end and restarted: alive, -OOM in words, nothing lost',
  async (_, wrap) => {
    const program = await start(wrap)
    const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(program, number))
    const endMs = Date.now() + 1000 * SECONDS
    for (let life = 0; life < 2 || Date.now() < endMs; life++) {
      await live(program, writers, life)
      await program.kill()
      program.start()
      await ready(program)
      for (const writer of writers) await writer.verify()
    }
    expect(program.log()).toContain('commands that need memory are refused (-OOM)')
  },
  1000 * SECONDS + 300_000,
)

/** From a start to the next kill: until writes have been refused for a while. */
async function live(program: Program, writers: readonly Writer[], life: number): Promise<void> {
  if (life > 0) for (const writer of writers) await writer.makeRoom()
  const refusedBefore = writers.map(({ refused }) => refused)
  let isOver = false
  const writing = writers.map((writer) => writer.write(() => isOver))
  const startMs = Date.now()
  await until('all writers have been refused', FILL_MS, () => {
    if (!program.isRunning) throw new Error(program.log().slice(-2000))
    return writers.every(({ refused }, at) => refused > (refusedBefore[at] as number))
  })
  await say(program, 'BGSAVE')
  if (SECONDS > 0) {
    await until('the life is over', 2 * LIFE_MS, () => Date.now() - startMs > LIFE_MS)
  }
  expect(await say(program, 'PING')).toBe('+PONG\r\n')
  expect(program.isRunning).toBe(true)
  isOver = true
  await Promise.all(writing)
}

async function start(wrap: (argv: string[]) => [string, string[]]): Promise<Program> {
  const [port] = (await freePorts(1)) as [number]
  const path = join(folder, 'data')
  mkdirSync(path)
  const words = ['--port', `${port}`, '--dir', path, '--save', '', '--appendonly', 'yes']
  const [command, argv] = wrap([MAIN, 'server', ...words])
  const program = new Program(port, join(folder, `${port}.log`), command, argv)
  programs.push(program)
  program.start()
  return ready(program)
}

function withHeap(mb: number, argv: string[]): [string, string[]] {
  return [process.execPath, [`--max-old-space-size=${mb}`, ...argv]]
}

/** Where there are no control groups for us, the heap that Node would choose in such a container. */
function inContainer(mb: number, argv: string[]): [string, string[]] {
  const group = MemoryGroup.create(`vedette-${process.pid}`, mb * MB)
  if (group === undefined) return withHeap(mb / 2, argv)
  groups.push(group)
  return group.enter([process.execPath, ...argv])
}

async function ready(program: Program): Promise<Program> {
  await until('it has loaded', PATIENCE_MS, async () => {
    if (!program.isRunning) throw new Error(program.log().slice(-2000))
    return (await say(program, 'PING')) === '+PONG\r\n'
  })
  return program
}

async function say(program: Program, ...words: string[]): Promise<string> {
  const client = await RawClient.connect(program.port)
  try {
    return await client.reply(encodeCommand(words), 4)
  } finally {
    client.close()
  }
}

type Kind = 'string' | 'list' | 'hash' | 'zset' | 'set' | 'stream'

const KINDS: readonly Kind[] = ['string', 'list', 'hash', 'zset', 'set', 'stream']
const COUNTING: Readonly<Record<Kind, string>> = {
  string: 'EXISTS',
  list: 'LLEN',
  hash: 'HLEN',
  zset: 'ZCARD',
  set: 'SCARD',
  stream: 'XLEN',
}

/** What it has written to a key: acknowledged, and sent without an answer when the node was killed. */
interface Written {
  readonly kind: Kind
  acknowledged: number
  open: number
}

/** Writes to keys of its own, and knows what was acknowledged. */
class Writer {
  refused = 0
  readonly #program: Program
  readonly #number: number
  readonly #written = new Map<string, Written>()
  #next = 0

  constructor(program: Program, number: number) {
    this.#program = program
    this.#number = number
  }

  async write(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const page = Array.from({ length: PAGE }, () => this.#command())
      await this.#send(page)
    }
  }

  /** Deletes a half of what is there. */
  async makeRoom(): Promise<void> {
    const keys = [...this.#written.keys()].filter((_, at) => at % 2 === 0)
    for (let from = 0; from < keys.length; from += PAGE) {
      const some = keys.slice(from, from + PAGE)
      await until('it deletes', PATIENCE_MS, () => this.#ask([['DEL', ...some]]))
      for (const key of some) this.#written.delete(key)
    }
  }

  /** Throws unless the node has all that was acknowledged, and nothing that was never sent. */
  async verify(): Promise<void> {
    const all = [...this.#written]
    for (let from = 0; from < all.length; from += PAGE) {
      const some = all.slice(from, from + PAGE)
      const questions = some.map(([key, { kind }]) => [COUNTING[kind], key])
      const answers = await until('it answers', PATIENCE_MS, () => this.#ask(questions))
      for (const [at, [key, written]] of some.entries()) {
        const found = Number(answers[at]?.slice(1))
        const { kind, acknowledged, open } = written
        const expected = `${key}, a ${kind}: ${acknowledged} acknowledged, ${open} open`
        const isRight = found >= acknowledged && found <= acknowledged + open
        expect(isRight, `${expected}, found ${found}`).toBe(true)
        Object.assign(written, { acknowledged: found, open: 0 })
      }
    }
  }

  #command(): { key: string; words: string[] } {
    const at = this.#next++
    const kind = KINDS[at % KINDS.length] as Kind
    const key = `${kind}:${this.#number}:${kind === 'string' ? at : Math.floor(at / LENGTH)}`
    const value = `${at}:`.padEnd((kind === 'string' ? 100 : 1) * (300 + (at % 7) * 100), 'x')
    if (!this.#written.has(key)) this.#written.set(key, { kind, acknowledged: 0, open: 0 })
    switch (kind) {
      case 'string':
        return { key, words: ['SET', key, value] }
      case 'list':
        return { key, words: ['RPUSH', key, value] }
      case 'hash':
        return { key, words: ['HSET', key, `${at}`, value] }
      case 'zset':
        return { key, words: ['ZADD', key, `${at}.5`, `${at}`] }
      case 'set':
        return { key, words: ['SADD', key, value] }
      case 'stream':
        return { key, words: ['XADD', key, '*', 'field', value] }
    }
  }

  async #send(page: readonly { key: string; words: string[] }[]): Promise<void> {
    for (const { key } of page) this.#of(key).open++
    // On a busy machine an answer may be late: then nobody knows what has become of the command.
    const answers = await this.#ask(page.map(({ words }) => words)).catch(() => [])
    let refused = 0
    for (const [at, { key }] of page.entries()) {
      const answer = answers[at]
      if (answer === undefined) continue
      const written = this.#of(key)
      written.open--
      if (answer === OOM) refused++
      else if (answer.startsWith('-')) throw new Error(answer)
      else written.acknowledged++
    }
    this.refused += refused
    // A client that is refused does not ask again at once.
    if (refused > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  #of(key: string): Written {
    return this.#written.get(key) as Written
  }

  /** One line of answer for each command, on a connection of its own. */
  async #ask(commands: readonly string[][]): Promise<string[]> {
    const client = await RawClient.connect(this.#program.port)
    try {
      client.send(commands.map((words) => encodeCommand(words)).join(''))
      const isWhole = (text: string) => linesOf(text).length >= commands.length
      return linesOf(await client.untilReceived(isWhole))
    } finally {
      client.close()
    }
  }
}

/** The ids that XADD answers with come with their length before them. */
function linesOf(text: string): string[] {
  const whole = text.slice(0, Math.max(0, text.lastIndexOf('\r\n')))
  return whole.split('\r\n').filter((line) => line !== '' && !line.startsWith('$'))
}
