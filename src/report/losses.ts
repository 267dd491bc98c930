/** Acknowledged writes that are gone, each with when and by whom it was promised, and why it is gone. */
import { lossesOf } from '../scenario/facts/loss-causes.ts'
import type { LossCause } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'

export interface Loss {
  /** When it was acknowledged. */
  readonly atMs: number
  readonly client: string
  readonly group: string
  readonly node: string
  readonly cause: LossCause
}

/** Of all groups, in the order of the acknowledgements. */
export function allLosses(history: History): readonly Loss[] {
  const losses = [...history.missing.keys()].flatMap((group) => lossesIn(group, history))
  return losses.sort((a, b) => a.atMs - b.atMs)
}

function lossesIn(group: string, history: History): Loss[] {
  return [...lossesOf(group, history)].flatMap(([{ client, node, outcome }, cause]): Loss[] =>
    outcome.kind === 'acknowledged' ? [{ atMs: outcome.atMs, client, group, node, cause }] : [],
  )
}

/** Said after "206 acknowledged writes are lost". */
export const LOSS_WORDS: Readonly<Record<LossCause, string>> = {
  asynchronous: 'not yet replicated to the node that was promoted',
  'split-brain': 'promised by a master that was cut off or already replaced',
  'empty-restart': 'gone with a restart that came back without them',
}
