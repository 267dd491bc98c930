/** A user watches a demonstration cluster, harms it as they please, and ends it. */

import { createLogUpdate } from 'log-update'
import { Keyboard } from '../keyboard.ts'
import { EXIT_FAILED, say } from '../report.ts'
import { drawsInPlace } from '../terminal.ts'
import { ACTION_KEYS, Actions, type UpActionKey } from './actions.ts'
import type { DemoCluster } from './cluster.ts'
import { GROUP } from './config-files.ts'
import { UP_ORDERS, UpControl } from './control.ts'
import { harmed, lostWrites, wrote } from './incident.ts'
import { type DemoLayout, HOST, pagePort } from './layout.ts'
import { LineView } from './line-view.ts'
import { drawLive } from './live-text.ts'
import type { DemoMember } from './member.ts'
import {
  type ClusterModel,
  createModel,
  masterPort,
  missing,
  note,
  type ShownState,
  shownState,
} from './model.ts'
import type { GroupRules } from './rules.ts'
import type { View, ViewOptions } from './view.ts'
import { ClusterWatch } from './watch.ts'
import { Writer } from './writer.ts'

/** A start that takes longer is reported. */
const PATIENCE_MS = 10_000

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class UpSession {
  readonly #model: ClusterModel
  readonly #cluster: DemoCluster
  readonly #actions: Actions
  readonly #view: View
  readonly #watch: ClusterWatch
  readonly #onSignal = () => this.#end.settle(0)
  /** The exit status, known once the session has to end. */
  readonly #end = new Settled<number>()
  /** When the master was harmed; undefined once the Sentinels have replaced it. */
  #harmedAtMs: number | undefined
  readonly #control: UpControl
  #writer: Writer | undefined
  readonly #impatience = setTimeout(() => this.#complain(), PATIENCE_MS)
  readonly #isPageWanted: boolean
  #isReady = false
  #isClosed = false

  /** `isPageWanted`: the page is opened in a browser as soon as the cluster is ready. */
  constructor(cluster: DemoCluster, rules: GroupRules, isPageWanted: boolean) {
    this.#isPageWanted = isPageWanted
    this.#model = createModel(cluster.layout)
    this.#cluster = cluster
    this.#actions = new Actions(cluster, () => masterPort(this.#model))
    this.#view = this.#createView(rules)
    this.#watch = new ClusterWatch(this.#model, () => this.#changed())
    const obey = (order: keyof typeof UP_ORDERS, port?: number) =>
      this.#perform(UP_ORDERS[order], port)
    this.#control = new UpControl({ model: this.#model, obey }, cluster.nodes[0]?.port ?? 0)
    cluster.onChange = (member) => this.#saw(member)
    for (const member of [...cluster.nodes, ...cluster.sentinels]) this.#saw(member)
  }

  /**
   * Resolves to the exit status when the user ends the session, or when the cluster cannot start.
   */
  async run(): Promise<number> {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#onSignal)
    // The reader of our lines has gone.
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
    this.#control.close()
    this.#watch.close()
    this.#view.close()
  }

  #createView(rules: GroupRules): View {
    const { layout } = this.#cluster
    const options = {
      title: titleOf(layout, rules),
      hints: () => connectionHints(this.#model),
      onKey: (key: string) => this.#pressed(key),
      writes: () => this.#writer?.report(),
    }
    const isTerminal = drawsInPlace(process.stdout) && process.stdin.isTTY
    return isTerminal ? new LiveView(this.#model, options) : new LineView(this.#model, options)
  }

  #pressed(key: string): void {
    if (key === 'q') this.#end.settle(0)
    if (key === 'w' && this.#model.sentinels.length > 0) this.#toggleWriter()
    if (key === 'o') this.#openPage()
    const action = ACTION_KEYS.find((one) => one === key)
    if (action !== undefined) this.#perform(action)
  }

  #perform(action: UpActionKey, port?: number): { ok: boolean; text: string } {
    const wallMs = Date.now()
    const { text, harm, isRefused = false } = this.#actions.perform(action, port)
    this.#note(undefined, text)
    if (harm !== undefined) {
      this.#harmedAtMs = performance.now()
      harmed(this.#model.incidents, { wallMs, ...harm })
    }
    return { ok: !isRefused, text }
  }

  #openPage(): void {
    const url = pageOf(this.#model)
    if (url === undefined) {
      this.#note(undefined, 'no Sentinel runs that could show the page')
      return
    }
    this.#note(undefined, `you open ${url} in a browser`)
    void openInBrowser(url, (why) => this.#note(undefined, why))
  }

  #toggleWriter(): void {
    const ports = this.#model.sentinels.map(({ port }) => port)
    this.#writer?.stop()
    const isStarting = this.#writer === undefined
    const onWrite = (port: number | undefined, lost: number) => this.#wrote(port, lost)
    this.#writer = isStarting ? new Writer(ports, onWrite) : undefined
    this.#note(undefined, `you ${isStarting ? 'start' : 'stop'} a client that writes all the time`)
  }

  #wrote(port: number | undefined, lost: number): void {
    const { incidents } = this.#model
    if (port !== undefined) wrote(incidents, port, Date.now())
    if (lost === 0) return
    lostWrites(incidents, lost)
    this.#note(undefined, `${lost} acknowledged writes are lost: the master does not have them`)
  }

  /** A process was started, ended, paused or cut off. */
  #saw(member: DemoMember): void {
    const list = member.program === 'server' ? this.#model.nodes : this.#model.sentinels
    const entry = list.find(({ port }) => port === member.port)
    if (entry === undefined) return
    entry.state = shownState(entry.state, member.state)
    if (member.state === 'dead') {
      entry.facts = undefined
      if (!member.wasKilled) this.#sawCrash(member)
    }
    this.#changed()
  }

  #sawCrash(member: DemoMember): void {
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

  /** Notes how long it took from the harm until every Sentinel names the same new master. */
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
    // Since the start of this process: that is how long the user has waited.
    note(this.#model, {
      wallMs: Date.now(),
      source: undefined,
      event: '',
      text: `ready after ${Math.round(performance.now())} ms`,
    })
    this.#view.ready()
    if (this.#isPageWanted) this.#openPage()
  }
}

function titleOf({ nodes, sentinels }: DemoLayout, { quorum, downAfterMs }: GroupRules): string {
  const isWhole = downAfterMs % 1000 === 0
  const downAfter = isWhole ? `${downAfterMs / 1000} s` : `${downAfterMs} ms`
  const counts = `${nodes.length} nodes · ${sentinels.length} Sentinels, quorum ${quorum}`
  return `${GROUP} · ${counts} · down after ${downAfter}`
}

/** How to connect, ready to be copied: through a Sentinel that answers, to the master that it names. */
export function connectionHints(model: ClusterModel): readonly string[] {
  const { nodes } = model
  const sentinel = answeringSentinel(model)
  const port = masterPort(model) ?? nodes.find(isRunning)?.port ?? nodes[0]?.port
  const direct = `redis-cli -p ${port}`
  if (sentinel === undefined) return [direct]
  return [
    `${pageOf(model)}  # the page`,
    `redis-cli -p ${sentinel.port} sentinel get-master-addr-by-name ${GROUP}`,
    direct,
    `new Redis({ name: '${GROUP}', sentinels: [{ host: '${HOST}', port: ${sentinel.port} }] })  // ioredis`,
  ]
}

/** Where the page is; undefined while no Sentinel runs. */
function pageOf(model: ClusterModel): string | undefined {
  const sentinel = answeringSentinel(model)
  return sentinel && `http://${HOST}:${pagePort(sentinel.port)}/`
}

function answeringSentinel({ sentinels }: ClusterModel) {
  return sentinels.find(({ facts }) => facts !== undefined) ?? sentinels.find(isRunning)
}

function isRunning({ state }: { readonly state: ShownState }): boolean {
  return state === 'running' || state === 'starting'
}

/** A value that will be known once: one part of the program settles it, others await it. */
class Settled<T> {
  readonly known: Promise<T>
  /** Only the first call counts. */
  readonly settle: (value: T) => void

  constructor() {
    let settle: (value: T) => void = () => undefined
    this.known = new Promise((resolve) => {
      settle = resolve
    })
    this.settle = settle
  }
}

/**
 * The page of the cluster, with whatever the system opens addresses. `failed` gets the reason in words; it may come
 * later, since a browser says nothing when it starts.
 */
async function openInBrowser(url: string, failed: (why: string) => void): Promise<void> {
  const { default: open } = await import('open')
  const tell = (why: string) => failed(`no browser opened ${url}: ${why}`)
  try {
    const opener = await open(url)
    opener.once('error', ({ message }) => tell(message))
    opener.once('exit', (status) => {
      if (status !== 0) tell(`${opener.spawnfile} ended with ${status ?? 'a signal'}`)
    })
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
  }
}

/** The live view: the picture, redrawn when something changes, and the keys. */

/** A faster redraw would not be seen. */
const REDRAW_MS = 80
/** The clock ticks even if nothing happens. */
const TICK_MS = 1_000

class LiveView implements View {
  readonly #model: ClusterModel
  readonly #options: ViewOptions
  readonly #draw = createLogUpdate(process.stdout)
  readonly #keyboard: Keyboard
  readonly #tick: NodeJS.Timeout
  readonly #startedAtMs = performance.now()
  readonly #onResize = () => this.changed()
  #redraw: NodeJS.Timeout | undefined

  constructor(model: ClusterModel, options: ViewOptions) {
    this.#model = model
    this.#options = options
    this.#keyboard = new Keyboard(process.stdin, options.onKey)
    process.stdout.on('resize', this.#onResize)
    this.#tick = setInterval(() => this.#paint(), TICK_MS)
    this.#paint()
  }

  ready(): void {
    this.changed()
  }

  changed(): void {
    this.#redraw ??= setTimeout(() => this.#paint(), REDRAW_MS)
  }

  close(): void {
    clearTimeout(this.#redraw)
    clearInterval(this.#tick)
    process.stdout.off('resize', this.#onResize)
    this.#paint()
    this.#draw.done()
    this.#keyboard.close()
  }

  #paint(): void {
    this.#redraw = undefined
    const { columns, rows } = process.stdout
    const { title } = this.#options
    const hints = this.#options.hints()
    const uptimeMs = performance.now() - this.#startedAtMs
    const writes = this.#options.writes()
    this.#draw(drawLive(this.#model, { columns, rows, title, hints, uptimeMs, writes }))
  }
}
