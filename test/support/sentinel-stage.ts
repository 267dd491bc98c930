/**
 * A Sentinel on a stage: one machine, driven by events alone, among a master, replicas and peers that
 * play the parts a test gives them, each with its own delay. Time passes only in `run`. Everything the
 * machine does is recorded with its moment; its view is queried as a client would.
 */
import type { Moment } from '../../src/base/clock.ts'
import { createRng } from '../../src/base/rng.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_SENTINEL,
  type GroupConfig,
  type SentinelConfig,
} from '../../src/core/config.ts'
import { HELLO_CHANNEL, type Hello } from '../../src/core/discovery/hello-format.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { HookRequest } from '../../src/core/election/hook-verdict.ts'
import type { Event } from '../../src/core/event.ts'
import type { Answer } from '../../src/core/external-query.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import type { Purpose } from '../../src/core/purpose.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import type { State, Turn } from '../../src/core/state.ts'
import { nextWakeUpMs, step } from '../../src/core/step.ts'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import type { Protocol, Reply } from '../../src/resp/reply.ts'
import { frozen } from './frozen-save.ts'
import { answerOf, createPart, helloOf, type Part } from './stage-part.ts'
import { StageRecord } from './stage-record.ts'

export const ME = 'a'.repeat(40)
const START_MONO_MS = 1_000_000
const START_WALL_MS = 1_700_000_000_000
const STEPS_MAX = 200_000

export const GROUP: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 2,
  downAfterMs: 1_000,
  failoverTimeoutMs: 60_000,
}

export interface StageSetup extends Partial<SentinelConfig> {
  /** How the configuration of group `g` differs from the usual one. */
  readonly group?: Partial<GroupConfig>
  /** How many; 2 and 2 by default. */
  readonly replicas?: number
  readonly peers?: number
  /** Our own run id. */
  readonly me?: string
  readonly seed?: string
  readonly saved?: Partial<SavedState>
}

interface Line {
  readonly part: Part
  readonly channel: 'command' | 'pubsub'
  isUp: boolean
  /** Replies come in the order of the commands. */
  lastReplyAtMs: number
}

interface Due {
  readonly atMs: number
  readonly run: () => void
}

export class SentinelStage extends StageRecord {
  /** Milliseconds since the start. */
  ms = 0
  readonly cast = new Map<string, Part>()
  savesWork = true
  /** The exit status of scripts. */
  scriptStatus = 0
  /** What the operator's hook answers, and after how long; undefined: nothing, ever. */
  hook: { answer: Answer | undefined; afterMs: number } = { answer: undefined, afterMs: 0 }
  /** When the hook was asked, and what it was told. */
  readonly asked: { readonly atMs: number; readonly request: HookRequest }[] = []
  /** Addresses of host names. */
  readonly hosts = new Map<string, string>()
  readonly #setup: StageSetup
  readonly #lines = new Map<number, Line>()
  readonly #due: Due[] = []
  #state: State | undefined
  #saved: SavedState
  #wallOffsetMs = START_WALL_MS
  #clients = 0

  constructor(setup: StageSetup = {}) {
    super()
    this.#setup = setup
    this.#saved = { ...NOTHING, myid: setup.me ?? ME, ...setup.saved }
    const { replicas = 2, peers = 2 } = setup
    this.add('master')
    for (let at = 1; at <= replicas; at++) this.add(`replica${at}`)
    for (let at = 1; at <= peers; at++) this.add(`peer${at}`)
    this.restart()
    this.run(100)
    this.#chat()
    this.run(100)
  }

  get state(): State {
    if (this.#state === undefined) throw new Error('the Sentinel has not been started')
    return this.#state
  }

  /** Adds another part. */
  add(name: string): Part {
    const part = createPart(name)
    this.cast.set(name, part)
    return part
  }

  part(name: string): Part {
    const part = this.cast.get(name)
    if (part === undefined) throw new Error(`nobody plays ${name}`)
    return part
  }

  /** The Sentinel is killed, and started again from its last saved state. */
  restart(): void {
    const { group, replicas, peers, me, seed = 'stage', saved, ...rest } = this.#setup
    this.#lines.clear()
    const config = { ...DEFAULT_SENTINEL, groups: [{ ...GROUP, ...group }], ...rest }
    const { state, effects } = startSentinel({
      config,
      saved: this.#saved,
      rng: createRng(seed),
      now: this.now(),
    })
    this.#state = state
    this.#perform(effects)
  }

  run(ms: number): void {
    const endMs = this.ms + ms
    for (let steps = 0; this.#next() <= endMs; steps++) {
      if (steps > STEPS_MAX) throw new Error('the machine does not come to rest')
      this.ms = Math.max(this.ms, this.#next())
      const at = this.#due.findIndex(({ atMs }) => atMs <= this.ms)
      if (at < 0) this.feed({ kind: 'wake' })
      else this.#due.splice(at, 1)[0]?.run()
    }
    this.ms = endMs
  }

  /** Lets time pass until a line with this beginning is logged; returns its moment. */
  until(beginning: string, patienceMs = 60_000): number {
    for (let waited = 0; waited < patienceMs; waited++) {
      const from = this.done.length
      this.run(1)
      const news = this.done.slice(from)
      if (news.some((one) => one.kind === 'log' && one.text.startsWith(beginning))) return this.ms
    }
    throw new Error(`no ${beginning} within ${patienceMs} ms`)
  }

  /** The process gets no time at all for this long. */
  stall(ms: number): void {
    this.ms += ms
    this.run(0)
  }

  /** The wall clock is set; the monotonic clock does not notice. */
  jump(ms: number): void {
    this.#wallOffsetMs += ms
  }

  feed(event: Event): void {
    this.#perform(step(this.state, this.now(), event))
  }

  /** Its process ends: connections break, and new ones are refused. */
  kill(name: string): void {
    this.part(name).mood = 'refuses'
    this.cut(name)
  }

  /** It is back, without any earlier connection. */
  revive(name: string): void {
    this.part(name).mood = 'answers'
    this.cut(name)
  }

  /** Breaks connections to it. */
  cut(name: string, which: 'command' | 'pubsub' | 'all' = 'all'): void {
    for (const [link, { part, channel }] of [...this.#lines]) {
      if (part.name !== name || (which !== 'all' && which !== channel)) continue
      this.#lines.delete(link)
      this.feed({ kind: 'linkLost', link, reason: 'reset', isRefused: false })
    }
  }

  /** One command from a short-lived client; returns the reply as the machine gave it. */
  ask(...argv: readonly string[]): Reply {
    return this.#client(argv, 2, '').reply
  }

  /** The same, as bytes. */
  wire(argv: readonly string[], protocol: Protocol = 2): string {
    const { reply } = this.#client(argv, protocol, '')
    return encodeReply(reply, protocol)
  }

  /** A peer asks for our opinion, and for our vote if it names a candidate. */
  askedBy(name: string, epoch = 0, candidate = '*'): Reply {
    const argv = ['SENTINEL', 'is-master-down-by-addr', '10.0.0.1', '6379', String(epoch)]
    const clientName = `sentinel-${this.part(name).runId.slice(0, 8)}-cmd`
    return this.#client([...argv, candidate], 2, clientName).reply
  }

  /** A peer says hello to us directly. */
  hello(name: string, change: Partial<Hello> = {}): void {
    this.ask('PUBLISH', HELLO_CHANNEL, helloOf(this.part(name), change))
  }

  /** A message on the channel we are subscribed to at a data node. */
  hear(name: string, channel: string, payload: string): void {
    for (const [link, line] of [...this.#lines]) {
      if (line.part.name !== name || line.channel !== 'pubsub' || !line.isUp) continue
      this.feed({ kind: 'message', link, channel, payload })
    }
  }

  /** An instance as SENTINEL shows it; undefined if it is not shown. */
  show(kind: 'master' | 'replicas' | 'sentinels', at = '', group = 'g') {
    const reply = this.ask('SENTINEL', kind, group)
    const maps = (reply.kind === 'array' ? reply.items : [reply]).map(fieldsOf)
    const part = this.cast.get(at)
    return maps.find(({ ip, port }) => !part || (ip === part.host && port === String(part.port)))
  }

  /** Looks at the state of the machine at this moment. */
  look<Seen>(read: (turn: Turn) => Seen): Seen {
    if (this.#state === undefined) throw new Error('the Sentinel has not been started')
    return read({ state: this.#state, now: this.now(), effects: [] })
  }

  /** What is on disk. */
  get saved(): SavedState {
    return this.#saved
  }

  #next(): number {
    const wakeMs = this.#state === undefined ? undefined : nextWakeUpMs(this.#state)
    const dueMs = this.#due[0]?.atMs ?? Number.POSITIVE_INFINITY
    return Math.min(dueMs, (wakeMs ?? Number.POSITIVE_INFINITY) - START_MONO_MS)
  }

  /** Every two seconds the peers say hello. */
  #chat(): void {
    for (const { name, mood, talks } of this.cast.values()) {
      if (name.startsWith('peer') && mood === 'answers' && talks) this.hello(name)
    }
    this.#later(2_000, () => this.#chat())
  }

  #client(argv: readonly string[], protocol: Protocol, name: string): { readonly reply: Reply } {
    const client = ++this.#clients
    const address = `10.9.0.1:${client}`
    this.feed({ kind: 'clientOpened', client, address, localAddress: '10.1.0.9:26379' })
    const first = protocol === 3 ? encodeCommand(['HELLO', '3']) : ''
    const setName = name === '' ? '' : encodeCommand(['CLIENT', 'SETNAME', name])
    const from = this.done.length
    this.feed({ kind: 'received', client, bytes: first + setName + encodeCommand(argv) })
    this.run(0)
    const replies = this.done
      .slice(from)
      .flatMap((one) => (one.kind === 'respond' && one.client === client ? [one.reply] : []))
    this.feed({ kind: 'clientClosed', client })
    const reply = replies.at(-1)
    if (reply === undefined) throw new Error(`no answer to ${argv.join(' ')}`)
    return { reply }
  }

  /** The driver's contract: in order, and nothing after a save that failed. */
  #perform(effects: readonly Effect[]): void {
    for (const [at, effect] of effects.entries()) {
      if (effect.kind === 'save' && !this.savesWork) {
        this.feed({ kind: 'saveFailed', reason: 'disk full', dropped: effects.slice(at + 1) })
        return
      }
      this.#do(effect)
    }
  }

  #do(effect: Effect): void {
    this.note(frozen(effect), this.ms, this.#addressee(effect))
    if (effect.kind === 'openLink') this.#open(effect)
    else if (effect.kind === 'closeLink') this.#lines.delete(effect.link)
    else if (effect.kind === 'send') this.#send(effect.link, effect.purpose, effect.argv)
    else if (effect.kind === 'save') this.#saved = effect.state()
    else if (effect.kind === 'inquire') this.#inquire(effect)
    else if (effect.kind === 'runScript') this.#runScript(effect.job)
  }

  #addressee(effect: Effect): string | undefined {
    if (effect.kind === 'send') return this.#lines.get(effect.link)?.part.name
    return effect.kind === 'openLink' ? this.#at(effect.host, effect.port)?.name : undefined
  }

  #at(host: string, port: number): Part | undefined {
    return [...this.cast.values()].find((part) => part.host === host && part.port === port)
  }

  #open({ link, channel, host, port }: Effect & { kind: 'openLink' }): void {
    const part = this.#at(host, port)
    if (part === undefined || part.mood === 'refuses') {
      this.#later(1, () =>
        this.feed({ kind: 'linkLost', link, reason: 'refused', isRefused: true }),
      )
      return
    }
    const line = { part, channel, isUp: false, lastReplyAtMs: 0 }
    this.#lines.set(link, line)
    this.#later(1, () => {
      if (this.#lines.get(link) !== line || part.mood === 'gone') return
      line.isUp = true
      this.feed({ kind: 'linkUp', link, localHost: '10.1.0.9' })
    })
  }

  #send(link: number, purpose: Purpose, argv: readonly string[]): void {
    const line = this.#lines.get(link)
    if (line === undefined || line.part.mood !== 'answers') return
    const atMs = Math.max(line.lastReplyAtMs, this.ms + line.part.delayMs)
    line.lastReplyAtMs = atMs
    this.#later(atMs - this.ms, () => {
      if (this.#lines.get(link) !== line || line.part.mood !== 'answers') return
      const reply = answerOf(this.cast, line.part, argv)
      this.feed({ kind: 'reply', link, purpose, reply })
      this.#pass(line.part, argv)
    })
  }

  /** What else follows from a command on a data node: subscribers hear it, or are disconnected. */
  #pass({ name }: Part, argv: readonly string[]): void {
    if (name.startsWith('peer')) return
    const [verb, channel = '', payload = ''] = argv
    if (argv.join(' ') === 'CLIENT KILL TYPE pubsub') this.cut(name, 'pubsub')
    if (verb === 'PUBLISH') this.hear(name, channel, payload)
  }

  #inquire({ inquiry, question }: Effect & { kind: 'inquire' }): void {
    if (question.kind === 'preFailover') {
      this.asked.push({ atMs: this.ms, request: question.request })
      const { answer, afterMs } = this.hook
      if (answer === undefined) return
      return this.#later(afterMs, () => this.feed({ kind: 'inquired', inquiry, answer }))
    }
    const address = question.kind === 'resolve' ? this.hosts.get(question.host) : undefined
    const answer =
      question.kind === 'executable'
        ? ({ kind: 'executable', isExecutable: true } as const)
        : address === undefined
          ? ({ kind: 'failed', reason: 'not found' } as const)
          : ({ kind: 'resolve', address } as const)
    this.#later(0, () => this.feed({ kind: 'inquired', inquiry, answer }))
  }

  /** Scripts take no time. */
  #runScript(job: number): void {
    const status = this.scriptStatus
    this.#later(1, () => this.feed({ kind: 'scriptStarted', job, pid: 100 + job }))
    this.#later(1, () => this.feed({ kind: 'scriptEnded', job, status, signal: 0 }))
  }

  #later(ms: number, run: () => void): void {
    const atMs = this.ms + ms
    const at = this.#due.findIndex((one) => one.atMs > atMs)
    this.#due.splice(at < 0 ? this.#due.length : at, 0, { atMs, run })
  }

  /** Both clocks. */
  now(): Moment {
    return { monoMs: START_MONO_MS + this.ms, wallMs: this.ms + this.#wallOffsetMs }
  }
}

const NOTHING: Omit<SavedState, 'myid'> = {
  currentEpoch: 0,
  groups: [],
  removed: [],
  settings: undefined,
  users: undefined,
}

function fieldsOf(reply: Reply): Record<string, string> {
  if (reply.kind !== 'map') throw new Error(`no map but ${reply.kind}`)
  const text = (one: Reply) => (one.kind === 'bulk' ? one.bytes : `not a bulk: ${one.kind}`)
  return Object.fromEntries(reply.entries.map(([key, value]) => [text(key), text(value)]))
}
