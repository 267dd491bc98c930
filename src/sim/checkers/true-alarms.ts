/**
 * A master that answers is not declared down: while it ran, took input and said that it is a master,
 * and nothing was in the way between it and the Sentinel, the silence the Sentinel saw did not exist.
 * With the checker of agreement this means: no needless failover. A master that came back without its data,
 * as a replica says, is down for another reason.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { Emptied } from './emptied.ts'
import { readMasterEvent } from './master-event.ts'
import type { Scene } from './scene.ts'

/** The first PING without an answer may be an interval older than the silence. */
const SLACK_MS = 2_000

export function trueAlarms(scene: Scene): Checker {
  const emptied = new Emptied()
  return {
    name: 'a master that answers is not down',
    observe: (happening) => {
      emptied.note(happening)
      if (happening.kind !== 'event' || happening.name !== '+sdown') return undefined
      if (emptied.says(happening.process ?? '', happening.payload)) return undefined
      return falseAlarm(happening, scene)
    },
  }
}

function falseAlarm(
  { atMs, process, payload }: Happening & { readonly kind: 'event' },
  scene: Scene,
): string | undefined {
  const subject = readMasterEvent(payload)
  if (subject === undefined || process === undefined) return undefined
  const node = scene.nameOf(subject.address)
  const downAfterMs = scene.group(subject.group)?.downAfterMs
  if (downAfterMs === undefined || 4 * scene.latencyMaxMs > downAfterMs) return undefined
  const sinceMs = atMs - downAfterMs - SLACK_MS
  const { troubles } = scene
  const role = scene.roleOf(node)
  if (role?.role.kind !== 'master' || role.sinceMs > sinceMs) return undefined
  if (!troubles.isCalm(process, sinceMs) || !troubles.isCalm(node, sinceMs)) return undefined
  if (!troubles.isWayCalm(process, node, sinceMs)) return undefined
  return `${process} holds ${node} down, which has answered all the time`
}
