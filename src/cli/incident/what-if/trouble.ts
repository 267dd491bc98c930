/** What was done to a cluster, as far as its Sentinels saw it: what died, what stood still, what was cut off from what. */
import type { ClockTie } from '../../../blackbox/incident/common-time.ts'
import type { LostContact } from '../../../blackbox/incident/contacts.ts'
import type { SentinelLife } from '../../../blackbox/incident/life.ts'
import type { RecordedRun } from '../recorded-run.ts'

/** What befell one process. Times are those of the run. */
export interface Trouble {
  /** `host:port`. */
  readonly address: string
  readonly atMs: number
  /** When it was there again; undefined: not while the records go on. */
  readonly untilMs: number | undefined
  readonly kind: 'killed' | 'stopped' | 'cut'
  /** Those that had lost it, by their addresses; all of them where it was killed or stopped. */
  readonly from: readonly string[]
}

interface Seen extends LostContact {
  readonly by: string
}

/** Clocks are tied to each other within less. */
const SLACK_MS = 500

export interface PartOfRun {
  readonly fromMs: number
  readonly untilMs: number
  /** Of the master counts what befell it from here on: before, it may have been lost as a replica. */
  readonly master: string
  readonly beganMs: number
}

/**
 * The troubles that began in a part of the run. A process that refuses connections is dead; one that all have lost, and
 * that is on no host where somebody still reaches it, stands still; otherwise those that lost it are cut off.
 */
export function troublesIn(
  lives: readonly SentinelLife[],
  ties: ReadonlyMap<SentinelLife, ClockTie>,
  run: RecordedRun,
  { fromMs, untilMs, master, beganMs }: PartOfRun,
): readonly Trouble[] {
  const seen = lives.flatMap((life) => {
    const shiftMs = (ties.get(life)?.offsetMs ?? 0) - run.zeroMs
    return life.contacts.lost.map((one) => shifted(one, shiftMs, run.nameOf(life.myid)))
  })
  const inside = seen.filter(({ address, sdownAtMs }) => {
    const beginsMs = address === master ? beganMs - SLACK_MS : fromMs
    return sdownAtMs >= beginsMs && sdownAtMs <= untilMs
  })
  const observers = new Set(lives.map(({ myid }) => run.nameOf(myid)))
  const byAddress = groupBy(inside, ({ address }) => address)
  // Who lost somebody was there himself.
  const awake = new Set(inside.map(({ by }) => by))
  const troubles = [...byAddress].flatMap(([address, all]) =>
    troubleOf(address, all, observers, awake.has(address)),
  )
  return troubles.sort((one, other) => one.atMs - other.atMs)
}

function shifted(one: LostContact, shiftMs: number, by: string): Seen {
  return {
    ...one,
    by,
    wellAtMs: one.wellAtMs + shiftMs,
    owedSinceMs: one.owedSinceMs + shiftMs,
    endedAtMs: one.endedAtMs === undefined ? undefined : one.endedAtMs + shiftMs,
    sdownAtMs: one.sdownAtMs + shiftMs,
    backAtMs: one.backAtMs === undefined ? undefined : one.backAtMs + shiftMs,
  }
}

function troubleOf(
  address: string,
  seen: readonly Seen[],
  observers: ReadonlySet<string>,
  isAwake: boolean,
): readonly Trouble[] {
  // After a switch the same process is another instance, and lost anew. Each Sentinel's first loss counts.
  const [earliest] = [...seen].sort((one, other) => one.sdownAtMs - other.sdownAtMs)
  const same = seen.filter(({ role }) => role === earliest?.role)
  const first = [...groupBy(same, ({ by }) => by).values()].flatMap((own) => own.slice(0, 1))
  const from = first.map(({ by }) => by)
  const others = [...observers].filter((by) => by !== address && !from.includes(by))
  const isDead = first.some(({ isRefused }) => isRefused)
  const backs = seen.map(({ backAtMs }) => backAtMs ?? Number.POSITIVE_INFINITY)
  const atMs = beginningOf(first)
  const untilMs = Math.min(...backs.filter((backMs) => backMs > atMs), Number.POSITIVE_INFINITY)
  return [
    {
      address,
      atMs,
      untilMs: Number.isFinite(untilMs) ? untilMs : undefined,
      kind: isDead ? 'killed' : others.length === 0 && !isAwake ? 'stopped' : 'cut',
      from,
    },
  ]
}

/** When its connections ended; otherwise after the last sign of life and before the first that was missed. */
function beginningOf(seen: readonly Seen[]): number {
  const ended = seen.flatMap(({ endedAtMs }) => (endedAtMs === undefined ? [] : [endedAtMs]))
  if (ended.length > 0) return Math.min(...ended)
  const wellMs = Math.max(...seen.map(({ wellAtMs }) => wellAtMs))
  const owedMs = Math.min(...seen.map(({ owedSinceMs }) => owedSinceMs))
  return owedMs <= wellMs ? wellMs : Math.round((wellMs + owedMs) / 2)
}

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
