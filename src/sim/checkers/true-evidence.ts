/**
 * No quorum on evidence that is wrong. With `detection: evidence` a Sentinel may hold a master down long
 * before down-after. Then one of these must be so, for a quorum of those who do:
 *
 * - it had heard nothing good of the master for a whole down-after by the time they agree: that is
 *   what C Sentinel goes by, whatever is true;
 * - the master's process had really been dead, for refused-after (less a tenth: what the Sentinel knows
 *   is older than what is true);
 * - nobody could open a connection to it any more, neither the Sentinel nor any node of its group;
 * - it had died and come back, and a replica says that it came back without its data.
 *
 * Otherwise a master that ran and listened is about to be replaced: a needless failover.
 */
import type { Happening } from '../happening.ts'
import type { GroupSpec } from '../topology.ts'
import type { Checker } from './checker.ts'
import { Deaths } from './deaths.ts'
import { readMasterEvent } from './master-event.ts'
import type { Scene } from './scene.ts'
import { isAutomatic, type Question, type Verdict, Verdicts } from './verdicts.ts'

/** So long before a verdict its reason may lie: questions and answers were on their way. */
const NEWS_MS = 5_000
/** A master that calls itself a replica is given two INFO periods, and a down-after, to think again. */
const ROLE_MS = 20_000
const ENOUGH_OF_REFUSED_AFTER = 0.9

export function trueEvidence(scene: Scene): Checker {
  const truth = { scene, deaths: new Deaths() }
  const verdicts = new Verdicts(scene)
  return {
    name: 'a quorum agrees on no evidence that is wrong',
    observe: (happening) => {
      verdicts.note(happening)
      truth.deaths.note(happening)
      const question = questionIn(happening)
      return question === undefined ? undefined : wrongAgreement(question, verdicts, truth)
    },
  }
}

interface Truth {
  readonly scene: Scene
  readonly deaths: Deaths
}

/** O_DOWN is the agreement itself; a failover may come when the reason is gone. */
function questionIn(happening: Happening): Question | undefined {
  const { atMs, process = '' } = happening
  if (happening.kind === 'candidacy') {
    return isAutomatic(happening) ? { ...happening, process } : undefined
  }
  if (happening.kind !== 'event' || happening.name !== '+odown') return undefined
  const subject = readMasterEvent(happening.payload)
  return subject && { atMs, process, group: subject.group, master: subject.address }
}

function wrongAgreement(question: Question, verdicts: Verdicts, truth: Truth): string | undefined {
  const { atMs, process, master } = question
  const group = truth.scene.group(question.group)
  if (group?.detection !== 'evidence') return undefined
  const node = truth.scene.nameOf(master)
  const behind = [...verdicts.behind(question)]
  // Too few of any kind is what another checker says.
  if (behind.length < group.quorum) return undefined
  const just = behind.filter(([sentinel, verdict]) =>
    isJust({ sentinel, verdict, node, atMs, group }, truth),
  )
  if (just.length >= group.quorum) return undefined
  return `${process} takes ${node} for dead with ${behind.length} Sentinels, of whom ${just.length} have a true reason: it ran and listened`
}

interface Case {
  readonly sentinel: string
  readonly verdict: Verdict
  readonly node: string
  readonly atMs: number
  readonly group: GroupSpec
}

function isJust({ sentinel, verdict, node, atMs, group }: Case, { scene, deaths }: Truth): boolean {
  const { troubles } = scene
  // However short: it is what it came back without that counts.
  if (verdict.isEmptied) return deaths.hasDied(node, { forMs: -1, sinceMs: 0, nowMs: atMs })
  if (verdict.silentMs === undefined || troubles.hasOtherRules(sentinel)) return true
  if (verdict.silentMs + (atMs - verdict.atMs) >= group.downAfterMs) return true
  // It waited by its own clock, and nobody can know that it runs too fast.
  const forMs = (group.refusedAfterMs * ENOUGH_OF_REFUSED_AFTER) / troubles.fastestClock(sentinel)
  if (deaths.hasDied(node, { forMs, sinceMs: verdict.atMs - NEWS_MS, nowMs: atMs })) return true
  const wasReplicaAtMs = scene.replicaAtMs(node, atMs) ?? -Infinity
  if (wasReplicaAtMs >= atMs - group.downAfterMs - ROLE_MS) return true
  return isShutOff(sentinel, node, scene)
}

/** Neither the Sentinel nor any other node of the group can open a connection to it. */
function isShutOff(sentinel: string, node: string, { topology, troubles }: Scene): boolean {
  const group = topology.nodes.find(({ name }) => name === node)?.group
  const others = topology.nodes.filter((other) => other.group === group && other.name !== node)
  return [sentinel, ...others.map(({ name }) => name)].every((one) => troubles.refuses(one, node))
}
