/** From the `timeline` of a file to what is done, and when. */
import { type Action, namesIn } from '../../history/action.ts'
import { namesGroup } from '../../history/event-group.ts'
import { EVENT_NAMES } from '../../history/happening.ts'
import { formatDuration } from '../duration.ts'
import type { Condition, Step, TimeRef, When } from '../scenario-file.ts'
import { buildActions } from './actions.ts'
import { ClaimBuilder } from './build-claims.ts'
import type { Problems } from './problems.ts'
import { buildRounds, inOrder } from './repetitions.ts'
import { isRole } from './roles.ts'
import type { RawCondition, RawRepeat, RawStep } from './schema.ts'
import type { Path } from './source.ts'
import { StepPlace, type Symbols } from './symbols.ts'

/** Long enough for two attempts at a failover with default settings. */
const PATIENCE_MS = 30_000

export function buildSteps(raw: readonly RawStep[], cast: Symbols, problems: Problems): Step[] {
  const builder = new StepBuilder(cast, problems)
  return inOrder(raw.flatMap((step, index) => builder.build(step, index)))
}

class StepBuilder {
  readonly #cast: Symbols
  readonly #problems: Problems
  readonly #claims: ClaimBuilder
  /** The labels of the steps so far: a step cannot refer to a later one. */
  readonly #labels: string[] = []
  /** The latest time so far, by the step from which times are counted; undefined: the start. */
  readonly #latestMs = new Map<string | undefined, number>()

  constructor(cast: Symbols, problems: Problems) {
    this.#cast = cast
    this.#problems = problems
    this.#claims = new ClaimBuilder(cast)
  }

  /** More than one where it repeats others. */
  build(raw: RawStep, index: number): Step[] {
    const path = ['timeline', index]
    const place = new StepPlace(this.#cast, this.#problems, path, raw.group)
    const actions = buildActions(raw, place)
    const when = this.#when(raw, path)
    this.#name(raw.as, path)
    const group = this.#group(raw, actions, path)
    const step = { number: index + 1, when, label: raw.as, group, actions }
    return raw.repeat === undefined ? [step] : [step, ...this.#rounds(raw, raw.repeat, step)]
  }

  #rounds({ group }: RawStep, repeat: RawRepeat, { number, when, label }: Step): Step[] {
    const path = ['timeline', number - 1]
    if (when.kind === 'after' && label === undefined) {
      const hint = 'name the step (as: flap): the rounds are counted from it'
      this.#problems.add(path, 'E_MISSING', 'waits, and repeats, without a name', hint)
    }
    const start = when.kind === 'at' ? when.time : { label, offsetMs: 0 }
    return buildRounds(repeat, start, {
      cast: this.#cast,
      problems: this.#problems,
      number,
      path: [...path, 'repeat'],
      groupOf: (raw, actions, at) => this.#group({ group, ...raw }, actions, at),
    })
  }

  #when(raw: RawStep, path: Path): When {
    if (raw.after === undefined) {
      this.#checkWaiting(raw, path)
      return { kind: 'at', time: this.#time(raw.at ?? { label: undefined, offsetMs: 0 }, path) }
    }
    const condition = this.#condition(raw.after, raw.group, [...path, 'after'])
    return {
      kind: 'after',
      condition,
      plusMs: raw.plus ?? 0,
      withinMs: raw.within ?? PATIENCE_MS,
    }
  }

  #condition(raw: RawCondition, group: string | undefined, path: Path): Condition {
    const isAbout = raw.group === undefined && group !== undefined && mayNameGroup(raw)
    const about = isAbout ? { ...raw, group } : raw
    if (raw.event?.['at-most'] !== undefined || raw.event?.['at-least'] !== undefined) {
      const hint = 'a step waits for one: leave the number out'
      this.#problems.add([...path, 'event'], 'E_VALUE', 'cannot be counted here', hint)
    }
    const built = this.#claims.build(about, path)
    // The schema has made sure that there is one.
    return built ?? { kind: 'moment', claim: { kind: 'writesWork', group, clients: undefined } }
  }

  /**
   * Steps are done in the order of the file: a step that would have to be done before an earlier
   * one is a mistake.
   */
  #time(time: TimeRef, path: Path): TimeRef {
    const { label, offsetMs } = time
    this.#cast.checkRef([...path, 'at'], time, this.#labels)
    const latestMs = this.#latestMs.get(label) ?? 0
    if (offsetMs < latestMs) {
      const message = `is before a step above it, at ${formatDuration(latestMs)}`
      this.#problems.add([...path, 'at'], 'E_VALUE', message, 'put the steps in their order')
    }
    this.#latestMs.set(label, Math.max(latestMs, offsetMs))
    return time
  }

  #checkWaiting(raw: RawStep, path: Path): void {
    for (const key of ['plus', 'within'] as const) {
      if (raw[key] === undefined) continue
      const hint = 'it belongs to after: CONDITION'
      this.#problems.add([...path, key], 'E_VALUE', 'has no meaning beside at', hint)
    }
  }

  #name(label: string | undefined, path: Path): void {
    if (label === undefined) return
    if (this.#labels.includes(label)) {
      this.#problems.add([...path, 'as'], 'E_DUPLICATE', `${label} names two steps`, '')
    }
    this.#labels.push(label)
  }

  /** Looked up only where a role needs it: most steps have nothing to do with a group. */
  #group(raw: Pick<RawStep, 'group' | 'after'>, actions: readonly Action[], path: Path): string {
    const roles = actions.flatMap(namesIn).filter(isRole)
    if (roles.includes('the-witness') && raw.after === undefined) {
      const hint = 'the-witness is where the condition was seen: write after instead of at'
      this.#problems.add(path, 'E_VALUE', 'waits for nothing that could be witnessed', hint)
    }
    const needsGroup = roles.some((role) => role !== 'the-witness')
    if (raw.group === undefined && !needsGroup) return this.#cast.groups[0] ?? ''
    return this.#cast.group(path, raw.group)
  }
}

/** The group of a step may be about its action alone. */
function mayNameGroup({ event }: RawCondition): boolean {
  const name = EVENT_NAMES.find((known) => known === event?.name)
  return name === undefined || namesGroup(name)
}
