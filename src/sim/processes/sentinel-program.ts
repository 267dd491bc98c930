/**
 * A Sentinel in a simulated process: the production machine behind the same driver contract as in
 * `io/`. One event is fed at a time, its batch is performed to the end before the next one, and a
 * `save` in it holds back everything after it until the disk has answered.
 */
import { assert, unreachable } from '../../base/assert.ts'
import type { Moment } from '../../base/clock.ts'
import { canonicalIp } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import { type Sizes, sizesOf } from '../../base/sizes.ts'
import { decodeState, encodeState } from '../../config/state-file.ts'
import { splitAtSave } from '../../core/batch.ts'
import type { SentinelConfig } from '../../core/config.ts'
import type { Effect } from '../../core/effect.ts'
import type { Event } from '../../core/event.ts'
import type { Answer, ExternalQuery } from '../../core/external-query.ts'
import type { ClientId, JobId } from '../../core/ids.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { startSentinel } from '../../core/sentinel.ts'
import type { State } from '../../core/state.ts'
import { nextWakeUpMs, step } from '../../core/step.ts'
import { encodeReply } from '../../resp/encode.ts'
import type { Socket, SocketHandler } from '../network/socket.ts'
import type { Process, Program } from './process.ts'
import { SentinelLinks } from './sentinel-links.ts'
import type { SentinelWitness } from './sentinel-witness.ts'

export const STATE_FILE = 'state'

export interface SentinelProgramStart {
  readonly process: Process
  readonly config: SentinelConfig
  readonly rng: Rng
  readonly witness: MachineWitness
  /** How the Sentinel's scripts end; by default, all succeed. */
  readonly scripts?: ScriptPlay
  /** Stands around the machine, as the recorder of the black box does in production. */
  readonly around?: AroundMachine
}

/** What is shown of the machine while it works. */
export type MachineWitness = Pick<SentinelWitness, 'born' | 'heard' | 'done' | 'stepped' | 'saved'>

export interface AroundMachine {
  begin(state: State, now: Moment, effects: readonly Effect[]): void
  readonly step: typeof step
}

const NOTHING_AROUND: AroundMachine = { begin: () => {}, step }

export class SentinelProgram implements Program {
  readonly #process: Process
  readonly #witness: MachineWitness
  readonly #links: SentinelLinks
  readonly #scripts: SentinelScripts
  readonly #clients = new Map<ClientId, Socket>()
  readonly #events: Event[] = []
  readonly #state: State
  readonly #around: AroundMachine
  #nextClientId = 1
  #isSaving = false
  /** True if the last save succeeded, or there was none. */
  #hasSaved = true
  #isStepping = false

  constructor(start: SentinelProgramStart) {
    const { process, config, rng, scripts = EVERY_SCRIPT_SUCCEEDS } = start
    this.#process = process
    this.#witness = start.witness
    const feed = (event: Event) => this.#feed(event)
    this.#links = new SentinelLinks(process, feed)
    this.#scripts = new SentinelScripts(process, feed, scripts)
    const saved = readState(process)
    const now = process.now()
    const { state, effects } = startSentinel({ config, saved, rng, now })
    this.#state = state
    this.#around = start.around ?? NOTHING_AROUND
    this.#around.begin(state, now, effects)
    this.#witness.born(state, saved, now)
    process.listen(config.port, (socket) => this.#accept(socket))
    this.#perform(effects)
    this.#pump()
  }

  /** For code outside of the simulation that looks into the machine. */
  get state(): State {
    return this.#state
  }

  /** How much the machine holds. */
  sizes(): Sizes {
    return { ...sizesOf(this.#state), 'clients of the driver': this.#clients.size }
  }

  wake(): void {
    this.#feed({ kind: 'wake' })
  }

  nextWakeUpMs(): number | undefined {
    // While a save is under way the machine cannot be woken; the disk's answer wakes us.
    return this.#isSaving ? undefined : nextWakeUpMs(this.#state)
  }

  stopRequested(): void {
    this.#feed({ kind: 'stopRequested' })
  }

  #feed(event: Event): void {
    this.#events.push(event)
    this.#pump()
  }

  #pump(): void {
    if (this.#isStepping) return
    this.#isStepping = true
    while (!this.#isSaving && this.#events.length > 0) this.#perform(this.#stepThrough())
    this.#isStepping = false
  }

  /**
   * Usually one event; everything that came during a save together, unless saving is in trouble.
   */
  #stepThrough(): readonly Effect[] {
    const events = this.#events.splice(0, this.#hasSaved ? this.#events.length : 1)
    return events.flatMap((event) => this.#step(event))
  }

  #step(event: Event): readonly Effect[] {
    const now = this.#process.now()
    this.#witness.heard(this.#state, event, now.monoMs)
    return this.#around.step(this.#state, now, event)
  }

  /** Performs a batch up to the first save and, once that is durable, what comes after it. */
  #perform(effects: readonly Effect[]): void {
    const { before, state, behind } = splitAtSave(effects)
    for (const effect of before) this.#do(effect)
    if (state !== undefined) this.#save(state, behind)
    // What is decided but not saved yet must not be visible.
    else this.#witness.stepped(this.#state)
  }

  #save(state: SavedState, behind: readonly Effect[]): void {
    this.#isSaving = true
    // A clock may jump while the disk works.
    const madeAt = this.#process.now()
    this.#process.save(STATE_FILE, encodeState(state), (failure) => {
      this.#isSaving = false
      this.#hasSaved = failure === undefined
      const kept = failure === undefined ? readState(this.#process) : undefined
      this.#witness.saved(this.#state, kept, madeAt)
      if (failure === undefined) {
        this.#events.unshift({ kind: 'saved' })
        this.#perform(behind)
      } else {
        this.#events.unshift({ kind: 'saveFailed', reason: failure, dropped: behind })
      }
      this.#pump()
    })
  }

  #do(effect: Effect): void {
    if (this.#process.status === 'down') return
    this.#witness.done(this.#state, effect)
    switch (effect.kind) {
      case 'openLink':
        return this.#links.open(effect)
      case 'closeLink':
        return this.#links.close(effect.link)
      case 'send':
        return this.#links.send(effect)
      case 'respond':
        return this.#clients.get(effect.client)?.write(encodeReply(effect.reply, effect.protocol))
      case 'awaitDrain':
        // The simulated network takes everything at once.
        return this.#feed({ kind: 'drained', client: effect.client })
      case 'closeClient':
        return this.#hangUp(effect.client)
      case 'exit':
        return this.#process.kill()
      case 'runScript':
        return this.#scripts.run(effect.job, effect.argv)
      case 'killScript':
        return this.#scripts.kill(effect.job)
      case 'inquire':
        return this.#inquire(effect)
      case 'setLogLevel':
        return
      case 'log':
      case 'save':
        // Logs are for the witness, and `splitAtSave` has taken saves out of the part that arrives
        // here.
        return
      default:
        return unreachable(effect)
    }
  }

  #inquire({ inquiry, question }: Effect & { kind: 'inquire' }): void {
    this.#process.after(ANSWER_MS, () => {
      const answer = simulatedAnswer(this.#process, question)
      this.#feed({ kind: 'inquired', inquiry, answer })
    })
  }

  #accept(socket: Socket): SocketHandler {
    const client = this.#nextClientId++
    this.#clients.set(client, socket)
    const { remoteHost, remotePort, localHost, localPort } = socket.ends
    this.#feed({
      kind: 'clientOpened',
      client,
      address: `${remoteHost}:${remotePort}`,
      localAddress: `${localHost}:${localPort}`,
    })
    return {
      connected: () => {},
      received: (bytes) => {
        if (this.#clients.has(client)) this.#feed({ kind: 'received', client, bytes })
      },
      closed: () => {
        if (this.#clients.delete(client)) this.#feed({ kind: 'clientClosed', client })
      },
    }
  }

  #hangUp(client: ClientId): void {
    const socket = this.#clients.get(client)
    this.#clients.delete(client)
    socket?.close()
  }
}

export function readState(process: Process): SavedState | undefined {
  const text = process.disk.read(STATE_FILE)
  if (text === undefined) return undefined
  const decoded = decodeState(text)
  // Our disk replaces files as a whole, so a damaged one is a mistake of the encoder or the
  // decoder.
  assert(decoded.ok, 'a saved state can be read back')
  return decoded.value
}

// How the simulated world answers a Sentinel's questions. The resolver knows hosts by their names,
// and always works: a name means the address its host has at the moment of the answer.

/** Roughly what a name server in the same network takes. */
const ANSWER_MS = 1

function simulatedAnswer(process: Process, question: ExternalQuery): Answer {
  switch (question.kind) {
    case 'resolve': {
      const address = canonicalIp(question.host) ?? process.addressOf(question.host)
      return address === undefined
        ? { kind: 'failed', reason: 'ENOTFOUND' }
        : { kind: 'resolve', address }
    }
    case 'executable':
      return { kind: 'executable', isExecutable: true }
    case 'readAclFile':
    case 'writeAclFile':
      return { kind: 'failed', reason: 'no aclfile is configured' }
    case 'listRecord':
    case 'readRecord':
      return { kind: 'failed', reason: 'a simulated Sentinel keeps no record' }
    case 'preFailover':
      return HOOKS.get(question.hook) ?? { kind: 'failed', reason: 'there is no such program' }
    default:
      return unreachable(question)
  }
}

/** The programs that say yes and no on every real machine too. */
const HOOKS: ReadonlyMap<string, Answer> = new Map([
  ['/bin/true', { kind: 'preFailover', allows: true, reason: '' }],
  ['/bin/false', { kind: 'preFailover', allows: false, reason: 'exit status 1' }],
])

// The scripts of a simulated Sentinel: nothing is run, but each takes a moment and ends as
// configured.

/** How an execution ends; `signal` is 0 when it exits by itself with `status`. */
interface ScriptEnd {
  readonly afterMs: number
  readonly status: number
  readonly signal: number
}

/** What a script will do, by its words, the path first. */
export type ScriptPlay = (argv: readonly string[]) => ScriptEnd

export const EVERY_SCRIPT_SUCCEEDS: ScriptPlay = () => ({ afterMs: 10, status: 0, signal: 0 })

const SIGKILL = 9

export class SentinelScripts {
  readonly #process: Process
  readonly #feed: (event: Event) => void
  readonly #play: ScriptPlay
  readonly #running = new Set<JobId>()
  #lastPid = 0

  constructor(process: Process, feed: (event: Event) => void, play: ScriptPlay) {
    this.#process = process
    this.#feed = feed
    this.#play = play
  }

  run(job: JobId, argv: readonly string[]): void {
    const pid = ++this.#lastPid
    const { afterMs, status, signal } = this.#play(argv)
    this.#running.add(job)
    this.#process.after(0, () => this.#feed({ kind: 'scriptStarted', job, pid }))
    this.#process.after(afterMs, () => this.#end(job, status, signal))
  }

  kill(job: JobId): void {
    // The signal is on its way: its effect is not reported before this batch is done.
    this.#process.after(0, () => this.#end(job, 0, SIGKILL))
  }

  /** Only the first end of a script counts. */
  #end(job: JobId, status: number, signal: number): void {
    if (this.#running.delete(job)) this.#feed({ kind: 'scriptEnded', job, status, signal })
  }
}
