import { agreedDown } from './agreed-down.ts'
import { bestReplica } from './best-replica.ts'
import type { Checker } from './checker.ts'
import { configEpochsNameOneMaster, configEpochsRise } from './config-epochs.ts'
import { currentEpochsRise } from './current-epochs.ts'
import { enoughVotes } from './enough-votes.ts'
import { oneLeader } from './one-leader.ts'
import { oneVote, voteEpochsRise } from './one-vote.ts'
import { Scene, type SceneStart } from './scene.ts'
import { tiltHasItsTime, tiltIsIdle } from './tilt.ts'
import { trueAlarms } from './true-alarms.ts'
import { trueEvidence } from './true-evidence.ts'

/**
 * Everything that is watched throughout a run. With a topology, as simulated worlds have it, also what
 * is a question of time: real processes share machines, and are late for reasons nobody can know.
 */
export function createCheckers(start?: SceneStart): readonly Checker[] {
  const timeless = [
    ...[oneLeader(), oneVote(), voteEpochsRise(), enoughVotes(), tiltIsIdle()],
    ...[configEpochsRise(), configEpochsNameOneMaster(), currentEpochsRise()],
  ]
  if (start === undefined) return timeless
  const scene = new Scene(start)
  const timed = [
    ...[agreedDown(scene), trueAlarms(scene), trueEvidence(scene)],
    ...[bestReplica(scene), tiltHasItsTime(scene)],
  ]
  // The scene takes note first: a checker sees what has happened as having happened.
  const notes: Checker = {
    name: 'scene',
    observe: (happening) => {
      scene.note(happening)
      return undefined
    },
  }
  return [notes, ...timeless, ...timed]
}
