/**
 * Plays a record: the machine of production, from the image of its state, through the events it was
 * told, at the moments it was told them. What it does must be what it did. Each difference is one
 * of the machine, of its version, or of the recorder, and none is normal.
 */
import type { Moment } from '../base/clock.ts'
import { RECORD_PIECE_BYTES } from '../core/commands/sentinel-black-box.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { CpuUsage } from '../core/report/process-facts.ts'
import type { State } from '../core/state.ts'
import { step } from '../core/step.ts'
import { type RecordBlock, RecordFault } from './block.ts'
import {
  EffectTexts,
  isNotable,
  lasting,
  mixText,
  NOTHING_SAID,
  type PiecesDigest,
  shapeOf,
  stepDigest,
} from './effect-text.ts'
import type { RecordEntry } from './entry.ts'
import { ImageFault } from './image.ts'
import { InfoCompleter } from './info-lines.ts'
import type { RecordHead } from './recorder.ts'
import { HIDDEN_ALREADY } from './secrets.ts'
import { stateOf } from './sentinel-image.ts'
import { UnsavedEffects } from './unsaved-effects.ts'

/** A step that was played, before the next one is. */
export interface PlayedStep {
  readonly state: State
  readonly now: Moment
  readonly event: Event
  readonly effects: readonly Effect[]
  /** The machine did more than talk. */
  readonly isDecision: boolean
  /** When the next step of the block is; undefined: this is the last one. */
  readonly next: Moment | undefined
}

/** Where a record and the machine part, in words. `at`: the number of the step in its block. */
export interface Difference {
  /** Undefined: somewhere in the block, at no step that shows it by itself. */
  readonly at: number | undefined
  readonly what: string
}

export interface Digested {
  readonly digested: RecordBlock
  readonly after: readonly string[]
}

export class Player {
  readonly #digest: PiecesDigest
  readonly #state: State
  readonly #texts = new EffectTexts(HIDDEN_ALREADY)
  readonly #infos = new InfoCompleter()
  readonly #unsaved = new UnsavedEffects()
  /** What the machine reads of its process during this step. */
  #cpu: CpuUsage[] = []

  /** Throws a RecordFault. */
  constructor(head: RecordHead, digest: PiecesDigest) {
    this.#digest = digest
    try {
      this.#state = stateOf(head.image, () => this.#nextCpu())
    } catch (error) {
      if (!(error instanceof ImageFault) && !(error instanceof TypeError)) throw error
      throw new RecordFault(`the image of the Sentinel cannot be read: ${error.message}`)
    }
    this.#texts.trust(head.confidants)
  }

  get state(): State {
    return this.#state
  }

  /** Plays a block. Stops at the first difference and returns it. Throws a RecordFault. */
  *play({ entries, digest }: RecordBlock): Generator<PlayedStep, Difference | undefined> {
    let hash = NOTHING_SAID
    for (const [at, entry] of entries.entries()) {
      const event = this.#eventOf(entry, at)
      const effects = this.#step(entry, event)
      const { threw } = entry.extra ?? {}
      if (typeof effects === 'string') {
        return effects === threw ? undefined : { at, what: `the machine fails: ${effects}` }
      }
      if (threw !== undefined) return { at, what: `the machine failed then: ${threw}` }
      const isDecision = isNotable(effects)
      const text = isDecision ? this.#texts.textOf(lasting(effects, this.#state)) : ''
      const stepsDigest = isDecision ? stepDigest(this.#digest, [text]) : undefined
      hash = this.#mixed(hash, effects, stepsDigest)
      const next = entries[at + 1]?.now
      yield { state: this.#state, now: entry.now, event, effects, isDecision, next }
      if (stepsDigest !== entry.digest)
        return { at, what: otherEffects(stepsDigest, entry.digest, text) }
    }
    if (hash === digest) return undefined
    return {
      at: undefined,
      what: 'what it sends and answers is not what it sent and answered then',
    }
  }

  /**
   * The digests of what the machine does on these entries now, and the shape of each step (effect-text.ts). Throws a
   * RecordFault where the machine fails and did not, or the other way round.
   */
  digested(entries: readonly RecordEntry[]): Digested {
    let hash = NOTHING_SAID
    const after: string[] = []
    const told = entries.map((entry, at): RecordEntry => {
      const effects = this.#step(entry, this.#eventOf(entry, at))
      const failure = typeof effects === 'string' ? effects : undefined
      if ((failure === undefined) !== (entry.extra?.threw === undefined))
        throw new RecordFault(
          `step ${at + 1}: the machine fails otherwise: ${failure ?? 'not at all'}`,
        )
      if (typeof effects === 'string') return entry
      after.push(shapeOf(effects))
      const digest = isNotable(effects)
        ? stepDigest(this.#digest, this.#texts.piecesOf(lasting(effects, this.#state)))
        : undefined
      hash = this.#mixed(hash, effects, digest)
      return { ...entry, digest }
    })
    return { digested: { entries: told, digest: hash }, after }
  }

  /** As the recorder does. */
  #mixed(hash: number, effects: readonly Effect[], digest: string | undefined): number {
    return digest === undefined ? this.#texts.mix(hash, effects) : mixText(hash, digest)
  }

  /** The effects, or why the machine failed. */
  #step(entry: RecordEntry, event: Event): readonly Effect[] | string {
    this.#cpu = [...(entry.extra?.cpu ?? [])]
    try {
      const effects = step(this.#state, entry.now, event)
      this.#unsaved.step(event.kind, effects)
      return effects
    } catch (error) {
      return String(error)
    }
  }

  #eventOf({ event, extra }: RecordEntry, at: number): Event {
    switch (event.kind) {
      case 'received': {
        const { stats } = this.#state
        stats.bytesReceived += (extra?.bytes ?? event.bytes.length) - event.bytes.length
        this.#texts.heard(event.client, event.bytes)
        return event
      }
      case 'saveFailed':
        return { ...event, dropped: this.#unsaved.dropped }
      case 'clientClosed':
        this.#texts.forget(event.client)
        return event
      case 'linkLost':
        this.#infos.forget(event.link)
        return event
      case 'recordTold': {
        const { inquiry, bytes } = event
        if (!(bytes >= 0 && bytes <= RECORD_PIECE_BYTES))
          throw new RecordFault(`step ${at + 1}: no piece of a record has ${bytes} bytes`)
        return {
          kind: 'inquired',
          inquiry,
          answer: { kind: 'readRecord', bytes: '?'.repeat(bytes) },
        }
      }
      case 'reply':
      case 'infoAgain': {
        const whole = this.#infos.complete(event)
        if (whole?.kind === 'reply') return whole
        throw new RecordFault(
          `step ${at + 1}: a part of INFO on link ${event.link}, and no whole one before`,
        )
      }
      default:
        return event
    }
  }

  #nextCpu(): CpuUsage {
    return this.#cpu.shift() ?? { systemSeconds: 0, userSeconds: 0 }
  }
}

function otherEffects(now: string | undefined, then: string | undefined, text: string): string {
  if (now === undefined) return 'the machine decided something then, and decides nothing now'
  const first = text.split('\n').find((line) => line !== '') ?? ''
  const shown = first.length > 200 ? `${first.slice(0, 200)}…` : first
  const what = then === undefined ? 'decides something now, and nothing then' : 'decides otherwise'
  return `the machine ${what}: ${shown}`
}
