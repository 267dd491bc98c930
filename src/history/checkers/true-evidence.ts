/**
 * No quorum on wrong evidence. With `detection: evidence` a Sentinel may hold a master down long
 * before down-after. Then one of these must be true, for a quorum of the Sentinels that do:
 * - it had heard nothing good from the master for a whole down-after by the time they agree (less what a peer
 *   that already holds it down saves): C Sentinel's own criterion, whatever the truth is;
 * - the master's process had really been dead, for refused-after (less a tenth: what the Sentinel
 *   knows is older than what is true);
 * - no connection to it could be opened any more, neither from the Sentinel nor from any node of
 *   its group;
 * - it had died and come back, and a replica says that it came back without its data;
 * - it refused writes for want of disk or memory, and the Sentinel had said so.
 *
 * Otherwise a master that ran and listened is about to be replaced: a needless failover.
 */
import type { Happening } from '../happening.ts'
import type { GroupSpec } from '../topology.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { readMasterEvent } from './master-event.ts'
import { type DownVerdict, isAutomatic, type OpenQuestion, Verdicts } from './verdicts.ts'

/** How long before a verdict its reason may lie: questions and answers were on their way. */
const NEWS_MS = 5_000
/**
 * A master that calls itself a replica gets two INFO periods and a down-after to become a master
 * again.
 */
const ROLE_MS = 20_000
const ENOUGH_OF_REFUSED_AFTER = 0.9
/** A Sentinel whose peer holds the master down need not wait for more of its own down-after than this. */
const HEAD_START_MS = 50
const HEAD_START_SHARE = 0.1

export function trueEvidence(scene: CheckerView): Checker {
  const truth = { scene, deaths: new Deaths(), full: new Set<string>() }
  const verdicts = new Verdicts(scene)
  return {
    name: 'a quorum agrees on no evidence that is wrong',
    observe: (happening) => {
      verdicts.note(happening)
      truth.deaths.note(happening)
      for (const node of filledBy(happening)) truth.full.add(node)
      const question = questionIn(happening)
      if (question === undefined || scene.troubles.hasFalseOpinions) return undefined
      return wrongAgreement(question, verdicts, truth)
    },
  }
}

interface Truth {
  readonly scene: CheckerView
  readonly deaths: Deaths
  /** The nodes whose disk or memory a fault or an order may have filled. */
  readonly full: ReadonlySet<string>
}

function filledBy(happening: Happening): readonly string[] {
  if (happening.kind !== 'fault' || happening.action === undefined) return []
  const { action } = happening
  switch (action.kind) {
    case 'diskFailure':
    case 'memoryUse':
      return [action.process]
    case 'command':
      return action.argv[0]?.toUpperCase() === 'CONFIG' ? [action.process] : []
    default:
      return []
  }
}

/**
 * The verdicts that must be true by now. O_DOWN is the agreement itself; a failover may begin when
 * its reason is already gone.
 */
function questionIn(happening: Happening): OpenQuestion | undefined {
  const { atMs, process = '' } = happening
  if (happening.kind === 'candidacy') {
    return isAutomatic(happening) ? { ...happening, process } : undefined
  }
  if (happening.kind !== 'event' || happening.name !== '+odown') return undefined
  const subject = readMasterEvent(happening.payload)
  return subject && { atMs, process, group: subject.group, master: subject.address }
}

function wrongAgreement(
  question: OpenQuestion,
  verdicts: Verdicts,
  truth: Truth,
): string | undefined {
  const { atMs, process, master } = question
  const group = truth.scene.group(question.group)
  const node = truth.scene.nameOf(master)
  // A strict master may run and listen and have no term, which is as good as dead.
  if (group?.replication === 'strict') return undefined
  // A master that a liar made up has no life to watch.
  if (group?.detection !== 'evidence' || truth.scene.node(node) === undefined) return undefined
  const behind = [...verdicts.behind(question)]
  // If too few of any kind agree, another checker reports that.
  if (behind.length < group.quorum) return undefined
  const just = behind.filter(([sentinel, verdict]) =>
    isJust({ sentinel, verdict, node, atMs, group }, truth),
  )
  if (just.length >= group.quorum) return undefined
  return `${process} takes ${node} for dead with ${behind.length} Sentinels, of whom ${just.length} have a true reason: it ran and listened`
}

interface Case {
  readonly sentinel: string
  readonly verdict: DownVerdict
  readonly node: string
  readonly atMs: number
  readonly group: GroupSpec
}

function isJust(
  { sentinel, verdict, node, atMs, group }: Case,
  { scene, deaths, full }: Truth,
): boolean {
  const { troubles } = scene
  // The length of its death does not matter: it came back without its data.
  if (verdict.isEmptied) return deaths.hasDied(node, { forMs: -1, sinceMs: 0, nowMs: atMs })
  if (verdict.isGray && full.has(node)) return true
  if (verdict.silentMs === undefined || troubles.hasOtherRules(sentinel)) return true
  const headStartMs = Math.min(HEAD_START_MS, group.downAfterMs * HEAD_START_SHARE)
  if (verdict.silentMs + (atMs - verdict.atMs) >= group.downAfterMs - headStartMs) return true
  // The Sentinel waited by its own clock, and cannot know that this clock runs too fast.
  const forMs = (group.refusedAfterMs * ENOUGH_OF_REFUSED_AFTER) / troubles.fastestClock(sentinel)
  if (deaths.hasDied(node, { forMs, sinceMs: verdict.atMs - NEWS_MS, nowMs: atMs })) return true
  const wasReplicaAtMs = scene.replicaAtMs(node, atMs) ?? -Infinity
  if (wasReplicaAtMs >= atMs - group.downAfterMs - ROLE_MS) return true
  return isShutOff(sentinel, node, scene)
}

/** Neither the Sentinel nor any other node of the group can open a connection to it. */
function isShutOff(sentinel: string, node: string, { topology, troubles }: CheckerView): boolean {
  const group = topology.nodes.find(({ name }) => name === node)?.group
  const others = topology.nodes.filter((other) => other.group === group && other.name !== node)
  return [sentinel, ...others.map(({ name }) => name)].every((one) => troubles.refuses(one, node))
}

/** When a process was really dead. */
interface DeathQuestion {
  /** Only deaths longer than this count. */
  readonly forMs: number
  /** Deaths that ended before this do not count. */
  readonly sinceMs: number
  readonly nowMs: number
}

interface Death {
  readonly fromMs: number
  /** Undefined while the death lasts. */
  endMs: number | undefined
}

class Deaths {
  readonly #of = new Map<string, Death[]>()

  note(happening: Happening): void {
    const { atMs, process } = happening
    if (happening.kind !== 'status' || process === undefined) return
    const deaths = this.#of.get(process) ?? []
    this.#of.set(process, deaths)
    const last = deaths.at(-1)
    if (last !== undefined && happening.status !== 'down') last.endMs ??= atMs
    if (happening.status === 'down') deaths.push({ fromMs: atMs, endMs: undefined })
  }

  hasDied(process: string, { forMs, sinceMs, nowMs }: DeathQuestion): boolean {
    const deaths = this.#of.get(process) ?? []
    return deaths.some(({ fromMs, endMs = nowMs }) => endMs >= sinceMs && endMs - fromMs > forMs)
  }
}
