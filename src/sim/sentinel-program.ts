/**
 * A Sentinel in a simulated process: the production machine behind the same driver contract as in
 * `io/`. One event is fed at a time, its batch is done to the end before the next one, and a `save`
 * in it holds everything behind it until the disk has answered.
 */
import { assert, unreachable } from '../base/assert.ts'
import type { Rng } from '../base/rng.ts'
import { decodeState, encodeState } from '../config/state-file.ts'
import { splitAtSave } from '../core/batch.ts'
import type { SentinelConfig } from '../core/config.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { ClientId } from '../core/ids.ts'
import type { SavedState } from '../core/memory/saved.ts'
import { startSentinel } from '../core/sentinel.ts'
import type { State } from '../core/state.ts'
import { nextWakeUpMs, step } from '../core/step.ts'
import { encodeReply } from '../resp/encode.ts'
import type { Process, Program } from './process.ts'
import { ANSWER_MS, simulatedAnswer } from './sentinel-inquiries.ts'
import { SentinelLinks } from './sentinel-links.ts'
import { EVERY_SCRIPT_SUCCEEDS, type ScriptPlay, SentinelScripts } from './sentinel-scripts.ts'
import type { SentinelWitness } from './sentinel-witness.ts'
import type { Socket, SocketHandler } from './socket.ts'

export const STATE_FILE = 'state'

export interface SentinelProgramStart {
  readonly process: Process
  readonly config: SentinelConfig
  readonly rng: Rng
  readonly witness: SentinelWitness
  /** How its scripts fare; without it, well. */
  readonly scripts?: ScriptPlay
}

export class SentinelProgram implements Program {
  readonly #process: Process
  readonly #witness: SentinelWitness
  readonly #links: SentinelLinks
  readonly #scripts: SentinelScripts
  readonly #clients = new Map<ClientId, Socket>()
  readonly #events: Event[] = []
  readonly #state: State
  #nextClientId = 1
  #isSaving = false
  /** The last save succeeded, or there was none. */
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
    this.#witness.born(now.monoMs)
    const { state, effects } = startSentinel({ config, saved, rng, now })
    this.#state = state
    process.listen(config.port, (socket) => this.#accept(socket))
    this.#perform(effects)
    this.#pump()
  }

  /** For whoever looks into the machine from outside of the simulation. */
  get state(): State {
    return this.#state
  }

  wake(): void {
    this.#feed({ kind: 'wake' })
  }

  nextWakeUpMs(): number | undefined {
    // While a save is under way the machine cannot be woken; its answer wakes us.
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

  /** One event as a rule; all that came during a save together, unless saving is in trouble. */
  #stepThrough(): readonly Effect[] {
    const events = this.#events.splice(0, this.#hasSaved ? this.#events.length : 1)
    return events.flatMap((event) => this.#step(event))
  }

  #step(event: Event): readonly Effect[] {
    const now = this.#process.now()
    this.#witness.heard(this.#state, event, now.monoMs)
    return step(this.#state, now, event)
  }

  /** Does a batch, up to the first save and, once that is safe, what stands behind it. */
  #perform(effects: readonly Effect[]): void {
    const { before, state, behind } = splitAtSave(effects)
    for (const effect of before) this.#do(effect)
    if (state !== undefined) this.#save(state, behind)
    // What is decided but not saved yet is not to be seen by anyone.
    else this.#witness.stepped(this.#state)
  }

  #save(state: SavedState, behind: readonly Effect[]): void {
    this.#isSaving = true
    this.#process.save(STATE_FILE, encodeState(state), (failure) => {
      this.#isSaving = false
      this.#hasSaved = failure === undefined
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
        // Logs are the witness's business, and saves end the part of a batch that comes here.
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
  // Our disk replaces files as a whole, so a damaged one is the encoder's fault or the decoder's.
  assert(decoded.ok, 'a saved state can be read back')
  return decoded.value
}
