/**
 * A Sentinel in a chosen state, with clients that send bytes to it and keep the bytes they get. It
 * monitors `mymaster`; all links are up and every INFO is fresh, so that nothing prevents anything
 * unless a test arranges it. Time stands still until a test moves it.
 */
import type { Moment } from '../../src/base/clock.ts'
import type { Address } from '../../src/base/ip.ts'
import { createRng } from '../../src/base/rng.ts'
import type { AclFileText } from '../../src/core/access/access-start.ts'
import type { Client } from '../../src/core/clients/client.ts'
import { clientClosed, clientOpened, clientReceived } from '../../src/core/clients/clients.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL, type SentinelConfig } from '../../src/core/config.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { SavedPeer, SavedState } from '../../src/core/persistence/saved.ts'
import type { ProcessFacts } from '../../src/core/report/process-facts.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import {
  dataInstancesOf,
  type Group,
  type Instance,
  instancesOf,
  type State,
  type Turn,
} from '../../src/core/state.ts'
import { step } from '../../src/core/step.ts'
import { encodeReply } from '../../src/resp/encode.ts'
import { frozen } from './frozen-save.ts'

export const MYID = '0'.repeat(39).concat('1')
export const START: Moment = { monoMs: 1_000_000, wallMs: 1_700_000_000_000 }

export const MYMASTER = {
  ...DEFAULT_GROUP,
  name: 'mymaster',
  host: '10.0.0.1',
  port: 6379,
  quorum: 2,
} as const

export interface SentinelSetup extends Partial<SentinelConfig> {
  readonly replicas?: readonly Address[]
  readonly peers?: readonly SavedPeer[]
  readonly currentEpoch?: number
  readonly configEpoch?: number
  readonly process?: ProcessFacts
  readonly aclFile?: AclFileText
  readonly savedUsers?: SavedState['users']
}

export const REPLICAS: readonly Address[] = [
  { host: '10.0.0.2', port: 6380 },
  { host: '10.0.0.3', port: 6381 },
]

export const PEERS: readonly SavedPeer[] = [
  { runId: 'a'.repeat(40), host: '10.0.0.11', port: 26379 },
  { runId: 'b'.repeat(40), host: '10.0.0.12', port: 26379 },
]

export class TestSentinel {
  readonly state: State
  now: Moment = START
  /** Everything done so far, except answers to clients. */
  readonly effects: Effect[] = []
  /** The disk is full: every save fails. */
  savesFail = false
  /** Clients read at once what they are sent. */
  clientsRead = true
  readonly #clients = new Map<number, TestClient>()

  constructor(setup: SentinelSetup = {}) {
    const { replicas = [], peers = [], currentEpoch = 0, configEpoch = 0, ...rest } = setup
    const { process, aclFile, savedUsers, ...config } = rest
    const groups = config.groups ?? [MYMASTER]
    const memory = { configEpoch, leaderEpoch: 0, leader: '', replicas, peers }
    const { state, effects } = startSentinel({
      config: { ...DEFAULT_SENTINEL, ...config, groups },
      saved: {
        myid: MYID,
        currentEpoch,
        groups: groups.map((group) => ({ file: group, current: group, ...memory })),
        removed: [],
        settings: undefined,
        users: savedUsers,
      },
      aclFile,
      rng: createRng('commands'),
      now: START,
      process,
    })
    this.state = state
    this.#perform(effects)
    this.effects.length = 0
    for (const group of state.groups.values()) makeHealthy(group)
  }

  /** The first group. */
  get group(): Group {
    const [group] = this.state.groups.values()
    if (group === undefined) throw new Error('no group')
    return group
  }

  advance(ms: number): void {
    this.now = { monoMs: this.now.monoMs + ms, wallMs: this.now.wallMs + ms }
  }

  connect(host = '192.168.0.1'): TestClient {
    const client = new TestClient(this, this.#clients.size + 1)
    this.#clients.set(client.id, client)
    const address = `${host}:${1000 + client.id}`
    this.run((turn) =>
      clientOpened(turn, {
        kind: 'clientOpened',
        client: client.id,
        address,
        localAddress: '192.168.0.9:26379',
      }),
    )
    return client
  }

  /** The lines with which INFO says what somebody should look at. */
  remarks(): readonly string[] {
    const info = this.connect().ask('INFO vedette')
    return info.split('\r\n').filter((line) => line.startsWith('remark'))
  }

  /** Lets something happen in one turn and performs its effects. */
  run(happen: (turn: Turn) => void): void {
    const turn: Turn = { state: this.state, now: this.now, effects: [] }
    happen(turn)
    this.#perform(turn.effects)
  }

  #perform(effects: readonly Effect[]): void {
    for (const [index, effect] of effects.entries()) {
      if (effect.kind === 'respond') {
        this.#clients.get(effect.client)?.take(encodeReply(effect.reply, effect.protocol))
        continue
      }
      if (effect.kind === 'awaitDrain' && this.clientsRead) {
        this.#perform(step(this.state, this.now, { kind: 'drained', client: effect.client }))
      }
      if (effect.kind === 'closeClient') this.#clients.get(effect.client)?.close()
      this.effects.push(frozen(effect))
      if (effect.kind !== 'save') continue
      if (this.savesFail) return this.#failSave(effects.slice(index + 1))
    }
  }

  #failSave(dropped: readonly Effect[]): void {
    const event = { kind: 'saveFailed', reason: 'disk full', dropped } as const
    this.#perform(step(this.state, this.now, event))
  }
}

export class TestClient {
  readonly id: number
  isClosed = false
  readonly #sentinel: TestSentinel
  #received = ''

  constructor(sentinel: TestSentinel, id: number) {
    this.#sentinel = sentinel
    this.id = id
  }

  /** The session on the Sentinel's side. */
  get session(): Client {
    const session = this.#sentinel.state.clients.get(this.id)
    if (session === undefined) throw new Error('no session')
    return session
  }

  /** Sends raw bytes and returns all bytes that came since the last call. */
  send(bytes: string): string {
    this.#sentinel.run((turn) => clientReceived(turn, this.id, bytes))
    return this.read()
  }

  /** One inline command, for readable tests. */
  ask(line: string): string {
    return this.send(`${line}\r\n`)
  }

  read(): string {
    const received = this.#received
    this.#received = ''
    return received
  }

  /** Disconnects. */
  leave(): void {
    this.#sentinel.run((turn) => clientClosed(turn, this.id))
  }

  take(bytes: string): void {
    this.#received += bytes
  }

  close(): void {
    this.isClosed = true
  }
}

function makeHealthy(group: Group): void {
  for (const instance of instancesOf(group)) connect(instance)
  for (const instance of dataInstancesOf(group)) {
    instance.infoAtMs = START.monoMs
    instance.infoText = `run_id:${instance.name}`
    instance.runId = instance.name
  }
}

function connect({ link }: Instance): void {
  if (link.command !== undefined) Object.assign(link.command, { up: true, identity: 'confirmed' })
  if (link.pubsub !== undefined) link.pubsub.up = true
  link.pingPendingSinceMs = undefined
}
