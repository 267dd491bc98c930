/**
 * Unions, intersections and differences of sorted sets. Sums of doubles depend on the order of
 * addition, so the sets are visited in Redis' order: the smaller ones first.
 */
import type { Scored } from './sorted-set.ts'
import type { SetMembers, Value } from './value.ts'

export type Aggregate = 'SUM' | 'MIN' | 'MAX'

/** A sorted set, or a set as a sorted set in which every score is 1. */
export interface ScoredMembers extends Iterable<Scored> {
  readonly size: number
  score(member: string): number | undefined
}

export interface ZsetInput {
  readonly members: ScoredMembers
  readonly weight: number
}

const NOBODY: ScoredMembers = {
  size: 0,
  score: () => undefined,
  [Symbol.iterator]: () => [][Symbol.iterator](),
}

/** Undefined if the value is neither a set nor a sorted set. A missing key is an empty set. */
export function membersOf(value: Value | undefined): ScoredMembers | undefined {
  if (value === undefined) return NOBODY
  if (value.type === 'zset') return value.set
  return value.type === 'set' ? allScoredOne(value.members) : undefined
}

function allScoredOne(members: SetMembers): ScoredMembers {
  return {
    size: members.size,
    score: (member) => (members.has(member) ? 1 : undefined),
    *[Symbol.iterator]() {
      for (const member of members) yield [member, 1]
    },
  }
}

export function combine(
  inputs: readonly ZsetInput[],
  aggregate: Aggregate,
  operation: 'union' | 'inter',
): Iterable<Scored> {
  const ordered = inputs.toSorted((a, b) => a.members.size - b.members.size)
  return operation === 'union' ? union(ordered, aggregate) : intersection(ordered, aggregate)
}

function union(inputs: readonly ZsetInput[], aggregate: Aggregate): Map<string, number> {
  const scores = new Map<string, number>()
  for (const { members, weight } of inputs) {
    for (const [member, score] of members) {
      const weighted = zeroForNaN(weight * score)
      const known = scores.get(member)
      scores.set(member, known === undefined ? weighted : aggregated(known, weighted, aggregate))
    }
  }
  return scores
}

function* intersection(
  [first, ...others]: readonly ZsetInput[],
  aggregate: Aggregate,
): IterableIterator<Scored> {
  if (first === undefined) return
  for (const [member, firstScore] of first.members) {
    let score: number | undefined = zeroForNaN(first.weight * firstScore)
    for (const { members, weight } of others) {
      const other = members.score(member)
      score = other === undefined ? undefined : aggregated(score, weight * other, aggregate)
      if (score === undefined) break
    }
    if (score !== undefined) yield [member, score]
  }
}

/** Stops counting at `limit`. */
export function intersectionSize(inputs: readonly ZsetInput[], limit: number): number {
  let size = 0
  for (const _ of combine(inputs, 'SUM', 'inter')) if (++size >= limit) break
  return size
}

/** The elements of the first set that are in no other. */
export function* difference([first, ...others]: readonly ZsetInput[]): IterableIterator<Scored> {
  if (first === undefined) return
  for (const [member, score] of first.members) {
    if (!others.some(({ members }) => members.score(member) !== undefined)) yield [member, score]
  }
}

/** The sum of opposite infinities is 0; a comparison with NaN changes nothing. */
function aggregated(known: number, value: number, aggregate: Aggregate): number {
  if (aggregate === 'SUM') return zeroForNaN(known + value)
  const isTaken = aggregate === 'MIN' ? value < known : value > known
  return isTaken ? value : known
}

function zeroForNaN(value: number): number {
  return Number.isNaN(value) ? 0 : value
}
