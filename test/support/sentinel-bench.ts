/**
 * A Sentinel on a test bench: a machine among instances that answer a millisecond after they are asked,
 * with the test's words. Everything it opens, closes, sends and logs is recorded for inspection.
 */
import { createRng } from '../../src/base/rng.ts'
import { DEFAULT_SENTINEL, type SentinelConfig } from '../../src/core/config.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import type { SavedPeer, SavedState } from '../../src/core/persistence/saved.ts'
import type { Purpose } from '../../src/core/purpose.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import { type Group, type Instance, isSdown, type State, type Turn } from '../../src/core/state.ts'
import { nextWakeUpMs, step } from '../../src/core/step.ts'
import { bulk, integer, OK, type Reply, simple } from '../../src/resp/reply.ts'

export const MYID = 'f'.repeat(40)
const START_MS = 1_000_000

/** An instance's answer to a command; undefined sends nothing. */
export type Answer = (argv: readonly string[], address: string, link: number) => Reply | undefined

export interface Sent {
  readonly atMs: number
  readonly address: string
  readonly link: number
  readonly purpose: Purpose
  readonly argv: readonly string[]
}

interface Arrival {
  readonly atMs: number
  readonly event: Event
}

export class SentinelBench {
  readonly state: State
  /** Milliseconds since the start. */
  ms = 0
  readonly sent: Sent[] = []
  readonly logs: string[] = []
  /** `open <address>` and `close <address>`, in order. */
  readonly links: string[] = []
  /** The answer; undefined means the usual one. */
  answer: Answer = () => undefined
  /** Addresses that accept connections and commands, but never answer. */
  readonly silent = new Set<string>()
  /** Addresses to which packets are lost. */
  readonly unreachable = new Set<string>()
  /** Addresses at which no process listens. */
  readonly dead = new Set<string>()
  readonly #addresses = new Map<number, string>()
  #arrivals: Arrival[] = []

  constructor(
    config: Partial<SentinelConfig> & Pick<SentinelConfig, 'groups'>,
    saved?: SavedState,
  ) {
    const { state, effects } = startSentinel({
      config: { ...DEFAULT_SENTINEL, ...config },
      saved: saved ?? { ...NOTHING_SAVED, myid: MYID },
      rng: createRng('bench'),
      now: this.#now(),
    })
    this.state = state
    this.#perform(effects)
  }

  run(ms: number): void {
    const endMs = this.ms + ms
    for (let round = 0; round < 50_000; round++) {
      const [next] = this.#arrivals
      const wakeMs = (nextWakeUpMs(this.state) ?? Infinity) - START_MS
      const atMs = Math.min(next?.atMs ?? Infinity, wakeMs)
      if (atMs > endMs) break
      this.ms = Math.max(this.ms, atMs)
      if (next !== undefined && next.atMs <= wakeMs) this.#arrivals.shift()
      this.feed(next !== undefined && next.atMs <= wakeMs ? next.event : { kind: 'wake' })
    }
    this.ms = endMs
  }

  /** The process gets no time at all for this long. */
  stall(ms: number): void {
    this.ms += ms
    this.run(0)
  }

  feed(event: Event): void {
    this.#perform(step(this.state, this.#now(), event))
  }

  /** Lets something happen in a turn of its own. */
  act(happen: (turn: Turn) => void): void {
    const turn: Turn = { state: this.state, now: this.#now(), effects: [] }
    happen(turn)
    this.#perform(turn.effects)
  }

  /** A command from a short-lived client; its answer is ignored. */
  command(...argv: readonly string[]): void {
    const client = 1_000 + this.ms
    this.feed({ kind: 'clientOpened', client, address: '10.9.9.9:1', localAddress: '10.9.9.8:2' })
    const words = argv.map((word) => `$${word.length}\r\n${word}\r\n`).join('')
    this.feed({ kind: 'received', client, bytes: `*${argv.length}\r\n${words}` })
    this.feed({ kind: 'clientClosed', client })
  }

  /** A peer says hello for a group, naming the same master as we do. */
  hello(name: string, { host, port, runId }: SavedPeer): void {
    const { config, configEpoch } = this.group(name)
    const master = `${config.host},${config.port},${configEpoch}`
    this.command('PUBLISH', '__sentinel__:hello', `${host},${port},${runId},0,${name},${master}`)
  }

  group(name: string): Group {
    const group = this.state.groups.get(name)
    if (group === undefined) throw new Error(`no group ${name}`)
    return group
  }

  isDown(instance: Instance | undefined): boolean {
    if (instance === undefined) throw new Error('no such instance')
    return isSdown(instance)
  }

  /** The commands that were sent to an address. */
  sentTo(address: string): readonly (readonly string[])[] {
    return this.sent.filter((one) => one.address === address).map(({ argv }) => argv)
  }

  /** Cuts all connections to an address. */
  cut(address: string): void {
    for (const [link, to] of [...this.#addresses]) {
      if (to !== address) continue
      this.#addresses.delete(link)
      this.feed({ kind: 'linkLost', link, reason: 'reset', isRefused: false })
    }
  }

  forget(): void {
    this.sent.length = 0
    this.logs.length = 0
    this.links.length = 0
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) this.#do(effect)
  }

  #do(effect: Effect): void {
    if (effect.kind === 'log') this.logs.push(effect.text)
    else if (effect.kind === 'openLink') this.#open(effect)
    else if (effect.kind === 'closeLink') this.#close(effect.link)
    else if (effect.kind === 'send') this.#send(effect)
  }

  #open({ link, host, port }: Effect & { kind: 'openLink' }): void {
    const address = `${host}:${port}`
    this.links.push(`open ${address}`)
    if (this.dead.has(address))
      return this.#later({ kind: 'linkLost', link, reason: 'refused', isRefused: true })
    this.#addresses.set(link, address)
    if (this.unreachable.has(address)) return
    this.#later({ kind: 'linkUp', link, localHost: '10.9.9.8' })
  }

  #close(link: number): void {
    this.links.push(`close ${this.#addresses.get(link)}`)
    this.#addresses.delete(link)
  }

  #send({ link, purpose, argv }: Effect & { kind: 'send' }): void {
    const address = this.#addresses.get(link) ?? ''
    this.sent.push({ atMs: this.ms, address, link, purpose, argv })
    if (this.silent.has(address)) return
    const reply = this.answer(argv, address, link) ?? usual(purpose, address)
    this.#later({ kind: 'reply', link, purpose, reply })
  }

  #later(event: Event): void {
    this.#arrivals.push({ atMs: this.ms + 1, event })
  }

  #now() {
    return { monoMs: START_MS + this.ms, wallMs: 1_700_000_000_000 + this.ms }
  }
}

const NOTHING_SAVED: Omit<SavedState, 'myid'> = {
  currentEpoch: 0,
  groups: [],
  removed: [],
  settings: undefined,
  users: undefined,
}

function usual(purpose: Purpose, address: string): Reply {
  if (purpose.kind === 'ping') return simple('PONG')
  if (purpose.kind === 'hello') return integer(1)
  if (purpose.kind === 'ask') return { kind: 'array', items: [integer(0), bulk('*'), integer(0)] }
  if (purpose.kind === 'info') return bulk(`run_id:${address.padEnd(40, '0')}\r\nrole:master\r\n`)
  return OK
}
