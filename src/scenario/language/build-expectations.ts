/** From the `expect` of a file to claims with their times. */

import type {
  Bounds,
  EventClaim,
  Expectation,
  RunPart,
  StateTiming,
  Step,
  TimeRef,
  TotalClaim,
} from '../scenario-file.ts'
import { ClaimBuilder } from './build-claims.ts'
import type { Problems } from './problems.ts'
import type { RawExpectation } from './schema.ts'
import type { Path } from './source.ts'
import type { Symbols } from './symbols.ts'

const START: TimeRef = { label: undefined, offsetMs: 0 }
const TIMES = ['within', 'always', 'never', 'after', 'until'] as const
/** Words that do not fit what is counted in a part of the run, which `after` and `until` give. */
const TIMES_OF_COUNTS = ['within', 'always', 'never'] as const

export class ExpectationBuilder {
  readonly #cast: Symbols
  readonly #problems: Problems
  readonly #labels: readonly string[]
  readonly #claims: ClaimBuilder

  constructor(cast: Symbols, steps: readonly Step[], problems: Problems) {
    this.#cast = cast
    this.#problems = problems
    this.#labels = steps.flatMap(({ label }) => (label === undefined ? [] : [label]))
    this.#claims = new ClaimBuilder(cast)
  }

  /** Undefined if something is wrong with the expectation; the problem is noted. */
  build(raw: RawExpectation, path: Path): Expectation | undefined {
    if (isCounted(raw.event)) {
      const claim = this.#events(this.#claims.event(raw, raw.event, path), raw, path)
      return { kind: 'total', claim }
    }
    const built = this.#claims.build(raw, path)
    if (built === undefined) return { kind: 'total', claim: this.#total(raw, path) }
    if (built.kind === 'state') {
      const timing = this.#timing(raw, path)
      return timing === undefined ? undefined : { ...built, timing }
    }
    const timing = this.#momentTiming(raw, path)
    return timing === undefined ? undefined : { ...built, timing }
  }

  #total(raw: RawExpectation, path: Path): TotalClaim {
    if (raw.settled !== undefined) {
      this.#checkUntimed(raw, TIMES, path)
      if (raw.group !== undefined)
        this.#refuse([...path, 'group'], 'E_VALUE', 'all groups settle together', 'leave it out')
      return { kind: 'settled', withinMs: raw.settled.within }
    }
    const group = this.#cast.group(path, raw.group)
    if (raw.outage !== undefined) return this.#outage(raw.outage, group, raw, path)
    this.#checkUntimed(raw, TIMES, path)
    if (raw['lost-writes'] !== undefined) {
      const { 'acknowledged-by': by, cause } = raw['lost-writes']
      this.#checkOneSort([...path, 'lost-writes'], by, cause)
      const bounds = this.#bounds(raw['lost-writes'], [...path, 'lost-writes'])
      return { kind: 'lostWrites', group, ...bounds, acknowledgedBy: by ?? 'any', cause }
    }
    if (raw.failovers !== undefined) {
      return { kind: 'failovers', group, ...this.#bounds(raw.failovers, [...path, 'failovers']) }
    }
    if (raw.anomalies !== undefined) {
      return { kind: 'anomalies', group, ...this.#bounds(raw.anomalies, [...path, 'anomalies']) }
    }
    const stale = raw['stale-reads']
    if (stale !== undefined) {
      return { kind: 'staleReads', group, ...this.#bounds(stale, [...path, 'stale-reads']) }
    }
    return { kind: 'dualWrites', group, atMostMs: raw['dual-writes']?.['at-most'] ?? 0 }
  }

  #outage(
    raw: NonNullable<RawExpectation['outage']>,
    group: string,
    around: RawExpectation,
    path: Path,
  ): TotalClaim {
    const { client: clients, 'at-most': atMostMs } = raw
    this.#cast.check([...path, 'outage', 'client'], 'client', clients ?? [], this.#cast.clients)
    return { kind: 'outage', group, clients, atMostMs, ...this.#span(around, path) }
  }

  #events(event: EventClaim, raw: RawExpectation, path: Path): TotalClaim {
    const bounds = this.#bounds(raw.event ?? {}, [...path, 'event'])
    return { kind: 'events', event, ...bounds, ...this.#span(raw, path) }
  }

  #span(raw: RawExpectation, path: Path): RunPart {
    this.#checkUntimed(raw, TIMES_OF_COUNTS, path)
    this.#checkRefs(raw, path)
    return { after: raw.after, until: raw.until }
  }

  #bounds(raw: RawBounds, path: Path): Bounds {
    const { 'at-most': atMost, 'at-least': atLeast = 0 } = raw
    if (atMost === undefined && atLeast === 0) {
      this.#problems.add(path, 'E_MISSING', 'has no number', 'write at-most or at-least')
    }
    if (atMost !== undefined && atMost < atLeast) {
      this.#problems.add(path, 'E_RANGE', 'asks for more than it allows', '')
    }
    return { atLeast, atMost }
  }

  #checkOneSort(path: Path, by: string | undefined, cause: string | undefined): void {
    if (by === undefined || cause === undefined) return
    const hint = 'write two expectations'
    this.#problems.add(path, 'E_VALUE', 'counts by cause and by who acknowledged', hint)
  }

  #timing(raw: RawExpectation, path: Path): StateTiming | undefined {
    const { within, always, never, after = START, until } = raw
    const given = [within, always, never].filter((value) => value !== undefined)
    this.#checkRefs(raw, path)
    if (given.length !== 1) {
      const hint = 'write within: 5s, always: true or never: true'
      return this.#refuse(path, 'E_MISSING', 'must say when, in one way', hint)
    }
    if (within === undefined) return { kind: always ? 'always' : 'never', after, until }
    if (until === undefined) return { kind: 'within', after, withinMs: within }
    return this.#refuse(path, 'E_VALUE', 'has two ends', 'write within or until, not both')
  }

  #momentTiming(raw: RawExpectation, path: Path) {
    const timing = this.#timing(raw, path)
    if (timing === undefined || timing.kind === 'within') return timing
    const { kind, after, until } = timing
    if (kind === 'never') return { kind, after, until }
    const hint = 'it happens at a moment: write within or never'
    return this.#refuse([...path, 'always'], 'E_VALUE', 'cannot hold all the time', hint)
  }

  #checkUntimed(raw: RawExpectation, times: readonly (typeof TIMES)[number][], path: Path): void {
    for (const key of times) {
      if (raw[key] === undefined) continue
      const message = 'has no meaning for what is counted over the run'
      this.#problems.add([...path, key], 'E_VALUE', message, 'leave it out')
    }
  }

  #checkRefs({ after, until }: RawExpectation, path: Path): void {
    this.#cast.checkRef([...path, 'after'], after, this.#labels)
    this.#cast.checkRef([...path, 'until'], until, this.#labels)
    if (until === undefined || !isBefore(until, after ?? START)) return
    const message = 'is before the moment at which the time begins'
    this.#problems.add([...path, 'until'], 'E_RANGE', message, 'after comes first, until later')
  }

  #refuse(path: Path, code: 'E_MISSING' | 'E_VALUE', message: string, hint: string): undefined {
    this.#problems.add(path, code, message, hint)
    return undefined
  }
}

/** Whether that is known before the run: a step is done at a moment that the run decides. */
function isBefore(one: TimeRef, other: TimeRef): boolean {
  return one.label === other.label && one.offsetMs < other.offsetMs
}

interface RawBounds {
  readonly 'at-most'?: number | undefined
  readonly 'at-least'?: number | undefined
}

function isCounted(event: RawExpectation['event']): event is NonNullable<RawExpectation['event']> {
  return event?.['at-most'] !== undefined || event?.['at-least'] !== undefined
}
