/** A real Prometheus on loopback, with a data folder of its own, that asks our programs twice a second. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInstalled, Program, until } from './processes.ts'

export const HAS_PROMETHEUS = isInstalled('prometheus') && isInstalled('promtool')

export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

export interface Alert {
  readonly name: string
  readonly state: 'pending' | 'firing'
  readonly labels: Readonly<Record<string, string>>
}

interface PrometheusPlan {
  readonly folder: string
  readonly port: number
  /** By the value of the label `job`. */
  readonly targets: Readonly<Record<string, readonly number[]>>
  /** The text of a file of rules. */
  readonly rules: string
}

export class Prometheus {
  readonly program: Program
  readonly #base: string

  constructor({ folder, port, targets, rules }: PrometheusPlan) {
    const dir = join(folder, `prometheus-${port}`)
    mkdirSync(dir)
    writeFileSync(join(dir, 'rules.yml'), rules)
    const jobs = Object.entries(targets).map(([job_name, ports]) => ({
      job_name,
      static_configs: [{ targets: ports.map((one) => `127.0.0.1:${one}`) }],
    }))
    const config = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: [join(dir, 'rules.yml')],
      scrape_configs: jobs,
    }
    // YAML contains JSON.
    writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config))
    this.#base = `http://127.0.0.1:${port}/api/v1`
    this.program = new Program(port, `${dir}.log`, 'prometheus', [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      '--storage.tsdb.retention.time=1h',
      `--web.listen-address=127.0.0.1:${port}`,
    ])
  }

  async start(): Promise<void> {
    this.program.start()
    await until('Prometheus is ready', 20_000, async () => {
      const answer = await fetch(`${this.#base.replace('/api/v1', '')}/-/ready`)
      return answer.ok
    })
  }

  /** Throws with Prometheus' words if the query is wrong. */
  async query(expr: string): Promise<readonly Series[]> {
    const data = await this.#ask(`query?query=${encodeURIComponent(expr)}`)
    const { result } = data as { result: { metric: Series['metric']; value: [number, string] }[] }
    return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
  }

  async alerts(): Promise<readonly Alert[]> {
    const { alerts } = (await this.#ask('alerts')) as {
      alerts: { state: Alert['state']; labels: Record<string, string> }[]
    }
    return alerts.map(({ state, labels }) => ({ name: labels.alertname ?? '', state, labels }))
  }

  async firing(): Promise<readonly string[]> {
    const alerts = await this.alerts()
    return [...new Set(alerts.filter(({ state }) => state === 'firing').map(({ name }) => name))]
  }

  async #ask(path: string): Promise<unknown> {
    const answer = await fetch(`${this.#base}/${path}`)
    const body = (await answer.json()) as { status: string; error?: string; data: unknown }
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`)
    return body.data
  }
}
