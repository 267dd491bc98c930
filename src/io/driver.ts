/**
 * The Sentinel driver feeds the machine events and performs its effects, in order and one batch at a
 * time. It decides nothing. Its one guarantee is the barrier: what stands after a `save` happens only
 * once the state is on disk, and the next event is fed only after that. A vote can therefore never
 * be seen by anyone before it would survive a crash.
 */
import { unreachable } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { ClientId, InquiryId, JobId, LinkId } from '../core/ids.ts'
import type { Question } from '../core/inquiry.ts'
import type { LogLevel } from '../core/log-level.ts'
import type { SavedState } from '../core/memory/saved.ts'
import type { Purpose } from '../core/purpose.ts'
import type { Protocol, Reply } from '../resp/reply.ts'
import { reasonOf } from './start-error.ts'

/** What a running Sentinel needs from the world. */
export interface DriverPorts {
  now(): Moment
  /** Wakes the driver once, at this monotonic moment instead of any earlier request. */
  wakeAt(atMs: number | undefined): void
  openLink(link: LinkId, channel: 'command' | 'pubsub', host: string, port: number): void
  closeLink(link: LinkId): void
  send(link: LinkId, purpose: Purpose, argv: readonly string[]): void
  /** Resolves once the state is safely on disk. */
  save(state: SavedState): Promise<void>
  respond(client: ClientId, protocol: Protocol, reply: Reply): void
  closeClient(client: ClientId): void
  /** `inquired` follows, never before this returns. */
  inquire(inquiry: InquiryId, question: Question): void
  /** Its events follow, never before this returns. */
  runScript(job: JobId, argv: readonly string[]): void
  killScript(job: JobId): void
  setLogLevel(level: LogLevel | 'nothing'): void
  log(level: LogLevel, text: string): void
  exit(status: number): void
}

/** The machine as the driver sees it. */
export interface Machine {
  start(): readonly Effect[]
  step(now: Moment, event: Event): readonly Effect[]
  nextWakeUpMs(): number | undefined
}

/** Looks on, for whoever examines a run: what is done, at the moment others can know of it. */
export interface DriverWatch {
  /** An effect is being done. */
  done(effect: Effect): void
  /** A batch has been done to its end. */
  stepped(): void
}

export class Driver {
  readonly #machine: Machine
  readonly #ports: DriverPorts
  readonly #watch: DriverWatch | undefined
  #queue: Event[] = []
  /** True while a batch is being performed: its end takes up the queue. */
  #isBusy = false
  #hasExited = false

  constructor(machine: Machine, ports: DriverPorts, watch?: DriverWatch) {
    this.#machine = machine
    this.#ports = ports
    this.#watch = watch
  }

  /** Performs the machine's first batch. */
  start(): void {
    this.#isBusy = true
    if (this.#perform(this.#machine.start(), 0)) this.#drain()
  }

  /** Feeds one event: now, or after the batch that is being performed. */
  feed(event: Event): void {
    if (this.#hasExited) return
    this.#queue.push(event)
    if (!this.#isBusy) this.#drain()
  }

  /** Feeds the queue until it is empty or a save has to be waited for. */
  #drain(): void {
    this.#isBusy = true
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      const effects = this.#machine.step(this.#ports.now(), event)
      if (!this.#perform(effects, 0)) return
    }
    this.#isBusy = false
    if (!this.#hasExited) this.#ports.wakeAt(this.#machine.nextWakeUpMs())
  }

  /** Performs a batch from `at` on; false: it stopped at a save, and will go on by itself. */
  #perform(effects: readonly Effect[], at: number): boolean {
    for (let index = at; index < effects.length; index++) {
      const effect = effects[index] as Effect
      if (effect.kind === 'save') {
        this.#save(effect.state, effects, index + 1)
        return false
      }
      this.#performOne(effect)
      if (this.#hasExited) return false
    }
    this.#watch?.stepped()
    return true
  }

  #save(state: SavedState, effects: readonly Effect[], rest: number): void {
    this.#ports.save(state).then(
      () => this.#resume({ kind: 'saved' }, effects, rest),
      (error: unknown) => {
        const dropped = effects.slice(rest)
        this.#resume({ kind: 'saveFailed', reason: reasonOf(error), dropped }, [], 0)
      },
    )
  }

  /** The machine hears of a save after its batch and before anything that happened meanwhile. */
  #resume(outcome: Event, effects: readonly Effect[], rest: number): void {
    this.#queue.unshift(outcome)
    if (this.#perform(effects, rest)) this.#drain()
  }

  #performOne(effect: Exclude<Effect, { kind: 'save' }>): void {
    const ports = this.#ports
    this.#watch?.done(effect)
    switch (effect.kind) {
      case 'openLink':
        ports.openLink(effect.link, effect.channel, effect.host, effect.port)
        break
      case 'closeLink':
        ports.closeLink(effect.link)
        break
      case 'send':
        ports.send(effect.link, effect.purpose, effect.argv)
        break
      case 'respond':
        ports.respond(effect.client, effect.protocol, effect.reply)
        break
      case 'closeClient':
        ports.closeClient(effect.client)
        break
      case 'inquire':
        ports.inquire(effect.inquiry, effect.question)
        break
      case 'runScript':
        ports.runScript(effect.job, effect.argv)
        break
      case 'killScript':
        ports.killScript(effect.job)
        break
      case 'setLogLevel':
        ports.setLogLevel(effect.level)
        break
      case 'log':
        ports.log(effect.level, effect.text)
        break
      case 'exit':
        this.#hasExited = true
        ports.exit(effect.status)
        break
      default:
        unreachable(effect)
    }
  }
}
