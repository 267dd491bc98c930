/**
 * Ranges of sorted sets as commands give them: between two ranks, two scores or two members. Each
 * becomes the ranks of the elements it covers in a given set.
 */
import { parseStrtod } from '../arguments/float-argument.ts'
import type { IsPast, RankRange, SortedSet } from './sorted-set.ts'

/** Which elements of a set a range selects. */
export type Selection = (set: SortedSet) => RankRange

/**
 * `start stop`, both included, counted from the end if negative; `isReverse`: counted from the
 * highest score.
 */
export function ranksBetween(start: number, stop: number, isReverse: boolean): Selection {
  return ({ size }) => {
    const first = Math.max(0, start < 0 ? size + start : start)
    const last = Math.min(size - 1, stop < 0 ? size + stop : stop)
    if (first > last) return { from: 0, to: 0 }
    return isReverse ? { from: size - 1 - last, to: size - first } : { from: first, to: last + 1 }
  }
}

interface ScoreBound {
  readonly score: number
  readonly isExclusive: boolean
}

/** `1.5`, `(1.5`, `-inf`; undefined if one of them is not a number. */
export function scoresBetween(min: string, max: string): Selection | undefined {
  const low = parseScoreBound(min)
  const high = parseScoreBound(max)
  if (low === undefined || high === undefined) return undefined
  return (set) =>
    between(
      set,
      (_, score) => (low.isExclusive ? score > low.score : score >= low.score),
      (_, score) => (high.isExclusive ? score >= high.score : score > high.score),
    )
}

/** If the bounds are in the wrong order, nothing is between them. */
function between(set: SortedSet, isPastLow: IsPast, isPastHigh: IsPast): RankRange {
  const from = set.rankWhere(isPastLow)
  return { from, to: Math.max(from, set.rankWhere(isPastHigh)) }
}

function parseScoreBound(text: string): ScoreBound | undefined {
  const isExclusive = text.startsWith('(')
  const score = parseStrtod(isExclusive ? text.slice(1) : text)
  return score === undefined ? undefined : { score, isExclusive }
}

/** `below` and `above` are bounds before and after every member. */
type MemberBound =
  | { readonly kind: 'below' | 'above' }
  | { readonly kind: 'member'; readonly member: string; readonly isExclusive: boolean }

/**
 * `[a`, `(a`, `-`, `+`; undefined if one of them has another form. Meaningful only while all scores
 * are equal.
 */
export function membersBetween(min: string, max: string): Selection | undefined {
  const low = parseMemberBound(min)
  const high = parseMemberBound(max)
  if (low === undefined || high === undefined) return undefined
  return (set) =>
    between(
      set,
      (member) => isPastBound(member, low, !isExclusive(low)),
      (member) => isPastBound(member, high, isExclusive(high)),
    )
}

function isExclusive(bound: MemberBound): boolean {
  return bound.kind === 'member' && bound.isExclusive
}

/** `countsEqual`: whether the member that the bound names is past it. */
function isPastBound(member: string, bound: MemberBound, countsEqual: boolean): boolean {
  if (bound.kind !== 'member') return bound.kind === 'below'
  return countsEqual ? member >= bound.member : member > bound.member
}

function parseMemberBound(text: string): MemberBound | undefined {
  switch (text[0]) {
    case '-':
      return endsAfterSign(text) ? { kind: 'below' } : undefined
    case '+':
      return endsAfterSign(text) ? { kind: 'above' } : undefined
    case '[':
    case '(':
      return { kind: 'member', member: text.slice(1), isExclusive: text.startsWith('(') }
    default:
      return undefined
  }
}

/** Redis reads up to a NUL. */
function endsAfterSign(text: string): boolean {
  return text.length === 1 || text[1] === '\0'
}
