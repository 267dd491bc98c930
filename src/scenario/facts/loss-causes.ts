/**
 * Why acknowledged writes are gone. The loss of a write cannot be seen; what can be seen is which
 * node was master by right when it was promised, which came after, and which was restarted
 * meanwhile. The cause is decided in this order, from the happenings of the run alone:
 *
 * 1. Empty restart of the node that promised the write: it was master by right when it answered,
 *    went down after that, and came up again before another node was master. Either no other node
 *    became master, or the next master had its link to this node up afterwards, and so had copied
 *    what it came back with.
 * 2. Split brain: the node answered when it could not reach a majority of the Sentinels (cut off),
 *    or when another node was master by right (deposed).
 * 3. Empty restart later on: one of the next masters was restarted in the same way in its own
 *    reign, or was restarted after the write and before its reign and had no link to its master
 *    since.
 * 4. Asynchronous: all others. The promise was good, but the write had not reached the node that
 *    was promoted.
 *
 * Where a write passed through a restart, the restart is the cause, since it alone would have been
 * enough. "Empty" means without this write: part of the data may be there.
 */
import type { Write } from '../../history/writes.ts'
import type { LostWrites } from '../result.ts'
import type { LossCause } from '../scenario-file.ts'
import type { RunHistory } from '../world.ts'
import { Lifelines, type Restart } from './lifelines.ts'
import { mastersInTurn, type Reign, reignAt } from './reigns.ts'

/**
 * The observer learns that a link broke only when it asks again; until then what it knew is in
 * doubt.
 */
const ROLE_DOUBT_MS = 250

type Standing = 'byMajority' | 'byCutOff' | 'byDeposed'

/** Undefined: at the end the group had no master that could be asked. */
export function countLost(
  group: string,
  history: RunHistory,
  lifelines: Lifelines,
): LostWrites | undefined {
  const missing = history.missing.get(group)
  if (missing === undefined) return undefined
  const { nameOf, endMs } = history
  const course: Course = { reigns: mastersInTurn(group, history), lifelines, nameOf, endMs }
  const byStanding = { byMajority: 0, byCutOff: 0, byDeposed: 0 }
  const byCause = { asynchronous: 0, 'split-brain': 0, 'empty-restart': 0 }
  for (const write of missing) {
    if (write.outcome.kind !== 'acknowledged') continue
    byStanding[standingOf(write, course)]++
    byCause[causeOf(write, course)]++
  }
  const { asynchronous, 'split-brain': splitBrain, 'empty-restart': emptyRestart } = byCause
  return { ...byStanding, asynchronous, splitBrain, emptyRestart }
}

/** Each lost write of a group with its cause, for reports that show the writes one by one. */
export function lossesOf(group: string, history: RunHistory): ReadonlyMap<Write, LossCause> {
  const { nameOf, endMs } = history
  const reigns = mastersInTurn(group, history)
  const course: Course = { reigns, lifelines: new Lifelines(history), nameOf, endMs }
  const missing = [...(history.missing.get(group) ?? [])]
  return new Map(missing.map((write) => [write, causeOf(write, course)]))
}

interface Course {
  readonly reigns: readonly Reign[]
  readonly lifelines: Lifelines
  readonly nameOf: RunHistory['nameOf']
  readonly endMs: number
}

function standingOf({ node, outcome }: Write, { reigns }: Course): Standing {
  if (outcome.kind !== 'acknowledged') return 'byMajority'
  if (!outcome.withMajority) return 'byCutOff'
  const rightful = reigns[reignAt(reigns, outcome.atMs)]?.master ?? node
  return rightful === node ? 'byMajority' : 'byDeposed'
}

function causeOf(write: Write, course: Course): LossCause {
  const { node, outcome, attemptedAtMs } = write
  const { reigns } = course
  const answeredAtMs = outcome.kind === 'acknowledged' ? outcome.atMs : attemptedAtMs
  const first = reignAt(reigns, answeredAtMs)
  const isRightful = (reigns[first]?.master ?? node) === node
  if (isRightful && diesInReign(node, first, attemptedAtMs, course)) return 'empty-restart'
  if (standingOf(write, course) !== 'byMajority') return 'split-brain'
  for (let later = first + 1; later < reigns.length; later++) {
    if (diesLater(later, attemptedAtMs, course)) return 'empty-restart'
  }
  return 'asynchronous'
}

/**
 * Whether a later master lost in a restart, before its reign or in it, what it held since
 * `sinceMs`.
 */
function diesLater(place: number, sinceMs: number, course: Course): boolean {
  const reign = course.reigns[place]
  const previous = course.reigns[place - 1]
  if (reign === undefined) return false
  const { master, fromMs } = reign
  if (diesInReign(master, place, fromMs, course)) return true
  const restart = restartsIn(master, sinceMs, fromMs, course).at(-1)
  if (restart === undefined || previous === undefined) return false
  return !wasLinked(master, previous.master, { fromMs: restart.upAtMs, untilMs: fromMs }, course)
}

/**
 * Whether the master of this reign was restarted in it after `sinceMs`, and the next master copied
 * only what was left.
 */
function diesInReign(master: string, place: number, sinceMs: number, course: Course): boolean {
  const next = course.reigns[place + 1]
  const untilMs = next?.fromMs ?? course.endMs
  const restart = restartsIn(master, sinceMs, untilMs, course)[0]
  if (restart === undefined) return false
  if (next === undefined) return true
  const span = { fromMs: restart.upAtMs + ROLE_DOUBT_MS, untilMs }
  return wasLinked(next.master, master, span, course)
}

function restartsIn(
  node: string,
  sinceMs: number,
  untilMs: number,
  { lifelines }: Course,
): readonly Restart[] {
  return lifelines
    .of(node)
    .restarts.filter(({ downAtMs, upAtMs }) => downAtMs >= sinceMs && upAtMs < untilMs)
}

/** Whether the link of a replica to a node was up at some moment of a span. */
function wasLinked(
  replica: string,
  master: string,
  span: { readonly fromMs: number; readonly untilMs: number },
  { lifelines, nameOf }: Course,
): boolean {
  return lifelines.of(replica).roles.some(({ role, fromMs, untilMs }) => {
    if (role.kind !== 'replica' || !role.isLinkUp || nameOf(role.master) !== master) return false
    return fromMs < span.untilMs && untilMs > span.fromMs
  })
}
