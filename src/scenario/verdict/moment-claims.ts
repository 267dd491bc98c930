/** What is claimed to happen at a moment: whether something that happened is it, and whose it was. */
import type { Happening } from '../../sim/happening.ts'
import { withNames } from '../../sim/trace.ts'
import type { Write } from '../../sim/write-log.ts'
import type { EventClaim, MomentClaim } from '../scenario-file.ts'
import type { History } from '../world.ts'

export interface Moment {
  readonly atMs: number
  readonly who: string
}

/** What a claim needs to know of a run that may be still going on. */
export type Course = Pick<History, 'happenings' | 'writes' | 'nameOf'>

/** From `fromMs` on, in the order of their times. */
export function momentsOf(claim: MomentClaim, fromMs: number, course: Course): readonly Moment[] {
  if (claim.kind === 'writesWork') {
    const moments = course.writes.flatMap((write) => workingWrite(claim, fromMs, write) ?? [])
    return moments.sort((a, b) => a.atMs - b.atMs)
  }
  return course.happenings.flatMap((happening) => {
    const isMeant = happening.atMs >= fromMs && isMoment(claim, happening, course.nameOf)
    return isMeant ? [{ atMs: happening.atMs, who: happening.process ?? '' }] : []
  })
}

/** Those named by the claim, each of whom must have it; undefined: anybody. */
export function namedBy(claim: MomentClaim): readonly string[] | undefined {
  return claim.kind === 'writesWork' ? claim.clients : claim.at
}

/** Writes are no happenings: `momentsOf` looks for them. */
export function isMoment(
  claim: MomentClaim,
  happening: Happening,
  nameOf: History['nameOf'],
): boolean {
  if (claim.kind === 'event') return isEvent(claim, happening, nameOf)
  if (claim.kind !== 'leader') return false
  if (happening.kind === 'leader') return happening.group === claim.group
  if (happening.kind !== 'event' || happening.name !== '+elected-leader') return false
  return happening.payload.split(' ')[1] === claim.group
}

function isEvent(claim: EventClaim, happening: Happening, nameOf: History['nameOf']): boolean {
  if (happening.kind !== 'event' || happening.name !== claim.name) return false
  if (claim.matching === undefined) return true
  return withNames(happening.payload, nameOf).includes(claim.matching)
}

/** A write asked for in the time in question, and acknowledged. */
function workingWrite(
  claim: MomentClaim & { readonly kind: 'writesWork' },
  fromMs: number,
  { client, group, attemptedAtMs, outcome }: Write,
): Moment | undefined {
  if (outcome.kind !== 'acknowledged' || attemptedAtMs < fromMs) return undefined
  if (claim.group !== undefined && claim.group !== group) return undefined
  return { atMs: outcome.atMs, who: client }
}

/** When the last of those named had it; nobody named: when anyone had. */
export function allHad(
  moments: readonly Moment[],
  who: readonly string[] | undefined,
): Moment | undefined {
  if (who === undefined) return moments[0]
  const firsts = who.map((name) => moments.find((moment) => moment.who === name))
  let last: Moment | undefined
  for (const first of firsts) {
    if (first === undefined) return undefined
    if (last === undefined || first.atMs > last.atMs) last = first
  }
  return last
}

export function anyHad(
  moments: readonly Moment[],
  who: readonly string[] | undefined,
): Moment | undefined {
  return moments.find((moment) => who === undefined || who.includes(moment.who))
}
