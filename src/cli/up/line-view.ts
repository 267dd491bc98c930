/** The cluster as lines, for a log or a script: every event, and every fact that has changed. */
import { explain } from './explain.ts'
import type { ClusterModel, NodeModel, SentinelModel, ShownHappening } from './model.ts'
import { replicasInWords, timeOfDay } from './paint.ts'
import type { View, ViewOptions } from './view.ts'

export class LineView implements View {
  readonly #model: ClusterModel
  readonly #options: ViewOptions
  /** The last line about each node and Sentinel. */
  readonly #said = new Map<string, string>()
  #lastShown: ShownHappening | undefined
  /** False while the cluster starts, when facts change too fast to be of interest. */
  #isReady = false

  constructor(model: ClusterModel, options: ViewOptions) {
    this.#model = model
    this.#options = options
    print(options.title)
  }

  ready(): void {
    this.#isReady = true
    this.changed()
    for (const hint of this.#options.hints()) print(`  ${hint}`)
  }

  changed(): void {
    const { happenings, nodes, sentinels } = this.#model
    const fresh = this.#lastShown === undefined ? 0 : happenings.indexOf(this.#lastShown) + 1
    for (const happening of happenings.slice(fresh)) print(this.#eventLine(happening))
    this.#lastShown = happenings.at(-1)
    if (!this.#isReady) return
    for (const node of nodes) this.#say(`node ${node.port}`, nodeSummary(node))
    for (const one of sentinels)
      this.#say(`sentinel ${one.port}`, sentinelSummary(one, this.#model))
  }

  close(): void {
    print('stopped')
  }

  #eventLine({ wallMs, source, event, text }: ShownHappening): string {
    const time = timeOfDay(wallMs)
    if (event === '') return `${time} ${text}`
    const portOf = (runId: string) => this.#model.sentinels.find((one) => one.runId === runId)?.port
    return `${time} sentinel ${source} ${event} ${text} (${explain(event, text, portOf)})`
  }

  #say(who: string, summary: string): void {
    if (this.#said.get(who) === summary) return
    this.#said.set(who, summary)
    print(`${timeOfDay(Date.now())} ${who} ${summary}`)
  }
}

/** Leaves out the offset, which changes all the time. */
function nodeSummary({ state, facts }: NodeModel): string {
  if (state !== 'running' && state !== 'cut off') return state
  const prefix = state === 'running' ? '' : `${state}, `
  if (facts === undefined) return `${prefix}does not answer`
  if (facts.role === 'master') return `${prefix}master with ${replicasInWords(facts.replicas)}`
  return `${prefix}replica of ${facts.follows}, ${facts.isInSync ? 'in sync' : 'not in sync'}`
}

function sentinelSummary(
  { state, facts, epoch, port }: SentinelModel,
  model: ClusterModel,
): string {
  if (state !== 'running') return state
  if (facts === undefined) return 'does not answer'
  const leads = model.leader?.port === port ? `, led epoch ${model.leader.epoch}` : ''
  const { master, replicas, peers } = facts
  return `master ${master}, ${replicasInWords(replicas)}, ${peers} peers, epoch ${epoch}${leads}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
