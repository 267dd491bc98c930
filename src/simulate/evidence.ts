/** What advice is made of: one group's part of all histories, and how its findings are worded. */
import type { ProblemCode } from '../config/problem.ts'
import type { Cluster, ClusterGroup } from './cluster.ts'
import type { GroupMeasured, Measured } from './measure.ts'

export interface Advice {
  /** Name of the group, where there are several. */
  readonly group: string | undefined
  /** With its value: `quorum 3 of 3`. */
  readonly setting: string
  /** What it does, in one clause. */
  readonly effect: string
  /** What was seen of it, in one sentence. */
  readonly seen: string
  /** How many histories that was. */
  readonly histories: number
  readonly seed: string | undefined
  /** In the words of the files, and what it costs. */
  readonly tryThis: string
}

export type Finding = Omit<Advice, 'group'>

/** One group's part of one history. */
export interface Case extends GroupMeasured {
  readonly seed: string
  readonly kind: Measured['kind']
}

export interface Evidence {
  readonly cluster: Cluster
  readonly group: ClusterGroup
  readonly cases: readonly Case[]
}

/** Histories in which something was so, and the first of them. */
export function seenIn(
  { cases }: Evidence,
  isSo: (one: Case) => boolean,
): Pick<Finding, 'histories' | 'seed'> {
  const met = cases.filter(isSo)
  return { histories: met.length, seed: met[0]?.seed }
}

/** `In 14 of 200 histories …`, or that it did not come to that. */
export function wordSeen(
  { cases }: Evidence,
  { histories }: Pick<Finding, 'histories'>,
  text: string,
): string {
  if (histories === 0) return `None of the ${cases.length} histories came to that.`
  return `In ${histories} of ${cases.length} histories ${text}.`
}

/** `vedette check` would have said so as well. */
export function hasDoubt({ doubts }: ClusterGroup, ...codes: readonly ProblemCode[]): boolean {
  return doubts.some(({ code }) => codes.includes(code))
}
