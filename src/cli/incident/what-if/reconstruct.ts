/** What the scenario of an incident is made of, out of the records. */
import { hostAndPort } from '../../../base/ip.ts'
import type { SentinelLife } from '../../../blackbox/incident/life.ts'
import type { Chapter } from '../../../report/chain/chain.ts'
import { shownText } from '../../replay/words.ts'
import type { IncidentsTold } from '../stories.ts'
import { medianOf } from './median.ts'
import type { PlannedOrder, Reconstruction } from './scenario.ts'
import { type Trouble, troublesIn } from './trouble.ts'

/** What was lost before the master may be why its loss went as it did. */
const BEFORE_MS = 60_000
/** A master that was told to come back does so meanwhile. */
const AFTER_MS = 30_000

export interface RealCourse {
  readonly reconstruction: Reconstruction
  /** When the master was lost, or the order given, counted from the beginning of the reconstruction. */
  readonly lostMs: number
  /** From there to the first Sentinel that named another master; undefined: none did. */
  readonly switchedMs: number | undefined
  /** Answers of data nodes that came late and came, in milliseconds. */
  readonly lateMs: readonly number[]
  /** How long the records are. */
  readonly recordedMs: number
}

/** A text says why this incident cannot be reconstructed. */
export function reconstruct(
  told: IncidentsTold,
  lives: readonly SentinelLife[],
  chapter: Chapter,
): RealCourse | string {
  const { run, ties } = told
  const { group: name, master, title, fromMs, untilMs } = chapter
  const known = [...(lives[0]?.state.groups.values() ?? [])]
  const group = known.find(({ config }) => shownText(config.name) === name)
  if (group === undefined || master === undefined) return 'its group is in no record any more'
  const part = { fromMs: fromMs - BEFORE_MS, untilMs: untilMs + AFTER_MS, master, beganMs: fromMs }
  const troubles = troublesIn(lives, ties, run, part)
  const orders = ordersIn(told, lives, chapter, group.config.name)
  const lost = lossOf(troubles, orders, master)
  if (lost === undefined) return `the records do not say what befell ${master}`
  if (!(untilMs > lost)) return `the records do not say when ${master} was lost`
  const beganMs = Math.min(
    lost,
    ...troubles.map(({ atMs }) => atMs),
    ...orders.map((one) => one.atMs),
  )
  return {
    reconstruction: {
      ...{ title, group, master, sentinels: sentinelsOf(told, lives, group.config.name) },
      ...{ troubles, orders, beganMs, lastedMs: untilMs - beganMs },
      latencyMs: latencyOf(told, lives, chapter),
    },
    lostMs: lost - beganMs,
    switchedMs: switchAfter(told, name ?? '', lost),
    lateMs: lives.flatMap(({ contacts }) => contacts.lateMs),
    recordedMs: run.history.endMs,
  }
}

/**
 * What a message takes one way: half of what the Sentinels' questions to each other took during the incident, when
 * machines may have been busy, and at least half of what a PING takes.
 */
function latencyOf(
  { run, ties }: IncidentsTold,
  lives: readonly SentinelLife[],
  { fromMs, untilMs }: Chapter,
): number {
  const asked = lives.flatMap((life) => {
    const shiftMs = (ties.get(life)?.offsetMs ?? 0) - run.zeroMs
    return [...life.talk.asked].flatMap(([question, { sentAtMs, answeredAtMs }]) => {
      // A vote is on a disk before it is given; a counsel waits for a PING.
      if (!/is-master-down-by-addr .* \*$/i.test(question)) return []
      const atMs = sentAtMs + shiftMs
      const isInside = answeredAtMs !== undefined && atMs >= fromMs && atMs <= untilMs
      return isInside ? [answeredAtMs - sentAtMs] : []
    })
  })
  const pings = lives.flatMap(({ contacts }) =>
    [...contacts.trips].flatMap(([ms, count]) =>
      new Array<number>(Math.min(count, 1_000)).fill(ms),
    ),
  )
  return Math.max(1, Math.floor((medianOf(asked) ?? 0) / 2), Math.floor((medianOf(pings) ?? 0) / 2))
}

function lossOf(
  troubles: readonly Trouble[],
  orders: readonly PlannedOrder[],
  master: string,
): number | undefined {
  return troubles.find(({ address }) => address === master)?.atMs ?? orders[0]?.atMs
}

/** Failovers that an operator ordered, as the Sentinel announced them that got the order. */
function ordersIn(
  { run, ties }: IncidentsTold,
  lives: readonly SentinelLife[],
  chapter: Chapter,
  own: string,
): readonly PlannedOrder[] {
  return lives.flatMap((life) => {
    const shiftMs = (ties.get(life)?.offsetMs ?? 0) - run.zeroMs
    return life.said.flatMap(({ monoMs, event: { name, group } }) => {
      const atMs = monoMs + shiftMs
      const isOrdered = group?.failover === 'forced' || group?.failover === 'coordinated'
      const isInside = atMs >= chapter.fromMs && atMs <= chapter.untilMs
      if (name !== '+try-failover' || !isOrdered || !isInside) return []
      if (group.name !== own) return []
      const isCoordinated = group.failover === 'coordinated'
      return [{ atMs, sentinel: run.nameOf(life.myid), isCoordinated }]
    })
  })
}

function sentinelsOf(
  { run }: IncidentsTold,
  lives: readonly SentinelLife[],
  group: string,
): readonly string[] {
  const peers = lives.flatMap(({ state }) => [...(state.groups.get(group)?.peers.values() ?? [])])
  const known = peers.map(({ host, port }) => hostAndPort(host, port))
  return [...new Set([...lives.map(({ myid }) => run.nameOf(myid)), ...known])].sort()
}

function switchAfter({ run }: IncidentsTold, group: string, fromMs: number): number | undefined {
  const first = run.history.happenings.find(
    (one) =>
      one.kind === 'event' &&
      one.name === '+switch-master' &&
      one.payload.startsWith(`${group} `) &&
      one.atMs >= fromMs,
  )
  return first === undefined ? undefined : first.atMs - fromMs
}
