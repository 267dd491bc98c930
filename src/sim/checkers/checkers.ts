import type { Checker } from './checker.ts'
import { configEpochsNameOneMaster, configEpochsRise } from './config-epochs.ts'
import { oneLeader } from './one-leader.ts'
import { oneVote } from './one-vote.ts'

/** Everything that is watched throughout a run. */
export function createCheckers(): readonly Checker[] {
  return [oneLeader(), oneVote(), configEpochsRise(), configEpochsNameOneMaster()]
}
