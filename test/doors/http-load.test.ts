/**
 * A Sentinel of a thousand groups, each a master and a replica, while its documents are read once a
 * second. One program on this machine plays all of them, on addresses of the loopback network, and notes
 * when each PING comes. Prints how long the documents take and how late the PINGs are, with and without.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePorts, MAIN, Program, run, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const HAS_CURL = spawnSync('curl', ['--version'], { stdio: 'ignore' }).error === undefined
const GROUPS = 1_000
const ROUNDS = 4
const ROUND_SECONDS = 3
const PATHS: readonly Path[] = ['/cluster', '/metrics']
const PERIOD_MS = 1_000

test.skipIf(!HAS_CURL)(
  'a thousand groups: the documents are made quickly, and no PING is later for it (need curl)',
  async ({ onTestFinished }) => {
    const [port = 0, http = 0, nodePort = 0] = await freePorts(3)
    const nodes = new ManyNodes(nodePort)
    onTestFinished(() => nodes.stop())
    await nodes.listen()
    const folder = scratchFolder('load')
    const path = join(folder, 'sentinel.yml')
    writeFileSync(path, config(port, http, nodePort))
    const program = new Program(port, join(folder, 'log'), process.execPath, [
      MAIN,
      'sentinel',
      path,
    ])
    onTestFinished(async () => {
      await program.kill()
    })
    program.start()
    const groups = await until('all groups are known, with their replicas', 60_000, async () => {
      const reply = await fetch(`http://127.0.0.1:${http}/cluster`)
      const { groups } = (await reply.json()) as { groups: { nodes: unknown[] }[] }
      const isKnown = groups.every((one) => one.nodes.length === 2)
      return groups.length === GROUPS && isKnown && groups
    })
    // The first INFOs and hellos of all are over.
    await pause(8_000)

    const times = { '/cluster': [] as number[], '/metrics': [] as number[] }
    const alone: number[] = []
    const watched: number[] = []
    // By turns: what else the machine does falls on both alike.
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await nodes.measure(() => readEverySecond(http, ['/liveness', '/liveness']))))
      watched.push(...(await nodes.measure(() => readEverySecond(http, PATHS, times))))
    }
    const row = (name: string, late: readonly number[]) =>
      `| ${name} | ${at(late, 0.5)} ms | ${at(late, 0.99)} ms | ${at(late, 1)} ms |`
    console.log(
      [
        `${groups.length} groups; the machine has a load of ${loadavg()[0]?.toFixed(1)}`,
        '| | half | 99 % | most |',
        '|---|---|---|---|',
        ...PATHS.map((path) => row(`${path}, time to the last byte`, times[path])),
        row('PING late, somebody reads /liveness twice a second', alone),
        row('PING late, somebody reads both documents every second', watched),
      ].join('\n'),
    )
    // Bounds for a machine that is busy with ten other things; the table has the numbers.
    for (const path of PATHS) expect(Number(at(times[path], 0.5))).toBeLessThan(500)
    expect(Number(at(watched, 0.5))).toBeLessThan(Number(at(alone, 0.5)) + 100)
  },
)

type Path = '/cluster' | '/metrics'

/** A read is a process of its own, which needs a processor too: so there are as many without documents. */
async function readEverySecond(
  port: number,
  paths: readonly string[],
  times: Partial<Record<string, number[]>> = {},
): Promise<void> {
  for (let second = 0; second < ROUND_SECONDS; second++) {
    const beganMs = performance.now()
    for (const path of paths) {
      const { status, ms } = await read(port, path)
      expect(status).toBe(200)
      times[path]?.push(ms)
    }
    await pause(1_000 - (performance.now() - beganMs))
  }
}

function config(port: number, http: number, nodePort: number): string {
  const groups = Array.from({ length: GROUPS }, (_, at) => [
    `  group${at}:`,
    `    master: ${hostOf(1, at)}:${nodePort}`,
    '    quorum: 1',
    '    down-after: 30s',
  ])
  const head = [`port: ${port}`, 'bind: 127.0.0.1', `http-port: ${http}`, 'log-level: warning']
  return [...head, 'groups:', ...groups.flat(), ''].join('\n')
}

function hostOf(network: number, at: number): string {
  return `127.${network}.${Math.floor(at / 250)}.${(at % 250) + 1}`
}

/** By a program of its own: this one notes when PINGs come, and must not be busy with documents. */
async function read(port: number, path: string) {
  const figures = '%{http_code} %{time_total}'
  const where = `http://127.0.0.1:${port}${path}`
  const { stdout } = await run('curl', ['-s', '-o', '/dev/null', '-w', figures, where])
  const [status = 0, seconds = 0] = stdout.split(' ').map(Number)
  return { status, ms: 1_000 * seconds }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}

function at(values: readonly number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)
}

/** Masters at 127.1.x.y, each with a replica at 127.2.x.y. */
class ManyNodes {
  readonly #port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #lastPing = new Map<Socket, number>()
  #late: number[] | undefined

  constructor(port: number) {
    this.#port = port
    this.#server = createServer((socket) => this.#take(socket))
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(this.#port, '0.0.0.0', 4_096, () => resolve())
    })
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** How late each PING came that came meanwhile. */
  async measure(meanwhile: () => Promise<void>): Promise<readonly number[]> {
    const late: number[] = []
    this.#late = late
    await meanwhile()
    this.#late = undefined
    return late
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      const answers = text.split(/(?=\*\d+\r\n)/).map((one) => this.#answer(socket, one))
      socket.write(answers.join(''))
    })
  }

  #answer(socket: Socket, request: string): string {
    if (request.includes('\r\nPING\r\n')) return this.#ping(socket)
    if (request.includes('\r\nINFO\r\n')) return this.#info(socket)
    if (request.includes('\r\nSUBSCRIBE\r\n')) {
      return '*3\r\n$9\r\nsubscribe\r\n$18\r\n__sentinel__:hello\r\n:1\r\n'
    }
    return request.includes('\r\nPUBLISH\r\n') ? ':1\r\n' : '+OK\r\n'
  }

  #ping(socket: Socket): string {
    const nowMs = performance.now()
    const lastMs = this.#lastPing.get(socket)
    if (lastMs !== undefined) this.#late?.push(Math.max(0, nowMs - lastMs - PERIOD_MS))
    this.#lastPing.set(socket, nowMs)
    return '+PONG\r\n'
  }

  #info(socket: Socket): string {
    const host = socket.localAddress ?? ''
    const other = host.replace(/^127\.1\./, '127.2.')
    const isMaster = host.startsWith('127.1.')
    const role = isMaster
      ? [
          ...['role:master', 'connected_slaves:1', 'master_repl_offset:1000'],
          `slave0:ip=${other},port=${this.#port},state=online,offset=990,lag=0`,
        ]
      : [
          ...['role:slave', `master_host:${host.replace('127.2.', '127.1.')}`],
          ...[`master_port:${this.#port}`, 'master_link_status:up', 'slave_repl_offset:990'],
        ]
    const id = Buffer.from(host).toString('hex').padStart(40, '0')
    // A real INFO has some five thousand bytes.
    const rest = Array.from({ length: 120 }, (_, at) => `some_field_of_info_${at}:${at}000000`)
    const text = [`run_id:${id}`, ...rest, ...role, ''].join('\r\n')
    return `$${text.length}\r\n${text}\r\n`
  }
}
