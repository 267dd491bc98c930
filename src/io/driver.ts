/**
 * The Sentinel driver feeds the machine events and performs its effects, in order and one batch at a
 * time. It decides nothing. Its one guarantee is the barrier: what stands after a `save` happens only
 * once the state is on disk, and the next event is fed only after that. A vote can therefore never
 * be seen by anyone before it would survive a crash.
 */
import { unreachable } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import { splitAtSave } from '../core/batch.ts'
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
  /** The last save succeeded, or there was none: what fails alone is told who asked for it. */
  #hasSaved = true

  constructor(machine: Machine, ports: DriverPorts, watch?: DriverWatch) {
    this.#machine = machine
    this.#ports = ports
    this.#watch = watch
  }

  /** Performs the machine's first batch. */
  start(): void {
    this.#isBusy = true
    if (this.#perform(this.#machine.start())) this.#drain()
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
    while (this.#queue.length > 0) {
      if (!this.#perform(this.#stepThrough())) return
    }
    this.#isBusy = false
    if (!this.#hasExited) this.#ports.wakeAt(this.#machine.nextWakeUpMs())
  }

  /** One event as a rule; all that came during a save together, unless saving is in trouble. */
  #stepThrough(): readonly Effect[] {
    const events = this.#queue.splice(0, this.#hasSaved ? this.#queue.length : 1)
    const [first] = events
    if (events.length === 1 && first !== undefined) return this.#step(first)
    return wakeLast(events).flatMap((event) => this.#step(event))
  }

  #step(event: Event): readonly Effect[] {
    return this.#machine.step(this.#ports.now(), event)
  }

  /** Performs a batch; false: it stopped at a save, and will go on by itself. */
  #perform(effects: readonly Effect[]): boolean {
    const { before, state, behind } = splitAtSave(effects)
    for (const effect of before) {
      this.#performOne(effect)
      if (this.#hasExited) return false
    }
    if (state !== undefined) this.#save(state, behind)
    else this.#watch?.stepped()
    return state === undefined
  }

  #save(state: SavedState, behind: readonly Effect[]): void {
    this.#ports.save(state).then(
      () => this.#resume({ kind: 'saved' }, behind),
      (error: unknown) => {
        const failure = { kind: 'saveFailed', reason: reasonOf(error), dropped: behind } as const
        this.#resume(failure, [])
      },
    )
  }

  /** The machine hears of a save after its batch and before anything that happened meanwhile. */
  #resume(outcome: Event, behind: readonly Effect[]): void {
    this.#hasSaved = outcome.kind === 'saved'
    this.#queue.unshift(outcome)
    if (this.#perform(behind)) this.#drain()
  }

  #performOne(effect: Effect): void {
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
      case 'save':
        // The barrier that ends the part of a batch which comes here.
        break
      default:
        unreachable(effect)
    }
  }
}

/** A deadline is judged with all that is known: an answer that has come is not missing. */
function wakeLast(events: readonly Event[]): readonly Event[] {
  const others = events.filter(({ kind }) => kind !== 'wake')
  return others.length === events.length ? events : [...others, { kind: 'wake' }]
}
