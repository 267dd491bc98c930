/** Sentinels on the loopback interface: ours, and Redis' own if it is installed, with the same file. */

import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createRng } from '../../src/base/rng.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { bareLogger } from '../../src/io/log/bare-logger.ts'
import { listen } from '../../src/io/network/listener.ts'
import { readClock } from '../../src/io/process/clock.ts'
import { processFacts } from '../../src/io/process/process-facts.ts'
import { SentinelHost } from '../../src/io/sentinel-host.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { freePorts, isInstalled, until } from './processes.ts'
import { HOST } from './real-nodes.ts'
import { scratchFolder } from './scratch.ts'

const REDIS_SENTINEL = 'redis-sentinel'
export const hasRedisSentinel = isInstalled(REDIS_SENTINEL)

export interface RealSentinel {
  readonly port: number
  /** The exit status; undefined for a signal or while it runs. */
  exitStatus(): number | undefined
  stop(): Promise<void>
}

/** In this process, from sources. `lines` are those of a sentinel.conf. */
export async function startOurSentinel(lines: readonly string[]): Promise<RealSentinel> {
  const [port = 0] = await freePorts(1)
  const parsed = parseSentinelConf([`port ${port}`, ...lines].join('\n'), 'sentinel.conf', [])
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const listener = await listen({ addresses: [HOST], port })
  let status: number | undefined
  const host = new SentinelHost({
    start: {
      config: parsed.value.core,
      saved: undefined,
      rng: createRng(`sentinel ${port}`),
      now: readClock(),
      process: processFacts({ configFile: '/etc/sentinel.conf', supervised: 'no', version: '' }),
    },
    save: () => Promise.resolve(),
    logger: bareLogger(),
    onExit: (how) => {
      status = how
      listener.close()
    },
  })
  listener.accept((socket) => host.accept(socket))
  return {
    port,
    exitStatus: () => status,
    stop: async () => {
      listener.close()
      host.abandon()
    },
  }
}

/** Redis' own, of the installed version. */
export async function startRedisSentinel(lines: readonly string[]): Promise<RealSentinel> {
  const folder = scratchFolder('sentinel')
  const [port = 0] = await freePorts(1)
  const path = join(folder, 'sentinel.conf')
  writeFileSync(path, [`port ${port}`, `dir ${folder}`, ...lines, ''].join('\n'))
  const child = spawn(REDIS_SENTINEL, [path], { stdio: 'ignore' })
  await until(`redis-sentinel listens on ${port}`, 10_000, () => isOpen(port))
  return {
    port,
    exitStatus: () => child.exitCode ?? undefined,
    stop: async () => {
      await ended(child)
      rmSync(folder, { recursive: true })
    },
  }
}

/** The answer to one command: replies and pushes in their order, and whether the connection ended. */
export interface Answer {
  readonly replies: readonly Reply[]
  readonly isClosed: boolean
}

const PATIENCE_MS = 10_000

/**
 * Sends commands in one pipeline on a separate connection. Each is followed by a command that does not
 * exist, because its refusal comes in every state of a connection, and separates the answers.
 */
export function converse(
  port: number,
  commands: readonly (readonly string[])[],
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST)
    const decoder = new ReplyDecoder()
    const answers: Answer[] = []
    let replies: Reply[] = []
    const late = () => fail(`${commands[answers.length]?.join(' ')} is not answered on ${port}`)
    const timer = setTimeout(late, PATIENCE_MS)
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answers)
    }
    const fail = (reason: string) => {
      clearTimeout(timer)
      socket.destroy()
      reject(new Error(reason))
    }
    const take = (reply: Reply) => {
      if (reply.kind === 'error' && reply.text.includes(endOf(answers.length))) {
        answers.push({ replies, isClosed: false })
        replies = []
      } else {
        replies.push(reply)
      }
    }
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (answers.length < commands.length) answers.push({ replies, isClosed: true })
      end()
    })
    socket.on('data', (bytes) => {
      decoder.push(String(bytes))
      for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
        if (reply.kind === 'malformed') return fail(reply.text)
        take(reply)
      }
      if (answers.length === commands.length) end()
    })
    const requests = commands.map((argv, at) => encodeCommand(argv) + encodeCommand([endOf(at)]))
    socket.write(requests.join(''), 'latin1')
  })
}

function endOf(index: number): string {
  return `end-of-${index}.`
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
