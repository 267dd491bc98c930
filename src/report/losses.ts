/** Acknowledged writes that are gone: when each was acknowledged, by which node, and why it is gone. */
import { lossesOf } from '../scenario/facts/loss-causes.ts'
import type { LossCause } from '../scenario/scenario-file.ts'
import type { RunHistory } from '../scenario/world.ts'

export interface LostWrite {
  /** When it was acknowledged. */
  readonly atMs: number
  readonly client: string
  readonly group: string
  readonly node: string
  readonly cause: LossCause
}

/** For all groups, in the order of the acknowledgements. */
export function allLosses(history: RunHistory): readonly LostWrite[] {
  const losses = [...history.missing.keys()].flatMap((group) => lossesIn(group, history))
  return losses.sort((a, b) => a.atMs - b.atMs)
}

function lossesIn(group: string, history: RunHistory): LostWrite[] {
  return [...lossesOf(group, history)].flatMap(([{ client, node, outcome }, cause]): LostWrite[] =>
    outcome.kind === 'acknowledged' ? [{ atMs: outcome.atMs, client, group, node, cause }] : [],
  )
}

/** Follows "206 acknowledged writes are lost". */
export const LOSS_WORDS: Readonly<Record<LossCause, string>> = {
  asynchronous: 'not yet replicated to the node that was promoted',
  'split-brain': 'promised by a master that was cut off or already replaced',
  'empty-restart': 'gone with a restart that came back without them',
}
