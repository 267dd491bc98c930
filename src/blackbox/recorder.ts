/**
 * The recorder of a Sentinel: it stands around `step`, hears every event with both clocks, and
 * keeps it in blocks behind an image of the whole state. The machine does not know that it is
 * there.
 *
 * What the machine draws (its generator is in the image) and what it did in return are not kept:
 * both follow. A digest of the effects is, so that whoever plays the record can tell that the
 * machine does the same again.
 */
import type { Moment } from '../base/clock.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { CpuUsage, ProcessFacts } from '../core/report/process-facts.ts'
import type { State } from '../core/state.ts'
import { step } from '../core/step.ts'
import { BlockWriter } from './block.ts'
import { ClientInput, ownRenames, type TakenInput } from './client-input.ts'
import {
  EffectTexts,
  isNotable,
  lasting,
  mixText,
  NO_ECHOES,
  NOTHING_SAID,
  type PiecesDigest,
  stepDigest,
} from './effect-text.ts'
import { type EntryEvent, type EntryExtra, extraOf } from './entry.ts'
import { EventTable } from './event-table.ts'
import { InfoShortener, linesRead } from './info-lines.ts'
import { hideAnswer, hideConfigs, hideEcho, SecretNames } from './secrets.ts'
import { imageOf } from './sentinel-image.ts'
import { UnsavedEffects } from './unsaved-effects.ts'
import { canWait, mannerOf, type WaitingEvent, type WaitingStep } from './waiting-step.ts'

/** Where a record goes. Called between steps; must return at once. */
export interface RecordSink {
  /** A new segment begins with this. */
  head(head: RecordHead): void
  /** A block of the present segment, as a byte string. */
  block(text: string): void
  /** Steps are recorded that no block holds yet; `isNotable`: the machine did more than talk. */
  stepped(isNotable: boolean): void
  /** The recorder has a fault: nothing more will come. The machine goes on without a record. */
  failed(error: unknown): void
}

export interface RecordHead {
  readonly myid: string
  /** Name and version of the program. */
  readonly program: string
  readonly now: Moment
  /** See sentinel-image.ts. */
  readonly image: string
  /** Clients whose answers are not compared, see effect-text.ts. */
  readonly confidants: readonly number[]
}

export interface RecorderOptions {
  readonly digest: PiecesDigest
  readonly sink: RecordSink
  /** Name and version of the program. */
  readonly program: string
}

/** A block ends after this many steps, or when its different events have this many bytes. */
const BLOCK_STEPS = 8192
const BLOCK_BYTES = 512 * 1024
/** So many steps are put into words together: fewer at a time cost more each, and twice as many would survive two collections (blackbox.md). */
const QUEUE_STEPS = 256
/** A request that stays incomplete beyond this many bytes is left out of the record. */
const MAX_HELD_BYTES = 1024 * 1024

export class SentinelRecorder {
  readonly #options: RecorderOptions
  readonly #names = new SecretNames()
  readonly #unsaved = new UnsavedEffects()
  readonly #input = new ClientInput(this.#names)
  readonly #texts = new EffectTexts(this.#names)
  #infos = new InfoShortener()
  #table = new EventTable()
  #queue: WaitingStep[] = []
  #block: BlockWriter | undefined
  /** Of all that was done in the block, see effect-text.ts. */
  #hash = NOTHING_SAID
  #cpu: readonly CpuUsage[] = []
  /** Secrets that the effects of this step may repeat. */
  #echoes = NO_ECHOES
  #isOn = false
  /** A new segment is to begin as soon as no save is under way. */
  #isDue = true
  #hasFailed = false

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** The facts that the machine is to be given: what it reads of them is recorded. */
  overhear(facts: ProcessFacts): ProcessFacts {
    const cpuUsage = () => {
      const usage = facts.cpuUsage()
      this.#cpu = [...this.#cpu, usage]
      return usage
    }
    return { ...facts, cpuUsage }
  }

  /** The machine has been built; its first batch is `effects`. */
  begin(state: State, now: Moment, effects: readonly Effect[]): void {
    try {
      this.#unsaved.step(undefined, effects)
      this.#beginIfDue(state, now)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** In place of the machine's own `step`. */
  step(state: State, now: Moment, event: Event): readonly Effect[] {
    if (this.#cpu.length > 0) this.#cpu = []
    const effects = this.#stepped(state, now, event)
    try {
      this.#record(state, now, event, effects)
    } catch (error) {
      this.#fail(error)
    }
    return effects
  }

  #stepped(state: State, now: Moment, event: Event): readonly Effect[] {
    try {
      return step(state, now, event)
    } catch (error) {
      this.#recordCrash(state, now, event, error)
      throw error
    }
  }

  #recordCrash(state: State, now: Moment, event: Event, crash: unknown): void {
    try {
      if (this.#isOn) this.#note(state, now, event, [], String(crash))
      this.cut()
    } catch (error) {
      this.#fail(error)
    }
  }

  #record(state: State, now: Moment, event: Event, effects: readonly Effect[]): void {
    const manner = mannerOf(effects)
    if (this.#isOn) {
      if (manner !== 'now' && this.#canWait(state, event))
        this.#keep(state, now, event, effects, manner === 'notable')
      else this.#note(state, now, event, effects, undefined)
    }
    if (manner !== 'talk' || this.#unsaved.areUnderWay) this.#unsaved.step(event.kind, effects)
    if (event.kind === 'clientClosed') this.#input.forget(event.client)
    if (this.#isDue) this.#beginIfDue(state, now)
  }

  /** A fault in here ends the record, and not the Sentinel. */
  #fail(error: unknown): void {
    this.#hasFailed = true
    this.pause()
    this.#options.sink.failed(error)
  }

  #canWait(state: State, event: Event): event is WaitingEvent {
    return canWait(event) && (event.kind !== 'received' || this.#input.isWhole(state, event.client))
  }

  #keep(
    state: State,
    now: Moment,
    event: WaitingEvent,
    done: readonly Effect[],
    isNotable: boolean,
  ): void {
    const lines = event.kind === 'reply' ? linesRead(event) : undefined
    const effects = isNotable ? lasting(done, state) : done
    const { config } = state
    this.#queue.push({ now, event, effects, isNotable, cpu: this.#cpu, config, lines })
    // The sink hears of the first of each queue: after it was given a block, it waits for a step.
    if (isNotable || this.#queue.length === 1) this.#options.sink.stepped(isNotable)
    if (this.#queue.length >= QUEUE_STEPS) this.#putIntoWords()
  }

  /** Hands the present block to the sink, if there is one. */
  cut(): void {
    try {
      this.#putIntoWords()
      this.#handOver()
    } catch (error) {
      this.#fail(error)
    }
  }

  #handOver(): void {
    if (this.#block === undefined) return
    const text = this.#block.text(this.#hash)
    this.#block = undefined
    this.#options.sink.block(text)
  }

  /** The next segment begins as soon as it can. */
  renew(): void {
    this.#isDue = !this.#hasFailed
  }

  /** There is no place for a record: nothing is kept until `renew`. */
  pause(): void {
    this.#isOn = false
    this.#isDue = false
    this.#queue = []
    this.#block = undefined
  }

  #beginIfDue(state: State, now: Moment): void {
    if (!this.#isDue || this.#unsaved.areUnderWay) return
    this.cut()
    if (this.#hasFailed) return
    this.#isDue = false
    this.#isOn = true
    this.#infos = new InfoShortener()
    this.#table = new EventTable()
    if (this.#names.areTooMany) this.#names.beginAnew()
    this.#input.begin(state)
    const image = imageOf(state, this.#names, this.#input)
    const { confidants } = this.#texts
    const { program, sink } = this.#options
    sink.head({ myid: state.myid, program, now, image, confidants })
  }

  #note(
    state: State,
    now: Moment,
    event: Event,
    effects: readonly Effect[],
    threw: string | undefined,
  ): void {
    this.#putIntoWords()
    this.#echoes = NO_ECHOES
    const recorded = this.#recorded(state, event)
    const doesMore = isNotable(effects)
    const extra = extraOf(event, recorded, this.#cpu, threw)
    this.#write(now, recorded, doesMore ? lasting(effects, state) : effects, extra, doesMore)
    this.#endBlockIfFull()
    this.#options.sink.stepped(doesMore)
  }

  #putIntoWords(): void {
    if (this.#queue.length === 0) return
    const steps = this.#queue
    this.#queue = []
    for (const step of steps) {
      const { now, event, effects, isNotable: doesMore, cpu } = step
      this.#echoes = NO_ECHOES
      const recorded = this.#recordedLater(step)
      const extra = extraOf(event, recorded, cpu, undefined)
      this.#write(now, recorded, effects, extra, doesMore)
    }
    this.#endBlockIfFull()
  }

  #write(
    now: Moment,
    event: EntryEvent,
    effects: readonly Effect[],
    extra: EntryExtra | undefined,
    doesMore: boolean,
  ): void {
    if (this.#block === undefined) {
      this.#block = new BlockWriter(now, this.#table)
      this.#hash = NOTHING_SAID
    }
    if (event.kind === 'received') this.#texts.heard(event.client, event.bytes)
    const digest = doesMore ? this.#stepDigest(effects) : undefined
    this.#hash =
      digest === undefined
        ? this.#texts.mix(this.#hash, effects, this.#echoes)
        : mixText(this.#hash, digest)
    this.#block.add({ now, event, digest, extra })
    if (event.kind === 'clientClosed') this.#texts.forget(event.client)
    if (event.kind === 'linkLost') this.#infos.forget(event.link)
  }

  #endBlockIfFull(): void {
    const { length = 0, bytes = 0 } = this.#block ?? {}
    if (length >= BLOCK_STEPS || bytes >= BLOCK_BYTES) this.#handOver()
  }

  #stepDigest(effects: readonly Effect[]): string {
    return stepDigest(this.#options.digest, this.#texts.piecesOf(effects, this.#echoes))
  }

  #recordedLater({ event, config, lines }: WaitingStep): EntryEvent {
    if (event.kind === 'received')
      return this.#shown(event, this.#input.takeWhole(ownRenames({ config }), event.bytes))
    if (event.kind === 'reply' && lines !== undefined) return this.#infos.shorten(event, lines)
    return event
  }

  #recorded(state: State, event: Event): EntryEvent {
    switch (event.kind) {
      case 'received':
        return this.#shown(event, this.#input.take(state, event.client, event.bytes))
      case 'saveFailed':
        if (!this.#unsaved.isSame(event.dropped)) this.renew()
        return { kind: 'saveFailed', reason: event.reason }
      case 'reloaded':
        return hideConfigs(this.#names, event)
      case 'inquired':
        return hideAnswer(this.#names, event)
      case 'reply':
        return this.#recordedReply(state, event)
      default:
        return event
    }
  }

  #shown(event: Told<'received'>, { shown: bytes, echoes }: TakenInput): EntryEvent {
    this.#echoes = echoes
    if (this.#input.heldBytes > MAX_HELD_BYTES || this.#names.areTooMany) this.renew()
    return bytes === event.bytes ? event : { ...event, bytes }
  }

  #recordedReply(state: State, event: Told<'reply'>): EntryEvent {
    const lines = linesRead(event)
    if (lines !== undefined) return this.#infos.shorten(event, lines)
    if (event.reply.kind !== 'error') return event
    const echoes = this.#names.echoes(state)
    const recorded = hideEcho(echoes, event)
    if (recorded !== event) this.#echoes = echoes
    return recorded
  }
}

type Told<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>
