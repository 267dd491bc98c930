/**
 * What noise is: everything here happens to a cluster that is healthy, and nothing of it is a
 * reason to fail over, by C Sentinel's own rule. That rule is silence: a master is down when a
 * quorum of Sentinels has waited for a whole down-after for the answer to a PING, whatever the
 * reason. So these rules make sure that noise alone never makes a quorum wait that long:
 *
 * - Weather, on every path between two hosts: loss, and jitter that delays a round trip by up to
 *   half of down-after.
 * - Troubles, one after the other: a process hangs or is restarted, a path is cut or reset, for
 *   down-after less a tenth at most. Meanwhile there is a lull on the paths between the Sentinels
 *   and the master, from one down-after before to one after, so that two delays that may each take
 *   half of the time do not add up.
 *
 * - With a down-after below two seconds, loss on the paths to the master of fewer Sentinels than
 *   the quorum. Three losses in a row take longer than a second, and with many seeds two Sentinels
 *   have them at once. With a longer down-after that takes four or five losses in a row at each,
 *   which is left to chance.
 */
import { endOf, type Fault, type Lull, type WeatherWay } from './faults/faults.ts'
import type { ShapeWords } from './faults/network-faults.ts'
import type { PlannedGroup } from './members.ts'
import type { FuzzPlan } from './plan.ts'

/** Share of the segments that are lost. */
export const LOSS_MAX = 0.05
const LATENCY_MAX_MS = 5
/** Share of down-after: how long a trouble may take. */
const TROUBLE_SHARE = 0.9
/** Share of refused-after: how long a process may be dead. */
const DEATH_SHARE = 0.9
/** Share of down-after, on the path in one direction; a round trip takes two of them. */
const JITTER_SHARE = 0.25
const LULL_JITTER_SHARE = 0.025
/** A segment that is lost on the way is sent again after this long at first. */
const AFTERMATH_MS = 500
/**
 * From this down-after on a restart or a reset needs no lull if the weather is not too bad: there
 * is time for several attempts to connect, each of which is given up after two seconds.
 */
const LULL_FREE_DOWN_AFTER_MS = 8_000
const LULL_FREE_JITTER_MS = 500
/** Below this down-after loss alone may be too much. */
const LOSSY_DOWN_AFTER_MS = 2_000

type Rules = Pick<PlannedGroup, 'downAfterMs' | 'refusedAfterMs'>

export function longestTroubleMs({ downAfterMs }: Rules): number {
  return Math.floor(downAfterMs * TROUBLE_SHARE)
}

export function longestDeathMs({ refusedAfterMs }: Rules): number {
  return Math.floor(refusedAfterMs * DEATH_SHARE)
}

export function weatherJitterMs({ downAfterMs }: Rules): number {
  return Math.floor(downAfterMs * JITTER_SHARE)
}

export function lullJitterMs({ downAfterMs }: Rules): number {
  return Math.floor(downAfterMs * LULL_JITTER_SHARE)
}

/** How long a lull lasts after what happened in it. */
export function calmingMs({ downAfterMs }: Rules): number {
  return downAfterMs + AFTERMATH_MS
}

/**
 * How long a process lives at least before it is restarted again: by then all its peers have
 * reconnected.
 */
export function leastLifeMs({ downAfterMs }: Rules): number {
  return Math.floor(downAfterMs / 2) + AFTERMATH_MS
}

/** How many Sentinels may have loss between themselves and the master. */
export function lossySentinelsMax({ downAfterMs, quorum }: PlannedGroup): number {
  return downAfterMs < LOSSY_DOWN_AFTER_MS ? quorum - 1 : Infinity
}

export function needsLull(
  inside: readonly Fault[],
  { jitter = '0ms' }: ShapeWords,
  { downAfterMs }: Rules,
): boolean {
  const isRough = inMs(jitter) > LULL_FREE_JITTER_MS
  const isLong = inside.some(({ kind }) => kind !== 'death' && kind !== 'reset')
  return downAfterMs < LULL_FREE_DOWN_AFTER_MS || isRough || isLong
}

/** The paths between the Sentinels and the first master, as pairs of hosts. */
export function watchedWays({
  nodes,
  sentinels,
  groups,
}: FuzzPlan['topology']): [string, string][] {
  const master = nodes.find(({ name }) => name === groups[0]?.master)?.host ?? ''
  const hosts = [...new Set(sentinels.map(({ host }) => host))]
  return hosts.filter((host) => host !== master).map((host) => [host, master])
}

/** Whether the plan is noise and nothing worse: a smaller plan that is not would prove nothing. */
export function isNoise(plan: FuzzPlan): boolean {
  const [group] = plan.topology.groups
  if (group === undefined || plan.topology.groups.length > 1 || group.quorum < 2) return false
  const spells = plan.faults.filter((fault) => fault.kind === 'lull')
  const rest = plan.faults.filter((fault) => fault.kind !== 'lull')
  const ways = weatherWays(plan)
  const lossy = ways.filter(({ weather }) => (weather.loss ?? 0) > 0)
  const isInOrder = spells.every((one, at) => endOf(one) <= (spells[at + 1]?.fromMs ?? Infinity))
  return (
    isInOrder &&
    lossy.length <= lossySentinelsMax(group) &&
    rest.every((fault) => isWeather(fault, group)) &&
    spells.every((spell) => isBearable(spell, ways, group))
  )
}

function isWeather(fault: Fault, rules: Rules): boolean {
  if (fault.kind !== 'shape') return false
  return isMildWeather(fault.shape, rules)
}

function isMildWeather(shape: ShapeWords, rules: Rules): boolean {
  return isMild(shape, { loss: LOSS_MAX, jitterMs: weatherJitterMs(rules) })
}

function isMild(shape: ShapeWords, most: { readonly loss: number; readonly jitterMs: number }) {
  const { loss = 0, jitter = '0ms', latency = '0ms', ...others } = shape
  const isFast = inMs(latency) <= LATENCY_MAX_MS && inMs(jitter) <= most.jitterMs
  return isFast && loss <= most.loss && Object.keys(others).length === 0
}

/** The weather on each path between a Sentinel and the master: the last shape counts. */
function weatherWays({ topology, faults }: FuzzPlan): readonly WeatherWay[] {
  return watchedWays(topology).map((between) => {
    const words = faults.flatMap((fault) =>
      fault.kind === 'shape' && isSame(fault.between ?? between, between) ? [fault.shape] : [],
    )
    return { between, weather: words.at(-1) ?? {} }
  })
}

function isBearable(lull: Lull, ways: readonly WeatherWay[], rules: Rules): boolean {
  const { inside, fromMs, untilMs, calm } = lull
  const firstMs = Math.min(...inside.map((fault) => fault.fromMs))
  const lastMs = Math.max(...inside.map(endOf))
  const isLongEnough = firstMs - fromMs >= rules.downAfterMs && untilMs - lastMs >= calmingMs(rules)
  const isCalm = isMild(calm, { loss: 0, jitterMs: lullJitterMs(rules) })
  const isCovered = ways.every((way) => {
    const own = lull.ways.find(({ between }) => isSame(between, way.between))
    if (own === undefined) return !needsLull(inside, way.weather, rules)
    return (own.weather.loss ?? 0) <= (way.weather.loss ?? 0)
  })
  const areMild = lull.ways.every(({ weather }) => isMildWeather(weather, rules))
  return isLongEnough && isCalm && isCovered && areMild && areBearable(inside, rules)
}

function isSame(one: WeatherWay['between'], other: WeatherWay['between']): boolean {
  return one.every((host) => other.includes(host))
}

/**
 * Faults that come one after the other leave each other time; those at the same moment are one
 * trouble.
 */
function areBearable(inside: readonly Fault[], rules: Rules): boolean {
  return inside.every((fault, at) => {
    const before = inside[at - 1]
    const isApart = before === undefined || fault.fromMs - endOf(before) >= leastLifeMs(rules)
    const isTogether = before?.kind === 'hold' && fault.fromMs === before.fromMs
    return (isApart || isTogether) && isShort(fault, rules)
  })
}

function isShort(fault: Fault, rules: Rules): boolean {
  const forMs = endOf(fault) - fault.fromMs
  switch (fault.kind) {
    case 'stall':
    case 'pause':
      return forMs <= longestTroubleMs(rules) && fault.processes.length === 1
    case 'hold':
    case 'deaf':
      return forMs <= longestTroubleMs(rules)
    case 'death':
      return forMs <= longestDeathMs(rules) && fault.processes.length === 1 && fault.disk === 'kept'
    case 'reset':
      return true
    default:
      return false
  }
}

function inMs(word: string): number {
  return Number.parseFloat(word) * (word.endsWith('ms') ? 1 : 1_000)
}
