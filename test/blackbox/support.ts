/** Sentinels with recorders around them, in the simulated world, and their records played again. */
import { createHash } from 'node:crypto'
import type { Moment } from '../../src/base/clock.ts'
import { createRng } from '../../src/base/rng.ts'
import { type RecordBlock, readBlock, SegmentEvents } from '../../src/blackbox/block.ts'
import { type Difference, type PlayedStep, Player } from '../../src/blackbox/player.ts'
import { headText, readHead } from '../../src/blackbox/record-head.ts'
import {
  type RecorderOptions,
  type RecordHead,
  type RecordSink,
  SentinelRecorder,
} from '../../src/blackbox/recorder.ts'
import { DEFAULT_SENTINEL } from '../../src/core/config.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import type { State } from '../../src/core/state.ts'
import { nextWakeUpMs } from '../../src/core/step.ts'
import { entryText } from '../../src/journal/entry-text.ts'
import type { JournalEvent } from '../../src/journal/event-table.ts'
import { simEngine } from '../../src/scenario/sim-engine.ts'
import type { Engine } from '../../src/scenario/world.ts'
import { NodeProgram } from '../../src/sim/processes/node-program.ts'
import { SIMULATED } from '../../src/sim/processes/programs.ts'
import { SentinelProgram } from '../../src/sim/processes/sentinel-program.ts'
import { GROUP } from '../support/sentinel-stage.ts'

export function digest(pieces: Iterable<string>): string {
  return createHash('sha256')
    .update([...pieces].join(''))
    .digest('hex')
}

export interface KeptSegment {
  readonly head: string
  readonly blocks: string[]
}

/** Keeps segments in memory. */
export class KeptRecord implements RecordSink {
  readonly segments: KeptSegment[] = []
  readonly recorder: SentinelRecorder
  steps = 0
  readonly #segmentSteps: number

  /** A new segment begins after every so many steps. */
  constructor(segmentSteps = 2_000) {
    this.#segmentSteps = segmentSteps
    const options = { digest, sink: this, program: 'test' }
    this.recorder = new CountingRecorder(options, () => this.#count())
  }

  head(head: RecordHead): void {
    this.segments.push({ head: headText(head), blocks: [] })
  }

  block(text: string): void {
    this.segments.at(-1)?.blocks.push(text)
  }

  /** Here blocks end by themselves, see `#count`. */
  stepped(): void {}

  failed(error: unknown): void {
    throw error
  }

  #count(): void {
    if (++this.steps % this.#segmentSteps === 0) this.recorder.renew()
    if (this.steps % 97 === 0) this.recorder.cut()
  }

  get text(): string {
    return this.segments.map(({ head, blocks }) => [head, ...blocks].join('\n')).join('\n')
  }
}

class CountingRecorder extends SentinelRecorder {
  readonly #stepped: () => void

  constructor(options: RecorderOptions, stepped: () => void) {
    super(options)
    this.#stepped = stepped
  }

  override step(...step: Parameters<SentinelRecorder['step']>): readonly Effect[] {
    const effects = super.step(...step)
    this.#stepped()
    return effects
  }
}

/** What one life of a node has put on record of itself. */
export interface KeptJournal {
  /** Asked when the run is over. */
  readonly runId: () => string
  readonly name: string
  readonly entries: string[]
}

/** A world in which every life of a Sentinel has a record of its own, and every life of a node a journal if they are wanted. */
export function recordingEngine(
  records: KeptRecord[],
  segmentSteps?: number,
  journals?: KeptJournal[],
): Engine {
  const make = {
    ...SIMULATED,
    node: (start: ConstructorParameters<typeof NodeProgram>[0]) => {
      const entries: string[] = []
      const note = (now: Moment, event: JournalEvent) => entries.push(entryText(now, event))
      const program = new NodeProgram(journals === undefined ? start : { ...start, note })
      const { name } = start.process
      journals?.push({ runId: () => program.standing().runId, name, entries })
      return program
    },
    sentinel: (start: ConstructorParameters<typeof SentinelProgram>[0]) => {
      const record = new KeptRecord(segmentSteps)
      records.push(record)
      const { recorder } = record
      const around = {
        begin: recorder.begin.bind(recorder),
        step: recorder.step.bind(recorder),
      }
      return new SentinelProgram({ ...start, around })
    },
  }
  return simEngine({ make })
}

/** Plays all segments of a record; what differs, in words. */
export function differencesOf(record: KeptRecord, look?: (step: PlayedStep) => void): string[] {
  record.recorder.cut()
  return record.segments.flatMap((segment, at) => {
    const player = new Player(readHead(segment.head), digest)
    const events = new SegmentEvents()
    for (const [number, text] of segment.blocks.entries()) {
      const difference = playAll(player, readBlock(text, events), look)
      if (difference !== undefined) return [`segment ${at}, block ${number}: ${worded(difference)}`]
    }
    return []
  })
}

function playAll(player: Player, block: RecordBlock, look?: (step: PlayedStep) => void) {
  const steps = player.play(block)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    look?.(value)
  }
}

function worded({ at, what }: Difference): string {
  return `step ${at}: ${what}`
}

/** A Sentinel that reaches no other process: it dials, waits, and listens to one client. */
export class LonelySentinel {
  steps = 0
  readonly #state: State
  readonly #recorder: SentinelRecorder
  #ms = 1_000
  #wallAheadMs = 0
  #client = 0

  constructor(recorder: SentinelRecorder) {
    const config = { ...DEFAULT_SENTINEL, groups: [GROUP] }
    const start = { config, saved: undefined, rng: createRng('lonely'), now: this.#now() }
    const { state, effects } = startSentinel(start)
    this.#state = state
    this.#recorder = recorder
    recorder.begin(state, start.now, effects)
    this.#feed({ kind: 'saved' })
    // The first segment begins with the answer to the first save.
    this.steps = 0
  }

  /** So many steps of a quiet life. */
  live(steps: number): void {
    for (let at = 0; at < steps; at++) {
      this.#ms = Math.max(this.#ms, nextWakeUpMs(this.#state) ?? this.#ms)
      this.#feed({ kind: 'wake' })
      for (const link of [...this.#state.connections.keys()])
        this.#feed({ kind: 'linkLost', link, reason: 'ETIMEDOUT', isRefused: false })
    }
  }

  /** So many seconds in which no answer comes. */
  wait(seconds: number): void {
    for (let at = 0; at < seconds; at++) {
      this.#ms += 1_000
      this.#feed({ kind: 'wake' })
    }
  }

  /** From now on its wall clock is so far ahead of the right time. */
  setClock(aheadMs: number): void {
    this.#wallAheadMs = aheadMs
  }

  /** A client says this many bytes that nobody has said before. */
  chatter(bytes: number): void {
    const client = ++this.#client
    const ends = { address: '127.0.0.1:5000', localAddress: '127.0.0.1:26379' }
    this.#feed({ kind: 'clientOpened', client, ...ends })
    const rng = createRng(`chatter ${client}`)
    for (let left = bytes; left > 0; left -= 1_000)
      this.#feed({ kind: 'received', client, bytes: `PING ${rng.hex(1_000)}\r\n` })
    this.#feed({ kind: 'clientClosed', client })
  }

  #feed(event: Event): void {
    this.steps++
    const effects = this.#recorder.step(this.#state, this.#now(), event)
    if (effects.some(({ kind }) => kind === 'save')) this.#feed({ kind: 'saved' })
  }

  #now(): Moment {
    return { monoMs: this.#ms, wallMs: 1_700_000_000_000 + this.#wallAheadMs + this.#ms }
  }
}
