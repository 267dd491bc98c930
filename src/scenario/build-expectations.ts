/** From the `expect` of a file to claims with their times. */
import { unreachable } from '../base/assert.ts'
import type { Cast } from './cast.ts'
import type { Problems } from './problems.ts'
import type {
  Expectation,
  MomentClaim,
  StateClaim,
  StateTiming,
  Step,
  TimeRef,
  TotalClaim,
} from './scenario-file.ts'
import { CLAIMS, type RawExpectation } from './schema.ts'
import type { Path } from './source.ts'

const START: TimeRef = { label: undefined, offsetMs: 0 }

export class ExpectationBuilder {
  readonly #cast: Cast
  readonly #problems: Problems
  readonly #labels: readonly string[]

  constructor(cast: Cast, steps: readonly Step[], problems: Problems) {
    this.#cast = cast
    this.#problems = problems
    this.#labels = steps.flatMap(({ label }) => (label === undefined ? [] : [label]))
  }

  /** Undefined when something is wrong with it; the problem is noted. */
  build(raw: RawExpectation, path: Path): Expectation | undefined {
    const key = (Object.keys(CLAIMS) as (keyof typeof CLAIMS)[]).find((k) => raw[k] !== undefined)
    switch (key) {
      case 'master':
      case 'one-master':
      case 'replica':
      case 'refuses-writes': {
        const timing = this.#timing(raw, path)
        const claim = this.#state(raw, path)
        return timing === undefined ? undefined : { kind: 'state', claim, timing }
      }
      case 'writes-work':
      case 'event': {
        const timing = this.#momentTiming(raw, path)
        const claim = this.#moment(raw, path)
        return timing === undefined ? undefined : { kind: 'moment', claim, timing }
      }
      case 'lost-writes':
      case 'failovers':
      case 'dual-writes':
        this.#checkUntimed(raw, path)
        return { kind: 'total', claim: this.#total(raw, path) }
      case undefined:
        return undefined
      default:
        return unreachable(key)
    }
  }

  #state(raw: RawExpectation, path: Path): StateClaim {
    if (raw['one-master'] !== undefined) return this.#oneMaster(raw, raw['one-master'], path)
    if (raw.replica !== undefined) return this.#replica(raw, raw.replica, path)
    if (raw['refuses-writes'] !== undefined) {
      const { node, with: code } = raw['refuses-writes']
      this.#check([...path, 'refuses-writes', 'node'], 'node', [node], this.#cast.nodes)
      return { kind: 'refusesWrites', node, code }
    }
    const node = typeof raw.master === 'object' ? raw.master.not : (raw.master ?? '')
    const accordingTo = raw['according-to'] ?? this.#cast.sentinels
    this.#check([...path, 'master'], 'node', [node], this.#cast.nodes)
    this.#check([...path, 'according-to'], 'Sentinel', accordingTo, this.#cast.sentinels)
    const negated = typeof raw.master === 'object'
    return { kind: 'master', group: this.#group(raw, path), node, negated, accordingTo }
  }

  #oneMaster(
    raw: RawExpectation,
    value: NonNullable<RawExpectation['one-master']>,
    path: Path,
  ): StateClaim {
    const among = value === true ? this.#cast.nodesOf(this.#group(raw, path)) : value.among
    this.#check([...path, 'one-master'], 'node', among, this.#cast.nodes)
    return { kind: 'oneMaster', among }
  }

  #replica(
    raw: RawExpectation,
    value: NonNullable<RawExpectation['replica']>,
    path: Path,
  ): StateClaim {
    const { node, of } = value
    const isNamed = of !== 'master' || this.#cast.nodes.includes(of)
    this.#check([...path, 'replica', 'node'], 'node', [node], this.#cast.nodes)
    if (isNamed) this.#check([...path, 'replica', 'of'], 'node', [of], this.#cast.nodes)
    return { kind: 'replica', group: this.#group(raw, path), node, of: isNamed ? of : undefined }
  }

  #moment(raw: RawExpectation, path: Path): MomentClaim {
    if (raw.event !== undefined) {
      const { name, at, matching } = raw.event
      this.#check([...path, 'event', 'at'], 'Sentinel', at ?? [], this.#cast.sentinels)
      return { kind: 'event', name, at, matching }
    }
    const working = raw['writes-work']
    const clients = typeof working === 'object' ? working.client : undefined
    this.#check([...path, 'writes-work'], 'client', clients ?? [], this.#cast.clients)
    return { kind: 'writesWork', clients }
  }

  #total(raw: RawExpectation, path: Path): TotalClaim {
    const group = this.#group(raw, path)
    if (raw['lost-writes'] !== undefined) {
      const { 'at-most': atMost, 'acknowledged-by': by } = raw['lost-writes']
      return { kind: 'lostWrites', group, atMost, acknowledgedBy: by ?? 'any' }
    }
    if (raw.failovers !== undefined) {
      return { kind: 'failovers', group, atMost: raw.failovers['at-most'] }
    }
    return { kind: 'dualWrites', group, atMostMs: raw['dual-writes']?.['at-most'] ?? 0 }
  }

  #timing(raw: RawExpectation, path: Path): StateTiming | undefined {
    const { within, always, never, after = START, until } = raw
    const given = [within, always, never].filter((value) => value !== undefined)
    this.#checkRef([...path, 'after'], raw.after)
    this.#checkRef([...path, 'until'], until)
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

  #checkUntimed(raw: RawExpectation, path: Path): void {
    for (const key of ['within', 'always', 'never', 'after', 'until'] as const) {
      if (raw[key] === undefined) continue
      const message = 'has no meaning for what is counted over the whole run'
      this.#problems.add([...path, key], 'E_VALUE', message, 'leave it out')
    }
  }

  #checkRef(path: Path, ref: TimeRef | undefined): void {
    if (ref?.label !== undefined) this.#check(path, 'step', [ref.label], this.#labels)
  }

  #group(raw: RawExpectation, path: Path): string {
    return this.#cast.group(path, raw.group)
  }

  #check(path: Path, what: string, names: readonly string[], known: readonly string[]): void {
    this.#cast.check(path, what, names, known)
  }

  #refuse(path: Path, code: 'E_MISSING' | 'E_VALUE', message: string, hint: string): undefined {
    this.#problems.add(path, code, message, hint)
    return undefined
  }
}
