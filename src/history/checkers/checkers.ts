/**
 * Everything that is watched throughout a run. With a topology, as simulated worlds have it, that
 * includes timing: real processes share machines, and are late for reasons that cannot be known.
 */
import { agreedDown, trueAlarms } from './alarms.ts'
import { bestReplica } from './best-replica.ts'
import { needlessCandidacies } from './candidacies.ts'
import type { Checker } from './checker.ts'
import { CheckerView, type SceneStart } from './checker-view.ts'
import { needlessCopies } from './copies.ts'
import { configEpochsNameOneMaster, configEpochsRise, currentEpochsRise } from './epochs.ts'
import { foreignMastersAreLeft } from './foreign-masters.ts'
import { onlyTheDeadAreForgotten } from './forgetting.ts'
import { halfClosedAreAnswered } from './half-closed.ts'
import { pausesAreLifted } from './handovers.ts'
import {
  deathsAreNoticed,
  falseMastersAreTurned,
  newsTravels,
  returnsAreNoticed,
} from './notices.ts'
import { emptiedMastersAreDemoted, fewAtOnce, promotionsAreRespected } from './orders.ts'
import { pauseHolds } from './paused.ts'
import { phasesEnd } from './phases.ts'
import { replacedMastersAreLeft } from './replaced-masters.ts'
import { placeOf } from './sentinel-past.ts'
import { boundedCrowd, staysSmall } from './stays-small.ts'
import { switchesAreTold } from './switches.ts'
import { tiltHasItsTime, tiltIsIdle } from './tilt.ts'
import { trueEvidence } from './true-evidence.ts'
import { enoughVotes, oneLeader, oneVote, voteEpochsRise, votesAreCurrent } from './votes.ts'

export function createCheckers(start?: SceneStart): readonly Checker[] {
  const scene = start && new CheckerView(start)
  const timeless = [
    ...[oneLeader(), oneVote(), voteEpochsRise(), enoughVotes(), tiltIsIdle()],
    ...[configEpochsRise(), configEpochsNameOneMaster(start?.nameOf ?? placeOf)],
    ...[currentEpochsRise(), boundedCrowd()],
    ...[pauseHolds(), votesAreCurrent(), remembers(), switchesAreTold()],
    ...[emptiedMastersAreDemoted(scene), staysSmall()],
  ]
  if (start === undefined || scene === undefined) return timeless
  const timed = [
    ...[agreedDown(scene), trueAlarms(scene), trueEvidence(scene)],
    ...[bestReplica(scene), tiltHasItsTime(scene), fewAtOnce(scene), promotionsAreRespected(scene)],
    ...[
      needlessCandidacies(scene),
      phasesEnd(scene),
      pausesAreLifted(scene),
      needlessCopies(scene),
    ],
    ...[deathsAreNoticed(scene), returnsAreNoticed(scene), falseMastersAreTurned(scene)],
    ...[newsTravels(scene), onlyTheDeadAreForgotten(scene), foreignMastersAreLeft(scene)],
    replacedMastersAreLeft(start.topology.sentinels.length),
    halfClosedAreAnswered(),
  ]
  // The view is updated first: when a checker sees a happening, the view includes it.
  const notes: Checker = {
    name: 'scene',
    observe: (happening) => {
      scene.note(happening)
      return undefined
    },
  }
  return [notes, ...timeless, ...timed]
}

/**
 * A Sentinel's state file holds what the Sentinel knows: after each save, after each start, and before
 * anything is told. What is compared is in `sim/processes/memory-witness.ts`.
 */
function remembers(): Checker {
  return {
    name: 'a Sentinel remembers',
    observe: (happening) => {
      if (happening.kind !== 'misremembered') return undefined
      return `${happening.process} ${happening.text}`
    },
  }
}
