/** Lets the world go on until the condition that a step waits for is met. */
import { unreachable } from '../../base/assert.ts'
import type { Happening } from '../../history/happening.ts'
import type { Condition, MomentClaim, StateClaim } from '../scenario-file.ts'
import { ClusterView, changesOf, toChange } from '../verdict/cluster-view.ts'
import { allHad, isMoment, momentsOf, namedBy } from '../verdict/moment-claims.ts'
import { type ClaimedMembers, examine } from '../verdict/state-claims.ts'
import type { World } from '../world.ts'

/** Writes are no happenings: to see them, the world is polled at this interval. */
const POLL_MS = 20

export interface Wait {
  readonly condition: Condition
  readonly members: ClaimedMembers
  /** Moments count from here on: the time, and the number of happenings before it. */
  readonly since: StepMark
  readonly untilMs: number
}

export interface StepMark {
  readonly atMs: number
  readonly happenings: number
}

export interface Met {
  readonly at: StepMark
  /** The process whose happening met the condition; undefined: none, or it was met already. */
  readonly witness: string | undefined
}

/** Follows the run to see whether a condition is met. */
interface ConditionTracker {
  readonly isPolled: boolean
  see(happening: Happening): void
  isMet(): boolean
  /** The process whose happening met the condition. */
  witness?(): string | undefined
}

/** Undefined: the condition was not met in time. */
export async function waitFor(world: World, wait: Wait): Promise<Met | undefined> {
  const tracker = trackerOf(world, wait)
  const before = world.happenings()
  before.forEach((happening) => {
    tracker.see(happening)
  })
  if (tracker.isMet()) {
    const at = { atMs: wait.since.atMs, happenings: before.length }
    return { at, witness: tracker.witness?.() }
  }
  return tracker.isPolled ? await poll(world, wait, tracker) : await watch(world, wait, tracker)
}

async function watch(
  world: World,
  wait: Wait,
  tracker: ConditionTracker,
): Promise<Met | undefined> {
  let cause: Happening | undefined
  const atMs = await world.runUntil(wait.untilMs, (happening) => {
    if (cause !== undefined) return true
    tracker.see(happening)
    if (!tracker.isMet()) return false
    cause = happening
    return true
  })
  if (cause === undefined) return undefined
  const happenings = world.happenings().lastIndexOf(cause) + 1
  return { at: { atMs, happenings }, witness: cause.process }
}

async function poll(world: World, wait: Wait, tracker: ConditionTracker): Promise<Met | undefined> {
  let atMs = wait.since.atMs
  while (atMs < wait.untilMs) {
    atMs = await world.runUntil(Math.min(atMs + POLL_MS, wait.untilMs))
    const happenings = world.happenings().length
    if (tracker.isMet()) return { at: { atMs, happenings }, witness: undefined }
  }
  return undefined
}

function trackerOf(world: World, wait: Wait): ConditionTracker {
  const { condition } = wait
  switch (condition.kind) {
    case 'state':
      return condition.claim.kind === 'refusesWrites'
        ? trackAnswers(condition.claim, world, wait)
        : trackState(condition.claim, world, wait)
    case 'moment':
      return condition.claim.kind === 'writesWork'
        ? trackWrites(condition.claim, world, wait)
        : trackMoment(condition.claim, world, wait)
    default:
      return unreachable(condition)
  }
}

function trackState(claim: StateClaim, world: World, { members }: Wait): ConditionTracker {
  const view = new ClusterView((address) => world.nameOf(address))
  return {
    isPolled: false,
    see: (happening) => {
      const change = toChange(happening)
      if (change !== undefined) view.apply(change)
    },
    isMet: () => examine(claim, view, members).holds,
  }
}

function trackMoment(claim: MomentClaim, world: World, { since }: Wait): ConditionTracker {
  const had = new Set<string>()
  const named = namedBy(claim)
  let seen = 0
  let last: string | undefined
  return {
    isPolled: false,
    see: (happening) => {
      const isMeant = seen++ >= since.happenings
      if (!isMeant || !isMoment(claim, happening, (address) => world.nameOf(address))) return
      last = happening.process
      had.add(happening.process ?? '')
    },
    witness: () => last,
    isMet: () => (named === undefined ? had.size > 0 : named.every((name) => had.has(name))),
  }
}

function trackWrites(claim: MomentClaim, world: World, { since }: Wait): ConditionTracker {
  return {
    isPolled: true,
    see: () => {},
    isMet: () => {
      const moments = momentsOf(claim, since.atMs, courseOf(world))
      return allHad(moments, namedBy(claim)) !== undefined
    },
  }
}

function trackAnswers(claim: StateClaim, world: World, { members }: Wait): ConditionTracker {
  return {
    isPolled: true,
    see: () => {},
    isMet: () => {
      const course = courseOf(world)
      const view = new ClusterView(course.nameOf)
      for (const change of changesOf(course)) view.apply(change)
      return examine(claim, view, members).holds
    },
  }
}

function courseOf(world: World) {
  return {
    happenings: world.happenings(),
    writes: world.writes(),
    nameOf: (address: Parameters<World['nameOf']>[0]) => world.nameOf(address),
  }
}
