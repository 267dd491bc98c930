/**
 * No needless candidacy. To stand burns an epoch, takes votes from others, and keeps better candidates
 * waiting. So a Sentinel that begins a failover by itself
 * - gives the leader it voted for twice the failover-timeout, as long as that one lives;
 * - waits after one that came to nothing, longer each time;
 * - lets those of smaller ids go first;
 * - knows a replica that could be promoted;
 * - has asked the hook, if there is one, and was not refused;
 * - leaves the group alone for failover-block after an automatic failover.
 * Each is judged by what the Sentinel itself has said, so that nothing needs to be known of the network.
 */
import { type AbortReason, isAbort } from '../../core/event-table.ts'
import { eventWords, type Happening } from '../happening.ts'
import type { GroupSpec, NodeSpec } from '../topology.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { placeOf, readSubject, SentinelPast } from './sentinel-past.ts'
import { type Candidacy, isAutomatic } from './verdicts.ts'

/** Timers are not exact to the millisecond, and happenings are noted when they can be heard. */
const SLACK_MS = 50
/** The same for what is heard at once. What comes with a new epoch waits until that is on the disk. */
const TICK_MS = 2
/** The shortest pause after an election that was lost: four rounds of five milliseconds. */
const LOST_PAUSE_MS = 20
/** The same when no replica could be promoted. */
const NO_REPLICA_PAUSE_MS = 1_000
/** How long the word of a hook holds. */
const HOOK_HOLDS_MS = 30_000

/** A candidacy that came to nothing. */
interface Failed {
  readonly atMs: number
  readonly pauseMs: number
  readonly slackMs: number
  /** It, and those before it that count. */
  readonly attempt: number
}

/** What is known of one Sentinel's dealings with one group. */
interface Dealings {
  vote: { readonly leader: string; readonly atMs: number } | undefined
  /** The failover it has begun, and not ended. */
  open: Candidacy | undefined
  /** Its last one that came to nothing. */
  failed: Failed | undefined
  /** How many in a row make it wait longer. */
  failures: number
  hook: { readonly askedAtMs: number; isRefused: boolean } | undefined
  /** [failover-block] By its own clock. */
  block: { readonly sinceMs: number; readonly forMs: number } | undefined
  /** Whether the Sentinel holds, or held, the master down that it replaces. */
  isMasterDown: boolean
  /** Since when it knows that the quorum does; undefined: it has stood since. */
  odownAtMs: number | undefined
}

export function needlessCandidacies(scene: CheckerView): Checker {
  const past = new SentinelPast()
  const all = new AllDealings()
  return {
    name: 'no needless candidacy',
    observe: (happening) => {
      past.note(happening)
      const { process } = happening
      if (happening.kind === 'fault' && happening.action?.kind === 'rollBack') {
        all.forget(happening.action.process, 'the block too')
      }
      if (process === undefined) return undefined
      if (happening.kind === 'status' && happening.status === 'down') all.forget(process)
      if (happening.kind === 'vote') noteVote(all, happening)
      if (happening.kind === 'event') noteEvent(all, happening, scene)
      if (happening.kind !== 'candidacy') return undefined
      const dealings = all.of(process, happening.group)
      const group = scene.group(happening.group)
      const fault =
        isAutomatic(happening) && group !== undefined && !scene.troubles.hasOtherRules(process)
          ? faultOf(happening, dealings, { group, scene, past })
          : undefined
      Object.assign(dealings, { vote: undefined, open: happening, odownAtMs: undefined })
      return fault && `${process} stands for ${happening.group} ${fault}`
    },
  }
}

class AllDealings {
  readonly #of = new Map<string, Dealings>()
  /** When each process last told of a new epoch. */
  readonly newEpochAtMs = new Map<string, number>()

  of(process: string, group: string): Dealings {
    const key = `${process} ${group}`
    const known = this.#of.get(key) ?? anew()
    this.#of.set(key, known)
    return known
  }

  /** With the process everything is forgotten but a block, which an old state file does not have. */
  forget(process: string, what?: 'the block too'): void {
    for (const [key, { block }] of this.#of) {
      if (!key.startsWith(`${process} `)) continue
      this.#of.set(key, what === undefined ? { ...anew(), block } : anew())
    }
  }
}

function anew(): Dealings {
  return {
    ...{ ...NO_FAILURE, vote: undefined, open: undefined, hook: undefined },
    ...{ block: undefined, isMasterDown: false, odownAtMs: undefined },
  }
}

/** Nothing makes it wait. */
const NO_FAILURE = { failed: undefined, failures: 0 }

function noteVote(all: AllDealings, vote: Happening & { readonly kind: 'vote' }): void {
  const { process = '', group, leader, sentinelId, atMs } = vote
  if (leader !== sentinelId) all.of(process, group).vote = { leader, atMs }
}

function noteEvent(
  all: AllDealings,
  happening: Happening & { readonly kind: 'event' },
  scene: CheckerView,
): void {
  const { process = '', name, payload, atMs } = happening
  if (name === '+switch-master') {
    const group = eventWords('+switch-master', payload)?.group ?? ''
    return noteSwitch(all.of(process, group), group, happening, scene)
  }
  if (name === '+new-epoch') all.newEpochAtMs.set(process, atMs)
  const subject = readSubject(payload)
  if (subject === undefined) return
  const { group, kind } = subject
  const dealings = all.of(process, group)
  if (kind === 'master' && name === '+sdown') dealings.isMasterDown = true
  if (kind === 'master' && name === '-sdown') dealings.isMasterDown = false
  if (isAbort(name)) {
    const isHeardLate = all.newEpochAtMs.get(process) === atMs
    noteAbort(dealings, name, atMs, isHeardLate ? SLACK_MS : TICK_MS)
  }
  // A replica that is back is a new chance; after a pause nothing before it counts.
  if (kind === 'slave' && name === '-sdown') Object.assign(dealings, NO_FAILURE)
  if (name === '-pause') Object.assign(dealings, { ...NO_FAILURE, vote: undefined })
  if (name === '-monitor') Object.assign(dealings, anew())
  // A block outlives a restart and a reset.
  if (name === '+reset-master' || name === '+monitor') {
    Object.assign(dealings, anew(), { block: dealings.block })
  }
  if (name === '+odown') dealings.odownAtMs = atMs
  if (name === '-odown') Object.assign(dealings, { hook: undefined, odownAtMs: undefined })
  if (name === '+failover-hook-asked') dealings.hook = { askedAtMs: atMs, isRefused: false }
  if (name === '-failover-refused-by-hook' && dealings.hook) dealings.hook.isRefused = true
  if (name === '-failover-block') dealings.block = undefined
}

function noteAbort(dealings: Dealings, name: AbortReason, atMs: number, slackMs: number): void {
  const { open, failures } = dealings
  if (open === undefined) return
  dealings.open = undefined
  // After a coordinated one the operator can try again at once, and so can the Sentinel.
  if (!isAutomatic(open) && !open.forced) return
  const floorMs = name === '-failover-abort-not-elected' ? LOST_PAUSE_MS : NO_REPLICA_PAUSE_MS
  dealings.failed = { atMs, pauseMs: floorMs * 2 ** failures, slackMs, attempt: failures + 1 }
  // If the replica lived and did not obey, the pause is long, and the next ones are no longer for it.
  if (name !== '-failover-abort-slave-timeout') dealings.failures++
}

/** [failover-block] A master that was dead for the Sentinel, or that it replaced itself, was replaced automatically. */
function noteSwitch(
  dealings: Dealings,
  group: string,
  { atMs }: Happening & { readonly kind: 'event' },
  scene: CheckerView,
): void {
  const { open, isMasterDown } = dealings
  const isByItself = open === undefined ? isMasterDown : isAutomatic(open)
  const blockMs = scene.group(group)?.failoverBlockMs ?? 0
  const block = isByItself && blockMs > 0 ? { sinceMs: atMs, forMs: blockMs } : undefined
  Object.assign(dealings, anew(), { block })
}

interface Circumstances {
  readonly group: GroupSpec
  readonly scene: CheckerView
  readonly past: SentinelPast
}

function faultOf(candidacy: Candidacy, dealings: Dealings, about: Circumstances) {
  return (
    discourtesy(candidacy, dealings, about) ??
    haste(candidacy, dealings, about) ??
    jump(candidacy, dealings, about) ??
    lackOfReplicas(candidacy, about) ??
    disregard(candidacy, dealings, about) ??
    tooSoon(candidacy, dealings, about)
  )
}

function discourtesy(
  { process = '', atMs }: Candidacy,
  { vote }: Dealings,
  { group, scene, past }: Circumstances,
): string | undefined {
  const leader = vote && past.processOf(vote.leader)
  // A leader that the Sentinel has not met, or that a liar made up, is not waited for.
  if (vote === undefined || leader === undefined || scene.topology.liars.length > 0)
    return undefined
  const { troubles } = scene
  if (!troubles.isCalm(leader, vote.atMs - MET_MS) || troubles.hasOtherRules(leader))
    return undefined
  if (!troubles.isWayCalm(process, leader, vote.atMs - MET_MS)) return undefined
  if (past.peerDownSinceMs(process, group.name, vote.leader) !== undefined) return undefined
  const courtesyMs = (2 * group.failoverTimeoutMs) / troubles.fastestClock(process)
  const waitedMs = atMs - vote.atMs
  if (waitedMs >= courtesyMs - SLACK_MS) return undefined
  return `${waitedMs} ms after it voted for ${leader}, which lives and has ${Math.round(courtesyMs)} ms`
}

/** By then Sentinels that are well have met. */
const MET_MS = 10_000

function haste({ process = '', atMs }: Candidacy, { failed }: Dealings, about: Circumstances) {
  if (failed === undefined) return undefined
  const { group, scene } = about
  const pauseMs = Math.min(2 * group.failoverTimeoutMs, failed.pauseMs)
  const waitedMs = atMs - failed.atMs
  if (waitedMs >= pauseMs / scene.troubles.fastestClock(process) - failed.slackMs) return undefined
  return `${waitedMs} ms after attempt ${failed.attempt}, which came to nothing; it waits for ${pauseMs} ms`
}

/** Each Sentinel lets those of smaller ids go first, for two rounds of at least five milliseconds each. */
const STAGGER_MS = 10

function jump(
  { process = '', atMs, sentinelId }: Candidacy,
  { odownAtMs }: Dealings,
  { scene, past }: Circumstances,
): string | undefined {
  const { sentinels, liars } = scene.topology
  const isMet = (name: string) => scene.troubles.isCalm(name, atMs - ASKED_MS)
  if (odownAtMs === undefined || liars.length > 0 || !sentinels.every(({ name }) => isMet(name)))
    return undefined
  if (!sentinels.every(({ name }) => scene.troubles.isWayCalm(process, name, atMs - ASKED_MS)))
    return undefined
  const before = past.idsBelow(sentinelId).length
  const leastMs = before * STAGGER_MS - 1
  if (atMs - odownAtMs >= leastMs) return undefined
  return `${atMs - odownAtMs} ms after the quorum agreed; ${before} others go first, for ${leastMs + 1} ms`
}

/** The leader of a strict group may give the new term to the master that is there. */
function mayStay(master: NodeSpec, { replication }: GroupSpec, scene: CheckerView): boolean {
  return replication === 'strict' && scene.runsSinceMs(master.name) !== undefined
}

function lackOfReplicas(
  { process = '', atMs, master }: Candidacy,
  { group, scene, past }: Circumstances,
): string | undefined {
  // A liar can attach itself to a master and look like a replica that could be promoted.
  if (scene.topology.liars.length > 0) return undefined
  const others = scene.topology.nodes.filter((node) => node.group === group.name)
  const all = others.map((node) => ({ node, standing: scene.addressOf(node.name) }))
  const left = all.filter(({ node, standing }) => {
    if (standing === undefined) return true
    if (placeOf(standing) === placeOf(master)) return mayStay(node, group, scene)
    if (isKnown(process, node.name, atMs, scene) && isBarred(node, scene)) return false
    const sinceMs = past.nodeDownSinceMs(process, group.name, standing)
    return sinceMs === undefined || sinceMs === atMs
  })
  return left.length > 0 ? undefined : 'although no replica could be promoted'
}

/** By then a Sentinel has asked every node that it can reach. */
const ASKED_MS = 12_000

function isKnown(process: string, node: string, atMs: number, scene: CheckerView): boolean {
  const sinceMs = atMs - ASKED_MS
  const { troubles } = scene
  const areThere = [process, node].every((name) => (scene.runsSinceMs(name) ?? atMs) <= sinceMs)
  return areThere && troubles.isCalm(process, sinceMs) && troubles.isWayCalm(process, node, sinceMs)
}

/** By what stands in the files, if no command has changed it. */
function isBarred({ name, promotion, directives }: NodeSpec, { troubles }: CheckerView): boolean {
  if (promotion === 'must-not') return true
  return directives.get('replica-priority') === '0' && !troubles.hasOtherRules(name)
}

function disregard({ atMs }: Candidacy, { hook }: Dealings, { group }: Circumstances) {
  if (group.preFailoverHook === '') return undefined
  if (hook === undefined) return 'without asking its hook'
  if (hook.isRefused) return 'although its hook has refused'
  return atMs - hook.askedAtMs > 2 * HOOK_HOLDS_MS ? 'without asking its hook again' : undefined
}

function tooSoon({ atMs, process = '' }: Candidacy, { block }: Dealings, { scene }: Circumstances) {
  if (block === undefined) return undefined
  // It waits by its own clock, which may have begun to run fast meanwhile.
  const untilMs = block.sinceMs + block.forMs / scene.troubles.fastestClock(process) - SLACK_MS
  if (atMs >= untilMs) return undefined
  return `${Math.round(untilMs - atMs)} ms before the block after the last failover ends`
}
