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
import type { Reply } from '../resp/reply.ts'
import { BlockWriter } from './block.ts'
import { ClientInput } from './client-input.ts'
import { EffectTexts, mixText, NO_ECHOES, NOTHING_SAID } from './effect-text.ts'
import type { EntryEvent, EntryExtra } from './entry.ts'
import { EventTable } from './event-table.ts'
import { InfoShortener } from './info-lines.ts'
import { type Echoes, hideAnswer, hideConfigs, hideEcho, SecretNames } from './secrets.ts'
import { imageOf } from './sentinel-image.ts'
import { UnsavedEffects } from './unsaved-effects.ts'

/** Where a record goes. Called between steps; must return at once. */
export interface RecordSink {
  /** A new segment begins with this. */
  head(head: RecordHead): void
  /** A block of the present segment, as a byte string. */
  block(text: string): void
  /** Steps are recorded that no block holds yet; `isNotable`: the machine did more than talk. */
  stepped(isNotable: boolean): void
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
  /** SHA-256 in hex. */
  readonly digest: (text: string) => string
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
/** How much of the digest of a step is kept: enough to notice a difference, not to fend off a forger. */
const STEP_DIGEST_CHARACTERS = 8

/** The effects with which a Sentinel only talks. */
const TALK: ReadonlySet<Effect['kind']> = new Set([
  'send',
  'respond',
  'openLink',
  'closeLink',
  'awaitDrain',
  'closeClient',
] as const)

export function isNotable(effects: readonly Effect[]): boolean {
  for (const { kind } of effects) if (!TALK.has(kind)) return true
  return false
}

export function stepDigest(digest: (text: string) => string, text: string): string {
  return digest(text).slice(0, STEP_DIGEST_CHARACTERS)
}

/** Replies that are what they are; others read the state of the machine when they are written. */
const FIXED_REPLIES: ReadonlySet<Reply['kind']> = new Set([
  'simple',
  'bulk',
  'error',
  'integer',
  'null',
  'nullArray',
] as const)

/** Whether the effects may be put into words later: no later step changes what they say. */
function canWait(effects: readonly Effect[]): boolean {
  for (const effect of effects) {
    if (effect.kind === 'send') continue
    if (effect.kind !== 'respond' || !FIXED_REPLIES.has(effect.reply.kind)) return false
  }
  return true
}

type RoutineEvent = Extract<Event, { readonly kind: 'wake' | 'message' | 'reply' | 'received' }>

/** A step that is not in words yet. */
interface NotedStep {
  readonly now: Moment
  /** Without secrets. */
  readonly event: EntryEvent
  readonly effects: readonly Effect[]
  readonly isNotable: boolean
  /** Secrets that the effects may repeat. */
  readonly echoes: Echoes
  readonly extra: EntryExtra | undefined
  /** Of the effects, if the step is notable; given when it is put into words. */
  digest: string | undefined
}

export class SentinelRecorder {
  readonly #options: RecorderOptions
  readonly #names = new SecretNames()
  readonly #unsaved = new UnsavedEffects()
  readonly #input = new ClientInput(this.#names)
  readonly #texts = new EffectTexts(this.#names)
  #infos = new InfoShortener()
  #table = new EventTable()
  #queue: NotedStep[] = []
  #block: BlockWriter | undefined
  /** Of all that was done in the block, see effect-text.ts. */
  #hash = NOTHING_SAID
  #cpu: CpuUsage[] = []
  /** Secrets that the effects of this step may repeat. */
  #echoes = NO_ECHOES
  #isOn = false
  /** A new segment is to begin as soon as no save is under way. */
  #isDue = true

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** The facts that the machine is to be given: what it reads of them is recorded. */
  overhear(facts: ProcessFacts): ProcessFacts {
    const cpuUsage = () => {
      const usage = facts.cpuUsage()
      this.#cpu.push(usage)
      return usage
    }
    return { ...facts, cpuUsage }
  }

  /** The machine has been built; its first batch is `effects`. */
  begin(state: State, now: Moment, effects: readonly Effect[]): void {
    this.#unsaved.step(undefined, effects)
    this.#beginIfDue(state, now)
  }

  /** In place of the machine's own `step`. */
  step(state: State, now: Moment, event: Event): readonly Effect[] {
    if (this.#cpu.length > 0) this.#cpu = []
    let effects: readonly Effect[]
    try {
      effects = step(state, now, event)
    } catch (error) {
      if (this.#isOn) this.#note(state, now, event, [], String(error))
      this.cut()
      throw error
    }
    if (this.#isRoutine(state, event, effects)) {
      if (this.#isOn) this.#noteRoutine(now, event, effects)
    } else {
      if (this.#isOn) this.#note(state, now, event, effects, undefined)
      this.#unsaved.step(event.kind, effects)
    }
    if (this.#isDue) this.#beginIfDue(state, now)
    return effects
  }

  /**
   * Nearly all that a Sentinel is told: time passes, somebody lives or says hello, a peer asks what it has asked before. Nothing in it can
   * be a secret. What is done for each of these at once is most of what a record costs: so rarely as it runs, every function is slow.
   */
  #isRoutine(state: State, event: Event, effects: readonly Effect[]): event is RoutineEvent {
    if (this.#unsaved.areUnderWay || !canWait(effects)) return false
    if (event.kind === 'received') return this.#input.isPlain(state, event.bytes)
    if (event.kind === 'reply') return event.reply.kind !== 'error' && event.purpose.kind !== 'info'
    return event.kind === 'wake' || event.kind === 'message'
  }

  #noteRoutine(now: Moment, event: RoutineEvent, effects: readonly Effect[]): void {
    const extra = this.#cpu.length === 0 ? undefined : this.#extra(event, event, undefined)
    const echoes = NO_ECHOES
    this.#queue.push({ now, event, effects, isNotable: false, echoes, extra, digest: undefined })
    // The sink hears of the first of each queue: after it was given a block, it waits for a step.
    if (this.#queue.length === 1) this.#options.sink.stepped(false)
    if (this.#queue.length >= QUEUE_STEPS) this.#putIntoWords()
  }

  /** Hands the present block to the sink, if there is one. */
  cut(): void {
    this.#putIntoWords()
    this.#handOver()
  }

  #handOver(): void {
    if (this.#block === undefined) return
    const text = this.#block.text(this.#hash)
    this.#block = undefined
    this.#options.sink.block(text)
  }

  /** The next segment begins as soon as it can. */
  renew(): void {
    this.#isDue = true
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
    this.#echoes = NO_ECHOES
    const recorded = this.#recorded(state, event)
    const extra = this.#extra(event, recorded, threw)
    const mayWait = canWait(effects)
    const doesMore = !mayWait && isNotable(effects)
    const echoes = this.#echoes
    const digest = undefined
    this.#queue.push({ now, event: recorded, effects, isNotable: doesMore, echoes, extra, digest })
    if (event.kind === 'clientClosed') this.#input.forget(event.client)
    if (event.kind === 'linkLost') this.#infos.forget(event.link)
    if (this.#queue.length >= QUEUE_STEPS || !mayWait) this.#putIntoWords()
    this.#options.sink.stepped(doesMore)
  }

  #putIntoWords(): void {
    if (this.#queue.length === 0) return
    const steps = this.#queue
    this.#queue = []
    for (const step of steps) this.#write(step)
    const { length = 0, bytes = 0 } = this.#block ?? {}
    if (length >= BLOCK_STEPS || bytes >= BLOCK_BYTES) this.#handOver()
  }

  #write(step: NotedStep): void {
    const { now, event, effects, echoes } = step
    if (this.#block === undefined) {
      this.#block = new BlockWriter(now, this.#table)
      this.#hash = NOTHING_SAID
    }
    if (event.kind === 'received') this.#texts.heard(event.client, event.bytes)
    if (step.isNotable) step.digest = this.#stepDigest(effects, echoes)
    this.#hash =
      step.digest === undefined
        ? this.#texts.mix(this.#hash, effects, echoes)
        : mixText(this.#hash, step.digest)
    this.#block.add(step)
    if (event.kind === 'clientClosed') this.#texts.forget(event.client)
  }

  #stepDigest(effects: readonly Effect[], echoes: Echoes): string {
    return stepDigest(this.#options.digest, this.#texts.textOf(effects, echoes))
  }

  #recorded(state: State, event: Event): EntryEvent {
    switch (event.kind) {
      case 'received': {
        const { shown: bytes, echoes } = this.#input.take(state, event.client, event.bytes)
        this.#echoes = echoes
        if (this.#input.heldBytes > MAX_HELD_BYTES || this.#names.areTooMany) this.renew()
        return bytes === event.bytes ? event : { ...event, bytes }
      }
      case 'saveFailed':
        if (!this.#unsaved.isSame(event.dropped)) this.renew()
        return { kind: 'saveFailed', reason: event.reason }
      case 'reloaded':
        return hideConfigs(this.#names, event)
      case 'inquired':
        return hideAnswer(this.#names, event)
      case 'reply': {
        // At once, because the machine has just read the same lines.
        if (event.reply.kind !== 'error') return this.#infos.shorten(event)
        const echoes = this.#names.echoes(state)
        const recorded = hideEcho(echoes, event)
        if (recorded !== event) this.#echoes = echoes
        return recorded
      }
      default:
        return event
    }
  }

  #extra(event: Event, recorded: EntryEvent, threw: string | undefined): EntryExtra | undefined {
    const isShortened =
      event.kind === 'received' && recorded.kind === 'received' && event.bytes !== recorded.bytes
    if (!isShortened && this.#cpu.length === 0 && threw === undefined) return undefined
    return {
      ...(isShortened ? { bytes: event.bytes.length } : {}),
      ...(this.#cpu.length === 0 ? {} : { cpu: this.#cpu }),
      ...(threw === undefined ? {} : { threw }),
    }
  }
}
