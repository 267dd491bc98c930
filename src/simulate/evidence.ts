/** What advice is based on: one group's part of all histories, and how its findings are worded. */
import type { ProblemCode } from '../config/problem.ts'
import type { ClusterGroup, SimulatedCluster } from './cluster.ts'
import type { GroupMeasured, MeasuredHistory } from './measure.ts'

export interface Advice {
  /** Name of the group, if there are several. */
  readonly group: string | undefined
  /** With its value: `quorum 3 of 3`. */
  readonly setting: string
  /** What it does, in one clause. */
  readonly effect: string
  /** What was observed, in one sentence. */
  readonly seen: string
  /** In how many histories. */
  readonly histories: number
  readonly seed: string | undefined
  /** The change to try, in the words of the files, and its cost. */
  readonly tryThis: string
}

export type AdviceFinding = Omit<Advice, 'group'>

/** One group's part of one history. */
export interface HistoryCase extends GroupMeasured {
  readonly seed: string
  readonly kind: MeasuredHistory['kind']
}

export interface Evidence {
  readonly cluster: SimulatedCluster
  readonly group: ClusterGroup
  readonly cases: readonly HistoryCase[]
}

/** The histories that meet a condition, and the first of them. */
export function seenIn(
  { cases }: Evidence,
  isSo: (one: HistoryCase) => boolean,
): Pick<AdviceFinding, 'histories' | 'seed'> {
  const met = cases.filter(isSo)
  return { histories: met.length, seed: met[0]?.seed }
}

/** `In 14 of 200 histories …`, or that it did not occur. */
export function wordSeen(
  { cases }: Evidence,
  { histories }: Pick<AdviceFinding, 'histories'>,
  text: string,
): string {
  if (histories === 0) return `None of the ${cases.length} histories came to that.`
  return `In ${histories} of ${cases.length} histories ${text}.`
}

/** Whether `vedette check` would have warned as well. */
export function hasDoubt({ doubts }: ClusterGroup, ...codes: readonly ProblemCode[]): boolean {
  return doubts.some(({ code }) => codes.includes(code))
}
