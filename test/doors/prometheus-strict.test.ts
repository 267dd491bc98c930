/**
 * The alerts of strict groups and of proxies, in a real Prometheus over real processes: each fires in what it
 * describes, and is silent before and afterwards. And the dashboard has data in its rows for them.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { boardQueries } from '../support/board.ts'
import {
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  startCluster,
  stopAll,
  until,
} from '../support/processes.ts'
import { HAS_PROMETHEUS, Prometheus } from '../support/prometheus.ts'

const RULES = fileURLToPath(new URL('../../deploy/prometheus/alerts.yml', import.meta.url))
const ROWS = ['Strict replication', 'Proxies']
const OURS = ['VedetteTooFewVoters', 'VedetteWritesStalled', 'VedetteProxyWithoutMaster']

/** As shipped, but for their patience. */
function hurried(): string {
  return readFileSync(RULES, 'utf8')
    .replace(/for: \w+/g, 'for: 1s')
    .replace('stalled_seconds) > 5', 'stalled_seconds) > 1')
}

test.skipIf(!HAS_PROMETHEUS || !HAS_REDIS_CLI)(
  'lost voters, waiting writes and a proxy without a master fire and resolve (needs prometheus, redis-cli)',
  async ({ onTestFinished }) => {
    const [proxyPort = 0, prometheusPort = 0, ...httpPorts] = await freePorts(9)
    const cluster = await startCluster({ isStrict: true, downAfterMs: 500, httpPorts })
    onTestFinished(() => cluster.stop())
    const { folder, nodes, sentinels } = cluster
    const sentinelWords = sentinels.flatMap(({ port }) => ['--sentinel', `127.0.0.1:${port}`])
    const proxy = new Program(proxyPort, `${folder}/proxy.log`, process.execPath, [
      ...[MAIN, 'proxy', ...sentinelWords, '--group', 'mymaster'],
      ...['--port', `${proxyPort}`, '--http-port', `${httpPorts[6]}`],
    ])
    const targets = { sentinels: httpPorts.slice(3, 6), proxies: httpPorts.slice(6) }
    const plan = { folder, port: prometheusPort, targets, rules: hurried() }
    const prometheus = new Prometheus(plan)
    onTestFinished(() => stopAll(`${folder}-of-prometheus`, [prometheus.program, proxy]))
    proxy.start()
    await prometheus.start()
    const firing = async () => (await prometheus.firing()).filter((name) => OURS.includes(name))
    const quiet = (what: string) =>
      until(what, 40_000, async () => {
        const confirmed = await prometheus.query('sum(vedette_proxy_master_confirmed)')
        return confirmed[0]?.value === 1 && (await firing()).length === 0
      })
    await quiet('the proxy has its master')
    const shown = boardQueries().filter(({ row }) => ROWS.includes(row))
    expect(shown.length).toBeGreaterThan(15)
    for (const { title, expr } of shown) {
      // An increase needs two scrapes.
      const found = async () => (await prometheus.query(expr)).length > 0
      await until(`the dashboard has ${title}`, 10_000, found)
    }

    const master = nodes[0]?.port ?? 0
    await Promise.all(nodes.slice(1).map((one) => one.kill()))
    const writer = spawn('redis-cli', ['-p', `${master}`, 'SET', 'a', '1'], { stdio: 'ignore' })
    onTestFinished(() => void writer.kill())
    await until('voters are missed, and writes wait', 30_000, async () => {
      const names = await firing()
      return OURS.slice(0, 2).every((name) => names.includes(name))
    })
    for (const one of nodes.slice(1)) one.start()
    await quiet('the voters are back')

    await Promise.all(sentinels.slice(1).map((one) => one.kill()))
    await until('the proxy has no master', 20_000, async () => {
      return (await firing()).includes('VedetteProxyWithoutMaster')
    })
    for (const one of sentinels.slice(1)) one.start()
    await quiet('the Sentinels are back')
    expect(await firing()).toEqual([])
  },
  150_000,
)
