/**
 * A real Prometheus over real clusters: three of our Sentinels watch a group of redis-servers and a group of
 * our data nodes. What is shipped for Prometheus and Grafana must work there: names and types, every alert
 * rule, every query of the board, and an alert that fires when a master is killed and resolves afterwards.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boardQueries } from '../support/board.ts'
import {
  cli,
  follows,
  freePorts,
  HAS_REDIS_SERVER,
  MAIN,
  node,
  Program,
  stopAll,
  until,
} from '../support/processes.ts'
import { HAS_PROMETHEUS, Prometheus } from '../support/prometheus.ts'
import { scratchFolder } from '../support/scratch.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const RULES = join(DEPLOY, 'prometheus/alerts.yml')

describe.skipIf(!HAS_PROMETHEUS)('the alert rules (need prometheus)', () => {
  test('each fires when it should and is silent when it should', () => {
    const outcome = spawnSync(
      'promtool',
      ['test', 'rules', join(DEPLOY, 'prometheus/alerts.test.yml')],
      { encoding: 'utf8' },
    )
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('SUCCESS')
    expect(outcome.status).toBe(0)
  })

  test('each has a case in which it fires', () => {
    const cases = readFileSync(join(DEPLOY, 'prometheus/alerts.test.yml'), 'utf8')
    const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, one]) => one)
    expect(names.length).toBeGreaterThan(10)
    const fires = (name = '') =>
      new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n\\s+- exp_labels`).test(cases)
    expect(names.filter((name) => !fires(name))).toEqual([])
  })
})

const isComplete = HAS_PROMETHEUS && HAS_REDIS_SERVER
describe.skipIf(!isComplete)('scraped by Prometheus (need prometheus, redis-server)', () => {
  const folder = scratchFolder('prometheus')
  let redis: readonly Program[]
  let ours: readonly Program[]
  let sentinels: readonly Program[]
  let sentinelHttp: readonly number[]
  let nodeHttp: readonly number[]
  let prometheus: Prometheus

  beforeAll(async () => {
    const ports = await freePorts(15)
    const take = (count: number) => ports.splice(0, count)
    const redisPorts = take(3)
    const ourPorts = take(2)
    const sentinelPorts = take(3)
    sentinelHttp = take(3)
    nodeHttp = take(2)
    redis = redisPorts.map((port, at) => redisServer(port, at === 0 ? undefined : redisPorts[0]))
    ours = ourPorts.map((port, at) =>
      node(folder, port, [
        `http-port ${nodeHttp[at]}`,
        ...(at === 0 ? [] : [`replicaof 127.0.0.1 ${ourPorts[0]}`]),
      ]),
    )
    const masters = { redis: redisPorts[0] ?? 0, ours: ourPorts[0] ?? 0 }
    sentinels = sentinelPorts.map((port, at) => sentinel(port, sentinelHttp[at] ?? 0, masters))
    for (const one of [...redis, ...ours, ...sentinels]) one.start()
    prometheus = new Prometheus({
      folder,
      port: take(1)[0] ?? 0,
      targets: { sentinels: sentinelHttp, nodes: nodeHttp },
      rules: hurried(readFileSync(RULES, 'utf8')),
    })
    await prometheus.start()
    await until('everybody knows everybody', 20_000, async () => {
      const known = await prometheus.query('sum(redis_sentinel_master_ok_sentinels)')
      const replicas = await prometheus.query('sum(vedette_group_promotable_replicas)')
      return known[0]?.value === 3 * 6 && replicas[0]?.value === 3 * 3
    })
  })

  afterAll(() =>
    stopAll(
      folder,
      [prometheus?.program, ...sentinels, ...redis, ...ours].filter((one) => one !== undefined),
    ),
  )

  function redisServer(port: number, master: number | undefined): Program {
    const dir = join(folder, `${port}`)
    mkdirSync(dir)
    const replicaOf = master === undefined ? [] : ['--replicaof', '127.0.0.1', `${master}`]
    return new Program(port, `${dir}.log`, 'redis-server', [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir],
      ...['--repl-diskless-sync-delay', '0', ...replicaOf],
    ])
  }

  function sentinel(port: number, http: number, masters: Record<string, number>): Program {
    const dir = join(folder, `${port}`)
    mkdirSync(dir)
    const groups = Object.entries(masters).map(([name, master]) => [
      name,
      { master: `127.0.0.1:${master}`, quorum: 2, 'down-after': '500ms' },
    ])
    const file = { port, 'http-port': http, bind: '127.0.0.1', groups: Object.fromEntries(groups) }
    const path = join(dir, 'sentinel.yml')
    writeFileSync(path, JSON.stringify(file))
    return new Program(port, `${dir}.log`, process.execPath, [MAIN, 'sentinel', path])
  }

  test('promtool finds nothing wrong but how redis_exporter spells some names', async () => {
    const complaints = new Set<string>()
    for (const port of [...sentinelHttp, ...nodeHttp]) {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
      const input = await answer.text()
      expect(input).toContain('vedette_build_info')
      const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      })
      for (const line of `${stdout}${stderr}`.trim().split('\n')) complaints.add(line)
    }
    complaints.delete('')
    expect([...complaints].filter((line) => !line.startsWith('redis_'))).toEqual([])
    expect(complaints.size).toBeLessThan(8)
  })

  test('in quiet times every target is up, no alert fires, and the board has its data', async () => {
    const up = await prometheus.query('up')
    expect(up.map(({ value }) => value)).toEqual([1, 1, 1, 1, 1])
    expect((await prometheus.firing()).filter((name) => !OF_THE_MACHINE.has(name))).toEqual([])
    const lag = await prometheus.query('max by (master_name) (vedette_replica_lag_bytes)')
    expect(lag.map(({ metric }) => metric.master_name).sort()).toEqual(['ours', 'redis'])
    const roundTrips = await prometheus.query(
      'count by (role) (vedette_instance_ping_round_trip_seconds)',
    )
    const count = Object.fromEntries(roundTrips.map((one) => [one.metric.role, one.value]))
    expect(count).toEqual({ master: 6, replica: 9, sentinel: 12 })
    for (const { title, expr } of QUERIES) {
      // An increase needs two scrapes. No query may be an error, whether it has data yet or not.
      const found = async () => (await prometheus.query(expr)).length > 0
      if (NEEDS_A_FAILOVER.has(title)) await found()
      else await until(`the board has ${title}`, 10_000, found)
    }
  })

  test('a killed master: an alert fires, the phases are there, and all resolves in the end', async () => {
    const [first] = sentinels as [Program]
    const masterPort = () => Number(cli(first.port, ...ASK)[1])
    const master = redis.find(({ port }) => port === masterPort()) as Program
    const before = await total('vedette_group_switches_total')
    await master.kill()
    await until('the alerts of the failover fire', 15_000, async () => {
      const firing = await prometheus.firing()
      return firing.includes('VedetteFailover') && firing.includes('VedetteInstanceDown')
    })
    const alerts = await prometheus.alerts()
    const down = alerts.find(({ name }) => name === 'VedetteInstanceDown')
    expect(down?.labels).toMatchObject({
      master_name: 'redis',
      address: `127.0.0.1:${master.port}`,
      severity: 'warning',
    })
    const phases = await prometheus.query(
      'topk by (phase) (1, vedette_last_failover_phase_seconds{part="leader"})',
    )
    expect(phases.map(({ metric }) => metric.phase).sort()).toEqual([
      ...['agreed', 'detected', 'elected', 'promoted', 'reconfigured', 'switched'],
    ])
    const detected = phases.find(({ metric }) => metric.phase === 'detected')
    // Sooner than down-after, because a port that refuses connections proves more than silence.
    expect(detected?.value).toBeGreaterThan(0.01)
    expect((await total('vedette_group_switches_total')) - before).toBe(3)
    expect(await total('vedette_group_failovers_led_total')).toBe((before + 3) / 3)
    for (const { title, expr } of QUERIES) {
      const found = await prometheus.query(expr)
      expect([title, found.length > 0]).toEqual([title, true])
    }
    master.start()
    await until('the old master follows the new one', 15_000, () => follows(master, masterPort()))
    await until('every alert is resolved', 30_000, async () => {
      const firing = await prometheus.firing()
      return firing.every((name) => OF_THE_MACHINE.has(name))
    })
    const resolved = await prometheus.query('ALERTS{alertname="VedetteFailover"}')
    expect(resolved).toEqual([])
    const ever = await prometheus.query(
      'last_over_time(ALERTS{alertname="VedetteFailover",alertstate="firing"}[5m])',
    )
    expect(ever).toHaveLength(1)
    expect(ever[0]?.metric.master_name).toBe('redis')
  })

  test('a Sentinel that ends is reported, and its series end with it', async () => {
    const last = sentinels[2] as Program
    await last.kill()
    await until('its absence fires', 15_000, async () =>
      (await prometheus.firing()).includes('VedetteProcessDown'),
    )
    const masters = await prometheus.query('redis_sentinel_masters')
    expect(masters).toHaveLength(2)
  })

  const ASK = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'redis']

  async function total(name: string): Promise<number> {
    return (await prometheus.query(`sum(${name}{master_name="redis"})`))[0]?.value ?? 0
  }
})

/** The rules as they are shipped, but for their patience. */
function hurried(rules: string): string {
  return rules.replace(/for: \w+/g, 'for: 1s').replace('switches_total[10m]', 'switches_total[10s]')
}

/** They are right if the machine that runs the test is busy. */
const OF_THE_MACHINE = new Set(['VedetteEventLoopLag', 'VedetteStateSaveSlow'])

/** What only is drawn once there was one. */
const NEEDS_A_FAILOVER = new Set([
  'The last failover, phase by phase',
  'Phases, on average',
  'Events',
  'A whole failover, nine of ten',
])

/** test/doors/prometheus-strict.test.ts has the others. */
const QUERIES = boardQueries().filter(
  ({ row }) => row !== 'Strict replication' && row !== 'Proxies',
)
