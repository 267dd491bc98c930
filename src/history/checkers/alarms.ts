/**
 * A master that answers is not declared down: if it ran, took input and said that it is a master,
 * and nothing was in the way between it and the Sentinel, then the silence that the Sentinel
 * reports did not exist. Together with the checker of agreement this means: no needless failover. A
 * master that came back without its data, as a replica reports, or that refuses writes is down for another
 * reason.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { MasterClaims } from './master-claims.ts'
import { readMasterEvent } from './master-event.ts'
import { isAutomatic, Verdicts } from './verdicts.ts'

/** The first unanswered PING may be one interval older than the silence. */
const SLACK_MS = 2_000

export function trueAlarms(scene: CheckerView): Checker {
  const claims = [new MasterClaims('empty-master'), new MasterClaims('gray-master')]
  return {
    name: 'a master that answers is not down',
    observe: (happening) => {
      for (const claim of claims) claim.note(happening)
      if (happening.kind !== 'event' || happening.name !== '+sdown') return undefined
      const { process = '', payload } = happening
      if (claims.some((claim) => claim.says(process, payload))) return undefined
      return falseAlarm(happening, scene)
    },
  }
}

function falseAlarm(
  { atMs, process, payload }: Happening & { readonly kind: 'event' },
  scene: CheckerView,
): string | undefined {
  const subject = readMasterEvent(payload)
  if (subject === undefined || process === undefined) return undefined
  const node = scene.nameOf(subject.address)
  const group = scene.group(subject.group)
  // A master that is in no term says so itself, which no happening shows.
  if (group?.replication === 'strict') return undefined
  const downAfterMs = group?.downAfterMs
  if (downAfterMs === undefined || 4 * scene.latencyMaxMs > downAfterMs) return undefined
  const sinceMs = atMs - downAfterMs - SLACK_MS
  const { troubles } = scene
  const role = scene.roleOf(node)
  if (role?.role.kind !== 'master' || role.sinceMs > sinceMs) return undefined
  if (!troubles.isCalm(process, sinceMs) || !troubles.isCalm(node, sinceMs)) return undefined
  if (!troubles.isWayCalm(process, node, sinceMs)) return undefined
  return `${process} holds ${node} down, which has answered all the time`
}

/**
 * No failover without a quorum: when one begins, as many Sentinels as the group's quorum requires
 * really had the master down.
 */
export function agreedDown(scene: CheckerView): Checker {
  const verdicts = new Verdicts(scene)
  return {
    name: 'a quorum agrees before a failover',
    observe: (happening) => {
      verdicts.note(happening)
      if (happening.kind !== 'candidacy' || !isAutomatic(happening)) return undefined
      // A process that answers like a Sentinel has a say: no Sentinel can tell it from a real one.
      if (scene.troubles.hasFalseOpinions) return undefined
      const { process = '', group, electorate } = happening
      const agreed = [...verdicts.behind({ ...happening, process }).keys()]
      if (agreed.length >= electorate.quorum) return undefined
      return `${process} begins a failover of ${group} although only ${agreed.join(', ') || 'nobody'} of the quorum of ${electorate.quorum} had its master down`
    },
  }
}
