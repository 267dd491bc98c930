/**
 * HAProxy in front of three nodes and three Sentinels, with the recipe its users have (redis-check and
 * get-master-addr-by-name) beside two that ask GET /primary, through a kill and a planned failover under a
 * writing client. Prints what the clients met; docs/http.md has the table.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  agreedMaster,
  follows,
  freePorts,
  HAS_REDIS_CLI,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const HAS_HAPROXY = spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).error === undefined
const TOKEN = 'a-token-of-32-characters-0123456'
const RECIPES = ['redis-check', 'http-check at the node', 'http-check at a Sentinel'] as const

describe.skipIf(!HAS_HAPROXY || !HAS_REDIS_CLI)('(need haproxy and redis-cli)', () => {
  test('a load balancer that asks GET /primary follows a kill and a planned failover', async ({
    onTestFinished,
  }) => {
    const httpPorts = await freePorts(6)
    const cluster = await startCluster({ httpPorts, sentinelLines: [`http-token: ${TOKEN}`] })
    onTestFinished(() => cluster.stop())
    const fronts = await freePorts(RECIPES.length)
    const haproxy = startHaproxy(cluster, httpPorts, fronts)
    onTestFinished(() => void haproxy.kill('SIGKILL'))
    const writers = fronts.map((port) => new Writer(port))
    onTestFinished(() => {
      for (const writer of writers) writer.stop()
    })
    await allWrite(writers)

    const [master] = cluster.nodes as [Program]
    for (const writer of writers) writer.begin()
    await master.kill()
    const promoted = await agreedMaster(cluster)
    await allWrite(writers)
    const killed = writers.map((one) => one.met())

    master.start()
    await until('the old master follows', 20_000, () => follows(master, promoted))
    await allWrite(writers)
    for (const writer of writers) writer.begin()
    await switchOver(httpPorts.at(-1) as number)
    await agreedMaster(cluster, promoted, 20_000)
    await allWrite(writers)
    const planned = writers.map((one) => one.met())

    console.log(table(killed, planned))
    for (const { gapMs } of [...killed, ...planned]) expect(gapMs).toBeLessThan(10_000)
  })
})

async function switchOver(port: number): Promise<void> {
  await until('the Sentinel takes the order', 20_000, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/switchover`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}` },
    })
    if (answer.status !== 200) throw new Error(await answer.text())
    return true
  })
}

/** Writes in a row through each, without an error, for as long as every check takes to be made. */
async function allWrite(writers: readonly Writer[]): Promise<void> {
  for (const writer of writers) writer.inARow = 0
  for (const [at, writer] of writers.entries()) {
    await until(`writes pass through ${RECIPES[at]}`, 20_000, () => writer.inARow >= 200)
  }
}

interface Met {
  readonly gapMs: number
  readonly readonly: number
  readonly errors: string
}

/** Writes all the time, one write after the other, and takes its connection up again at once. */
class Writer {
  readonly #port: number
  #socket: Socket | undefined
  #isOver = false
  #lastMs = performance.now()
  #gapMs = 0
  #errors = new Map<string, number>()
  inARow = 0

  constructor(port: number) {
    this.#port = port
    this.#open()
  }

  begin(): void {
    this.#gapMs = 0
    this.#errors = new Map()
  }

  met(): Met {
    const { READONLY: readonly = 0, ...others } = Object.fromEntries(this.#errors)
    const errors = Object.entries(others).map(([code, count]) => `${count} ${code}`)
    return { gapMs: Math.round(this.#gapMs), readonly, errors: errors.join(', ') }
  }

  stop(): void {
    this.#isOver = true
    this.#socket?.destroy()
  }

  #open(): void {
    if (this.#isOver) return
    const socket = connect(this.#port, '127.0.0.1')
    this.#socket = socket
    socket.setTimeout(500, () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => setTimeout(() => this.#open(), 10))
    socket.on('data', (reply) => {
      this.#heard(String(reply))
      setTimeout(() => socket.writable && socket.write('SET key value\r\n'), 5)
    })
    socket.write('SET key value\r\n')
  }

  #heard(reply: string): void {
    if (!reply.startsWith('+OK')) {
      this.inARow = 0
      const code = reply.slice(1).split(' ')[0] ?? ''
      this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1)
      return
    }
    const nowMs = performance.now()
    this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs)
    this.#lastMs = nowMs
    this.inARow++
  }
}

function startHaproxy(
  cluster: RealCluster,
  httpPorts: readonly number[],
  fronts: readonly number[],
): ChildProcess {
  const path = join(cluster.folder, 'haproxy.cfg')
  writeFileSync(path, haproxyConfig(cluster, httpPorts, fronts))
  return spawn('haproxy', ['-db', '-f', path], { stdio: 'ignore' })
}

/** Every check once a second, and one failure is enough, as in the recipe of the users. */
function haproxyConfig(
  { nodes, sentinels }: RealCluster,
  httpPorts: readonly number[],
  [redis, atNode, atSentinel]: readonly number[],
): string {
  const server = ({ port }: Program, at: number, check: string) =>
    `  server R${at} 127.0.0.1:${port} check inter 1s fall 1 rise 1 on-marked-down shutdown-sessions ${check}`
  return `
defaults
  mode tcp
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 500ms

listen redis_check
  bind 127.0.0.1:${redis}
  option tcp-check
  tcp-check connect
  tcp-check send "PING\\r\\n"
  tcp-check expect string +PONG
  tcp-check send "info replication\\r\\n"
  tcp-check expect string role:master
  tcp-check send "QUIT\\r\\n"
  tcp-check expect string +OK
${nodes.map((_node, at) => `  use-server R${at} if { srv_is_up(R${at}) } { nbsrv(is_master_${at}) ge 2 }`).join('\n')}
${nodes.map((node, at) => server(node, at, '')).join('\n')}

${nodes.map((node, at) => sentinelBackend(node, at, sentinels)).join('\n')}

listen http_check_at_the_node
  bind 127.0.0.1:${atNode}
  option httpchk GET /primary
  http-check expect status 200
${nodes.map((node, at) => server(node, at, `port ${httpPorts[at]}`)).join('\n')}

listen http_check_at_a_sentinel
  bind 127.0.0.1:${atSentinel}
  option httpchk GET /primary
  http-check send-state
  http-check expect status 200
${nodes.map((node, at) => server(node, at, `addr 127.0.0.1 port ${httpPorts[nodes.length + at]}`)).join('\n')}
`
}

function sentinelBackend({ port }: Program, at: number, sentinels: readonly Program[]): string {
  return `backend is_master_${at}
  option tcp-check
  tcp-check connect
  tcp-check send "PING\\r\\n"
  tcp-check expect string +PONG
  tcp-check send "SENTINEL get-master-addr-by-name mymaster\\r\\n"
  tcp-check expect string ${port}
  tcp-check send "QUIT\\r\\n"
  tcp-check expect string +OK
${sentinels.map((one, number) => `  server S${number} 127.0.0.1:${one.port} check inter 1s fall 1 rise 1`).join('\n')}`
}

function table(killed: readonly Met[], planned: readonly Met[]): string {
  const cells = ({ gapMs, readonly, errors }: Met) => `${gapMs} ms | ${readonly} | ${errors || '-'}`
  const rows = RECIPES.map(
    (name, at) => `| ${name} | ${cells(killed[at] as Met)} | ${cells(planned[at] as Met)} |`,
  )
  return [
    '| recipe | kill: longest gap | READONLY | other errors | planned: longest gap | READONLY | other errors |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
