/**
 * Watches the cluster from outside, as any client could: INFO from the nodes, SENTINEL MASTER and all
 * events from the Sentinels. Nothing of the processes' insides is looked at.
 */
import { Redis } from 'ioredis'
import { GROUP } from './config-files.ts'
import { readNodeInfo, readSentinelMaster } from './facts.ts'
import { HOST } from './layout.ts'
import type { ClusterModel, NodeModel, SentinelModel } from './model.ts'
import { note } from './model.ts'

/** Often at first, so that the cluster is not called ready later than it is. */
const POLL_STARTING_MS = 40
const POLL_MS = 200
const RECONNECT_MS = 50
/** A node that hangs is called silent after this. */
const PATIENCE_MS = 500

export class Watch {
  readonly #model: ClusterModel
  readonly #onChange: () => void
  readonly #clients: Redis[] = []
  readonly #polls: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `onChange` is called after everything new that was learnt. */
  constructor(model: ClusterModel, onChange: () => void) {
    this.#model = model
    this.#onChange = onChange
    for (const node of model.nodes) this.#watchNode(node)
    for (const sentinel of model.sentinels) this.#watchSentinel(sentinel)
    this.#pollEvery(POLL_STARTING_MS)
  }

  /** The cluster has started: from now on more calmly. */
  settle(): void {
    this.#pollEvery(POLL_MS)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const client of this.#clients) client.disconnect()
  }

  #pollEvery(periodMs: number): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => {
      for (const poll of this.#polls) poll()
    }, periodMs)
  }

  #watchNode(node: NodeModel): void {
    const client = this.#connect(node.port)
    this.#poll(
      client,
      () => client.info(),
      (info) => {
        node.facts = info === undefined ? undefined : readNodeInfo(info)
      },
    )
  }

  #watchSentinel(sentinel: SentinelModel): void {
    const client = this.#connect(sentinel.port)
    this.#poll(
      client,
      () => client.call('SENTINEL', 'MASTER', GROUP) as Promise<string[]>,
      (reply) => {
        sentinel.facts = reply === undefined ? undefined : readSentinelMaster(reply)
        if (sentinel.facts !== undefined) this.#sawEpoch(sentinel, sentinel.facts.configEpoch)
      },
    )
    client.on('ready', () => this.#askIdentity(client, sentinel))
    const subscriber = this.#connect(sentinel.port)
    subscriber.on('pmessage', (_pattern, event: string, text: string) => {
      this.#heard(sentinel, event, text)
    })
    subscriber.on('ready', () => {
      // It subscribes again by itself after the first time.
      subscriber.psubscribe('*').catch(ignoreWhileDisconnected)
    })
  }

  #askIdentity(client: Redis, sentinel: SentinelModel): void {
    client.call('SENTINEL', 'MYID').then((runId) => {
      sentinel.runId = String(runId)
    }, ignoreWhileDisconnected)
  }

  #heard(sentinel: SentinelModel, event: string, text: string): void {
    // `+new-epoch <epoch>`, `+vote-for-leader <run id> <epoch>`
    if (event === '+new-epoch' || event === '+vote-for-leader') {
      this.#sawEpoch(sentinel, Number(text.split(' ').at(-1)))
    }
    if (event === '+elected-leader') {
      this.#model.leader = { port: sentinel.port, epoch: sentinel.epoch }
    }
    if (event === '+switch-master' && sentinel.facts !== undefined) {
      sentinel.facts = { ...sentinel.facts, master: Number(text.split(' ').at(-1)) }
    }
    note(this.#model, { wallMs: Date.now(), source: sentinel.port, event, text })
    this.#onChange()
  }

  #sawEpoch(sentinel: SentinelModel, epoch: number): void {
    if (epoch > sentinel.epoch) sentinel.epoch = epoch
  }

  /**
   * Asks again and again, one question at a time. Undefined is learnt when there was no answer for a
   * while: a connection that a failover closes is back before anybody needs to know.
   */
  #poll<T>(client: Redis, ask: () => Promise<T>, learn: (answer: T | undefined) => void): void {
    let answeredAtMs = performance.now()
    let isAsking = false
    const settle = (answer: T | undefined) => {
      isAsking = false
      if (answer !== undefined) answeredAtMs = performance.now()
      else if (performance.now() - answeredAtMs < PATIENCE_MS) return
      learn(answer)
      this.#onChange()
    }
    this.#polls.push(() => {
      if (client.status !== 'ready') {
        settle(undefined)
      } else if (!isAsking) {
        isAsking = true
        ask().then(settle, () => settle(undefined))
      }
    })
  }

  #connect(port: number): Redis {
    const client = new Redis({
      host: HOST,
      port,
      retryStrategy: () => RECONNECT_MS,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResubscribe: false,
      commandTimeout: PATIENCE_MS,
      connectTimeout: PATIENCE_MS,
    })
    // What matters shows as `close`.
    client.on('error', ignoreWhileDisconnected)
    this.#clients.push(client)
    return client
  }
}

/** The client says so and tries again by itself. */
function ignoreWhileDisconnected(): void {}
