/**
 * Advice about the epochs from which a Sentinel would go on. A program that believed every number (early builds of
 * ours, redis-sentinel) may have left one in the file that no election can have reached, or after which none is
 * left: the Sentinel starts with it, and nothing is failed over. core/election/epoch.ts has the reasons.
 */
import { EPOCH_MAX, isUsedUp } from '../core/election/epoch.ts'
import { HONEST_MAX } from '../core/election/renumber.ts'
import type { Location, Problem } from './problem.ts'
import type { LearntState } from './sentinel-file.ts'

/** Where a number stands, by its name: `current-epoch`, `groups.mymaster.config-epoch`. */
export type EpochPlace = (name: string) => Location & Pick<Problem, 'file'>

/** Empty if elections can have reached all of them. */
export function adviseEpochs(learnt: LearntState | undefined, placeOf: EpochPlace): Problem[] {
  if (learnt === undefined) return []
  const numbers: readonly (readonly [name: string, epoch: number])[] = [
    ['current-epoch', learnt.currentEpoch],
    ...learnt.groups.flatMap(({ current: { name }, configEpoch, leaderEpoch }) => [
      [`groups.${name}.config-epoch`, configEpoch] as const,
      [`groups.${name}.leader-epoch`, leaderEpoch] as const,
    ]),
  ]
  const absurd = numbers.filter(([, epoch]) => epoch > HONEST_MAX)
  return absurd.map(([name, epoch]) => ({ ...placeOf(name), ...doubt(epoch), hint: HINT }))
}

const HINT =
  'start all Sentinels, then `vedette epochs --lower` lowers the epochs of all together; docs/operations-understand.md has the other ways'

function doubt(epoch: number): Pick<Problem, 'severity' | 'code' | 'message'> {
  // Higher ones are read as this one.
  const text = epoch === EPOCH_MAX ? `${epoch} or more` : String(epoch)
  if (isUsedUp(epoch)) {
    const message = `no epoch is left after ${text}: no Sentinel can be elected, and no failover happens`
    return { severity: 'error', code: 'E_EPOCHS_USED_UP', message }
  }
  const message = `elections do not reach ${text} (at most ${HONEST_MAX}): a Sentinel that is new, or has lost its state, may not be able to follow`
  return { severity: 'warning', code: 'W_EPOCHS_FAR', message }
}
