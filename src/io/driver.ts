/**
 * The Sentinel driver feeds the machine events and performs its effects, in order and one batch at a
 * time. It decides nothing. Its one guarantee is the barrier: effects after a `save` happen only once
 * the state is on disk, and the next event is fed only after that. So no other process can see a vote
 * before it would survive a crash.
 */
import { unreachable } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import { splitAtSave } from '../core/batch.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { ExternalQuery } from '../core/external-query.ts'
import type { ClientId, InquiryId, JobId, LinkId } from '../core/ids.ts'
import type { LogLevel } from '../core/log-level.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import type { Purpose } from '../core/purpose.ts'
import type { Protocol, Reply } from '../resp/reply.ts'
import { reasonOf } from './start-error.ts'

/** What a running Sentinel needs from its surroundings. */
export interface DriverPorts {
  now(): Moment
  /** Wakes the driver once, at this monotonic moment, in place of any earlier request. */
  wakeAt(atMs: number | undefined): void
  openLink(link: LinkId, channel: 'command' | 'pubsub', host: string, port: number): void
  closeLink(link: LinkId): void
  send(link: LinkId, purpose: Purpose, argv: readonly string[]): void
  /** Resolves once the state is safely on disk. */
  save(state: SavedState): Promise<void>
  respond(client: ClientId, protocol: Protocol, reply: Reply): void
  /** `drained` follows once the client has read what it was sent, but never before this returns. */
  awaitDrain(client: ClientId): void
  closeClient(client: ClientId): void
  /** `inquired` follows, but never before this returns. */
  inquire(inquiry: InquiryId, question: ExternalQuery): void
  /** Its events follow, but never before this returns. */
  runScript(job: JobId, argv: readonly string[]): void
  killScript(job: JobId): void
  setLogLevel(level: LogLevel | 'nothing'): void
  /** `event`: the line tells of it. */
  log(level: LogLevel, text: string, event: AnnouncedEvent | undefined): void
  exit(status: number): void
  /** Everything fed so far has been handled: input that was held back during a save may come in. */
  caughtUp(): void
}

/** The machine as the driver sees it. */
export interface SentinelMachine {
  start(): readonly Effect[]
  step(now: Moment, event: Event): readonly Effect[]
  nextWakeUpMs(): number | undefined
}

/** Observes a run: called for each effect, at the moment other processes can notice it. */
export interface DriverWatch {
  /** An effect is being performed. */
  done(effect: Effect): void
  /** A batch has been performed to its end. */
  stepped(): void
}

export class Driver {
  readonly #machine: SentinelMachine
  readonly #ports: DriverPorts
  readonly #watch: DriverWatch | undefined
  #queue: Event[] = []
  /** True while a batch is being performed: the queue continues when it ends. */
  #isBusy = false
  #hasExited = false
  /**
   * True if the last save succeeded or there was none yet. After a failed one, events are fed one
   * by one, so that the client whose event failed to be saved learns it.
   */
  #hasSaved = true

  constructor(machine: SentinelMachine, ports: DriverPorts, watch?: DriverWatch) {
    this.#machine = machine
    this.#ports = ports
    this.#watch = watch
  }

  /** Waiting for a save: events fed now are only queued, so the caller had better read no more input. */
  get isBehind(): boolean {
    return this.#isBusy && !this.#hasExited
  }

  /** How many events are queued. */
  get backlog(): number {
    return this.#queue.length
  }

  /** Performs the machine's first batch. */
  start(): void {
    this.#isBusy = true
    if (this.#perform(this.#machine.start())) this.#drain()
  }

  /** Feeds one event: now, or after the current batch. */
  feed(event: Event): void {
    if (this.#hasExited) return
    this.#queue.push(event)
    if (!this.#isBusy) this.#drain()
  }

  /** Feeds the queue until it is empty or a save has to finish first. */
  #drain(): void {
    this.#isBusy = true
    while (this.#queue.length > 0) {
      if (!this.#perform(this.#stepThrough())) return
    }
    this.#isBusy = false
    if (this.#hasExited) return
    this.#ports.wakeAt(this.#machine.nextWakeUpMs())
    this.#ports.caughtUp()
  }

  /** Usually one event; everything that came during a save together, unless saving is in trouble. */
  #stepThrough(): readonly Effect[] {
    const only = this.#queue.length === 1 || !this.#hasSaved ? this.#queue.shift() : undefined
    if (only !== undefined) return this.#step(only)
    const events = this.#queue
    this.#queue = []
    return withoutWakes(events).flatMap((event) => this.#step(event))
  }

  #step(event: Event): readonly Effect[] {
    return this.#machine.step(this.#ports.now(), event)
  }

  /** Performs a batch. False if it stopped at a save; it continues by itself afterwards. */
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

  /** The machine learns of a save after its batch, and before anything that happened meanwhile. */
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
      case 'awaitDrain':
        ports.awaitDrain(effect.client)
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
        ports.log(effect.level, effect.text, effect.event)
        break
      case 'exit':
        this.#hasExited = true
        ports.exit(effect.status)
        break
      case 'save':
        // The barrier itself; `splitAtSave` has taken it out of the batch that arrives here.
        break
      default:
        unreachable(effect)
    }
  }
}

/**
 * A deadline is judged with everything that is known, and more arrives while the other events are
 * handled: an answer that is already here must not be called missing. The alarm is set again when the
 * queue is empty.
 */
function withoutWakes(events: readonly Event[]): readonly Event[] {
  return events.filter(({ kind }) => kind !== 'wake')
}
