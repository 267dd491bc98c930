/**
 * What a drawn liar may do. It says whatever it likes; but a program that answers as a Sentinel is
 * one, to the others: no protocol of this kind can tell, and dead Sentinels count in the majority
 * until an operator forgets them. So a liar has fewer voices that answer than it takes to make a
 * majority impossible: with too many, a cluster that stands still would be no finding. Voices that
 * never answered are free: made-up hellos alone must not cost any process anything.
 */
import type { Fault } from './faults/faults.ts'
import type { FuzzPlan } from './plan.ts'

/** How many made-up Sentinels may answer beside this many true ones. */
export function voicesMax(sentinels: number): number {
  return sentinels - 1
}

export function isBearable(plan: FuzzPlan): boolean {
  const { sentinels } = plan.topology
  return voicesIn(plan.faults) <= voicesMax(sentinels.length)
}

/** How many made-up Sentinels answer, or have answered. */
export function voicesIn(faults: readonly Fault[]): number {
  const lies = faults.filter((fault) => fault.kind === 'lie')
  const answering = new Set(lies.flatMap(({ words, liar }) => (words.answer ? [liar] : [])))
  const voices = lies.filter(({ liar }) => answering.has(liar)).map(voicesOf)
  // Each liar may use its own id beside those that are new.
  return answering.size + voices.reduce((sum, count) => sum + count, 0)
}

/** At one place only the last new id stays. */
function voicesOf({ words: { hello }, times }: Fault & { readonly kind: 'lie' }): number {
  if (hello?.id !== 'new' || hello.at === 'nowhere') return 0
  return hello.at === 'new' ? times : 1
}
