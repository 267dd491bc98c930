/** Somebody watches a demonstration cluster, harms it as they please, and ends it. */
import { EXIT_FAILED, say } from '../report.ts'
import { ACTION_KEYS, Actions } from './actions.ts'
import type { Cluster } from './cluster.ts'
import { GROUP } from './config-files.ts'
import { connectionHints } from './hints.ts'
import type { Layout } from './layout.ts'
import { LineView } from './line-view.ts'
import { LiveView } from './live-view.ts'
import type { Member } from './member.ts'
import { type ClusterModel, createModel, masterPort, missing, note } from './model.ts'
import { Outcome } from './outcome.ts'
import type { GroupRules } from './rules.ts'
import type { View } from './view.ts'
import { Watch } from './watch.ts'
import { Writer } from './writer.ts'

/** A start that takes longer is worth a word. */
const PATIENCE_MS = 10_000

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class Session {
  readonly #model: ClusterModel
  readonly #cluster: Cluster
  readonly #actions: Actions
  readonly #view: View
  readonly #watch: Watch
  readonly #onSignal = () => this.#end.settle(0)
  /** The exit status, once the session has to end. */
  readonly #end = new Outcome<number>()
  /** When something was done to the master; undefined once the Sentinels have replaced it. */
  #harmedAtMs: number | undefined
  #writer: Writer | undefined
  readonly #impatience = setTimeout(() => this.#complain(), PATIENCE_MS)
  #isReady = false
  #isClosed = false

  constructor(cluster: Cluster, rules: GroupRules) {
    this.#model = createModel(cluster.layout)
    this.#cluster = cluster
    this.#actions = new Actions(cluster, () => masterPort(this.#model))
    this.#view = this.#createView(rules)
    this.#watch = new Watch(this.#model, () => this.#changed())
    cluster.onChange = (member) => this.#saw(member)
    for (const member of [...cluster.nodes, ...cluster.sentinels]) this.#saw(member)
  }

  /** Resolves to the exit status when somebody ends it, or when it cannot start. */
  async run(): Promise<number> {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#onSignal)
    // Whoever read our lines has gone.
    process.stdout.on('error', this.#onSignal)
    const status = await this.#end.known
    this.#close()
    return status
  }

  /** From here on nothing is shown any more. */
  #close(): void {
    this.#isClosed = true
    clearTimeout(this.#impatience)
    this.#writer?.stop()
    this.#watch.close()
    this.#view.close()
  }

  #createView(rules: GroupRules): View {
    const { layout } = this.#cluster
    const options = {
      title: titleOf(layout, rules),
      hints: connectionHints(layout),
      onKey: (key: string) => this.#pressed(key),
      writes: () => this.#writer?.report(),
    }
    const isTerminal = process.stdout.isTTY && process.stdin.isTTY
    return isTerminal ? new LiveView(this.#model, options) : new LineView(this.#model, options)
  }

  #pressed(key: string): void {
    if (key === 'q') this.#end.settle(0)
    if (key === 'w' && this.#model.sentinels.length > 0) this.#toggleWriter()
    const action = ACTION_KEYS.find((one) => one === key)
    if (action === undefined) return
    const { text, hasHarmed } = this.#actions.perform(action)
    this.#note(undefined, text)
    if (hasHarmed) this.#harmedAtMs = performance.now()
  }

  #toggleWriter(): void {
    const ports = this.#model.sentinels.map(({ port }) => port)
    this.#writer?.stop()
    const isStarting = this.#writer === undefined
    this.#writer = isStarting ? new Writer(ports) : undefined
    this.#note(undefined, `you ${isStarting ? 'start' : 'stop'} a client that writes all the time`)
  }

  /** A process was started, ended, paused or cut off. */
  #saw(member: Member): void {
    const list = member.program === 'server' ? this.#model.nodes : this.#model.sentinels
    const entry = list.find(({ port }) => port === member.port)
    if (entry === undefined) return
    entry.state = member.state
    if (member.state === 'dead') {
      entry.facts = undefined
      if (!member.wasKilled) this.#sawCrash(member)
    }
    this.#changed()
  }

  #sawCrash(member: Member): void {
    if (this.#isReady) {
      this.#note(member.port, member.epitaph)
    } else if (!this.#isClosed) {
      say(`vedette: ${member.epitaph}\n${member.lastWords()}`)
      this.#end.settle(EXIT_FAILED)
    }
  }

  #complain(): void {
    this.#note(undefined, `not ready yet: ${missing(this.#model)}`)
  }

  #note(source: number | undefined, text: string): void {
    note(this.#model, { wallMs: Date.now(), source, event: '', text })
    this.#changed()
  }

  #changed(): void {
    if (this.#isClosed) return
    if (!this.#isReady && missing(this.#model) === undefined) this.#becameReady()
    this.#noteFailover()
    this.#view.changed()
  }

  /** How long it took from the blow until every Sentinel names the same new master. */
  #noteFailover(): void {
    if (this.#harmedAtMs === undefined) return
    const [first, ...others] = this.#model.sentinels.filter(({ state }) => state === 'running')
    const master = first?.facts?.master
    if (master === undefined || master === this.#actions.lastHarmed) return
    if (others.some(({ facts }) => facts?.master !== master)) return
    const tookMs = Math.round(performance.now() - this.#harmedAtMs)
    this.#harmedAtMs = undefined
    this.#note(undefined, `${tookMs} ms after that every Sentinel names ${master} as the master`)
  }

  #becameReady(): void {
    this.#isReady = true
    clearTimeout(this.#impatience)
    this.#watch.settle()
    // Since the start of this process: what somebody who typed the command has waited for.
    note(this.#model, {
      wallMs: Date.now(),
      source: undefined,
      event: '',
      text: `ready after ${Math.round(performance.now())} ms`,
    })
    this.#view.ready()
  }
}

function titleOf({ nodes, sentinels }: Layout, { quorum, downAfterMs }: GroupRules): string {
  const isWhole = downAfterMs % 1000 === 0
  const downAfter = isWhole ? `${downAfterMs / 1000} s` : `${downAfterMs} ms`
  const counts = `${nodes.length} nodes · ${sentinels.length} Sentinels, quorum ${quorum}`
  return `${GROUP} · ${counts} · down after ${downAfter}`
}
