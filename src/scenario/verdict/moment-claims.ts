/** Claims that something happens at a moment: which happenings meet them, and at which process. */

import { groupIn } from '../../history/event-group.ts'
import type { Happening } from '../../history/happening.ts'
import { withNames } from '../../history/trace.ts'
import type { Write } from '../../history/writes.ts'
import type { EventClaim, MomentClaim } from '../scenario-file.ts'
import type { RunHistory } from '../world.ts'

export interface ClaimedMoment {
  readonly atMs: number
  readonly who: string
}

/** What a claim needs to know about a run that may still be going on. */
export type ClaimScope = Pick<RunHistory, 'happenings' | 'writes' | 'nameOf'>

/** From `fromMs` on, in order of time. */
export function momentsOf(
  claim: MomentClaim,
  fromMs: number,
  course: ClaimScope,
): readonly ClaimedMoment[] {
  if (claim.kind === 'writesWork') {
    const moments = course.writes.flatMap((write) => workingWrite(claim, fromMs, write) ?? [])
    return moments.sort((a, b) => a.atMs - b.atMs)
  }
  return course.happenings.flatMap((happening) => {
    const isMeant = happening.atMs >= fromMs && isMoment(claim, happening, course.nameOf)
    return isMeant ? [{ atMs: happening.atMs, who: happening.process ?? '' }] : []
  })
}

/**
 * The processes that the claim names, each of which must have such a moment; undefined: any
 * process.
 */
export function namedBy(claim: MomentClaim): readonly string[] | undefined {
  return claim.kind === 'writesWork' ? claim.clients : claim.at
}

/** Writes are no happenings: `momentsOf` looks for them. */
export function isMoment(
  claim: MomentClaim,
  happening: Happening,
  nameOf: RunHistory['nameOf'],
): boolean {
  if (claim.kind === 'event') return isEvent(claim, happening, nameOf)
  if (claim.kind !== 'leader') return false
  if (happening.kind === 'leader') return happening.group === claim.group
  if (happening.kind !== 'event' || happening.name !== '+elected-leader') return false
  return happening.payload.split(' ')[1] === claim.group
}

function isEvent(claim: EventClaim, happening: Happening, nameOf: RunHistory['nameOf']): boolean {
  if (happening.kind !== 'event' || happening.name !== claim.name) return false
  if (claim.group !== undefined && groupIn(happening) !== claim.group) return false
  if (claim.matching === undefined) return true
  return withNames(happening.payload, nameOf).includes(claim.matching)
}

/** A write that was requested in this time, and acknowledged. */
function workingWrite(
  claim: MomentClaim & { readonly kind: 'writesWork' },
  fromMs: number,
  { client, group, attemptedAtMs, outcome }: Write,
): ClaimedMoment | undefined {
  if (outcome.kind !== 'acknowledged' || attemptedAtMs < fromMs) return undefined
  if (claim.group !== undefined && claim.group !== group) return undefined
  return { atMs: outcome.atMs, who: client }
}

/**
 * The moment when the last of the named processes had it; if none is named, when the first process
 * had it.
 */
export function allHad(
  moments: readonly ClaimedMoment[],
  who: readonly string[] | undefined,
): ClaimedMoment | undefined {
  if (who === undefined) return moments[0]
  const firsts = who.map((name) => moments.find((moment) => moment.who === name))
  let last: ClaimedMoment | undefined
  for (const first of firsts) {
    if (first === undefined) return undefined
    if (last === undefined || first.atMs > last.atMs) last = first
  }
  return last
}

export function anyHad(
  moments: readonly ClaimedMoment[],
  who: readonly string[] | undefined,
): ClaimedMoment | undefined {
  return moments.find((moment) => who === undefined || who.includes(moment.who))
}
