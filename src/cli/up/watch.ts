/**
 * Watches the cluster from outside, as any client could: INFO from the nodes, SENTINEL MASTER and
 * all events from the Sentinels. It never looks inside the processes.
 */
import { Redis } from 'ioredis'
import { type HeardEvent, heardEvent } from '../../core/event-table.ts'
import { GROUP } from './config-files.ts'
import { readNodeInfo, readSentinelMaster } from './facts.ts'
import { heardOf } from './incident.ts'
import { HOST } from './layout.ts'
import type { ClusterModel, NodeModel, SentinelModel } from './model.ts'
import { note, noteAnswer } from './model.ts'

/** Often at first, so that the cluster is reported ready as soon as it is. */
const POLL_STARTING_MS = 40
const POLL_MS = 200
const RECONNECT_MS = 50
/** A node that hangs is called silent after this. */
const PATIENCE_MS = 500

export class ClusterWatch {
  readonly #model: ClusterModel
  readonly #onChange: () => void
  readonly #clients: Redis[] = []
  readonly #polls: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `onChange` is called after everything new. */
  constructor(model: ClusterModel, onChange: () => void) {
    this.#model = model
    this.#onChange = onChange
    for (const node of model.nodes) this.#watchNode(node)
    for (const sentinel of model.sentinels) this.#watchSentinel(sentinel)
    this.#pollEvery(POLL_STARTING_MS)
  }

  /** The cluster has started: from now on it is asked less often. */
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
      node,
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
      sentinel,
      () =>
        Promise.all([
          client.call('SENTINEL', 'MASTER', GROUP) as Promise<string[]>,
          client.info('sentinel'),
        ]),
      (replies) => {
        sentinel.facts = replies === undefined ? undefined : readSentinelMaster(...replies)
        if (sentinel.facts !== undefined) this.#sawEpoch(sentinel, sentinel.facts.configEpoch)
      },
    )
    client.on('ready', () => this.#askIdentity(client, sentinel))
    const subscriber = this.#connect(sentinel.port)
    subscriber.on('pmessage', (_pattern, channel: string, text: string) => {
      this.#heard(sentinel, heardEvent(channel), text)
    })
    subscriber.on('ready', () => {
      // The client subscribes again by itself after the first time.
      subscriber.psubscribe('*').catch(ignoreWhileDisconnected)
    })
  }

  #askIdentity(client: Redis, sentinel: SentinelModel): void {
    client.call('SENTINEL', 'MYID').then((runId) => {
      sentinel.runId = String(runId)
    }, ignoreWhileDisconnected)
  }

  #heard(sentinel: SentinelModel, event: HeardEvent, text: string): void {
    if (event === '+new-epoch' || event === '+vote-for-leader') {
      this.#sawEpoch(sentinel, Number(text.split(' ').at(-1)))
    }
    if (event === '+elected-leader') {
      this.#model.leader = { port: sentinel.port, epoch: sentinel.epoch }
    }
    if (event === '+switch-master' && sentinel.facts !== undefined) {
      sentinel.facts = { ...sentinel.facts, master: Number(text.split(' ').at(-1)) }
    }
    const wallMs = Date.now()
    note(this.#model, { wallMs, source: sentinel.port, event, text })
    heardOf(this.#model.incidents, event, text, wallMs)
    this.#onChange()
  }

  #sawEpoch(sentinel: SentinelModel, epoch: number): void {
    if (epoch > sentinel.epoch) sentinel.epoch = epoch
  }

  /**
   * Asks again and again, one question at a time, behind a PING that is timed. `learn` is given
   * undefined if there was no answer for a while: a connection that a failover closes is back before
   * that matters.
   */
  #poll<T>(
    client: Redis,
    entry: NodeModel | SentinelModel,
    ask: () => Promise<T>,
    learn: (answer: T | undefined) => void,
  ): void {
    let answeredAtMs = performance.now()
    let isAsking = false
    const settle = (answer: T | undefined) => {
      isAsking = false
      if (answer !== undefined) answeredAtMs = performance.now()
      else if (performance.now() - answeredAtMs < PATIENCE_MS) return
      if (answer === undefined) entry.pingMs = undefined
      else noteAnswer(entry)
      learn(answer)
      this.#onChange()
    }
    this.#polls.push(() => {
      if (client.status !== 'ready') {
        settle(undefined)
      } else if (!isAsking) {
        isAsking = true
        timePing(client, entry)
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
    // The errors that matter appear as `close`.
    client.on('error', ignoreWhileDisconnected)
    this.#clients.push(client)
    return client
  }
}

function timePing(client: Redis, entry: NodeModel | SentinelModel): void {
  const sentAtMs = performance.now()
  client.ping().then(() => {
    entry.pingMs = performance.now() - sentAtMs
  }, ignoreWhileDisconnected)
}

/** The client reports `close` and tries again by itself. */
function ignoreWhileDisconnected(): void {}
