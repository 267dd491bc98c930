/**
 * The weakest point of a layout: every host is taken away in turn, then every two of them at once, then every three,
 * until that leaves no master or one that refuses writes. Where all processes share one host, as in a trial,
 * each process counts as a host.
 */
import { isAt, loses, membersOf } from './accident.ts'
import { type Forecast, forecast } from './forecast.ts'
import type { GroupLayout } from './layout.ts'

export interface HostLoss {
  readonly place: string
  /** `master, Sentinel`. */
  readonly holds: string
  readonly forecast: Forecast
  /** Whether the master that is left then could be replaced, too. */
  readonly survivesAnother: boolean
}

export interface Weakness {
  /** In sentences. */
  readonly text: string
  /** What to do about it; empty: nothing. */
  readonly advice: string
  /** How many hosts may be lost at once, whichever they are; at most three are tried. */
  readonly survives: number
  /** The smallest sets of hosts that must not be lost at once. */
  readonly fatal: readonly (readonly string[])[]
  readonly losses: readonly HostLoss[]
}

/** More at once are no accident but a catastrophe. */
const MOST_AT_ONCE = 3
/** With more hosts than this only single ones are tried: a longer list would not be read. */
const MOST_IN_SETS = 24

export function weakestPoint(layout: GroupLayout): Weakness {
  const hosts = new Set(membersOf(layout).map(({ host }) => host))
  const isOneHost = hosts.size === 1
  const all = isOneHost ? membersOf(layout).map(({ address }) => address) : [...hosts]
  const places = [...new Set(all)]
  const losses = places.map((place) => lossOf(layout, place))
  const { size, fatal } = smallestFatal(layout, places)
  const text = verdict(layout, { losses, fatal, size, isOneHost })
  const isAdvised = isOneHost || fatal[0]?.length === 1
  const advice = isAdvised ? adviceFor(layout, isOneHost) : ''
  return { text, advice, survives: fatal.length > 0 ? size - 1 : size, fatal, losses }
}

function lossOf(layout: GroupLayout, place: string): HostLoss {
  const told = forecast(layout, loses([place]))
  const next = told.promoted ?? layout.master.address
  const then = forecast(layout, loses([place, next]))
  return {
    place,
    holds: whatIsAt(layout, place),
    forecast: told,
    survivesAnother: told.outcome !== 'stuck' && then.outcome === 'switches',
  }
}

/** No master, or one that takes no writes. */
export function isBad({ outcome, refusesWrites }: Forecast): boolean {
  return outcome === 'stuck' || refusesWrites
}

function whatIsAt({ master, replicas, sentinels }: GroupLayout, place: string): string {
  const named = (list: Parameters<typeof isAt>[0][], word: string) => {
    const count = list.filter((member) => isAt(member, place)).length
    return count > 1 ? [`${count} ${word}s`] : count === 1 ? [word] : []
  }
  return [
    ...named([master], 'master'),
    ...named([...replicas], 'replica'),
    ...named([...sentinels], 'Sentinel'),
  ].join(', ')
}

/** `size`: of the sets that were tried last. */
function smallestFatal(layout: GroupLayout, places: readonly string[]) {
  const most = places.length > MOST_IN_SETS ? 1 : Math.min(MOST_AT_ONCE, places.length - 1)
  for (let size = 1; size <= most; size++) {
    const fatal = subsets(places, size).filter((set) => isBad(forecast(layout, loses(set))))
    if (fatal.length > 0) return { size, fatal }
  }
  return { size: Math.max(0, most), fatal: [] }
}

function subsets(items: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) =>
    subsets(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]),
  )
}

interface Findings {
  readonly losses: readonly HostLoss[]
  readonly fatal: readonly (readonly string[])[]
  readonly size: number
  readonly isOneHost: boolean
}

const NUMBERS = ['none', 'one', 'two', 'three']

function verdict(layout: GroupLayout, { losses, fatal, size, isOneHost }: Findings): string {
  const unit = isOneHost ? 'process' : 'host'
  const shared = isOneHost
    ? `Everything runs on one host, ${layout.master.host}: if that host is lost, nothing is left. `
    : ''
  const them = isOneHost ? 'Of its processes any' : 'Any'
  if (fatal.length === 0) return `${shared}${them} ${NUMBERS[size]} may be lost at once.`
  const weight = (place: string) => fatal.filter((set) => set.includes(place)).length
  const [worst] = [...losses].sort((a, b) => weight(b.place) - weight(a.place))
  const name = `The weakest point is the ${unit} ${worst?.place} (${worst?.holds})`
  const first = fatal.find((set) => set.includes(worst?.place ?? '')) ?? []
  const told = forecast(layout, loses(first))
  const why = (told.outcome === 'stuck' ? told.obstacles : told.cautions).join('; ')
  if (size === 1) {
    const others = fatal.flat().filter((place) => place !== worst?.place)
    const rest = others.length === 0 ? '' : ` The same is true of ${others.join(', ')}.`
    const end = told.outcome === 'stuck' ? 'no master' : 'a master that refuses writes'
    return `${shared}${name}: without it there would be ${end} (${why}).${rest}`
  }
  const count = fatal.length === 1 ? 'one combination' : `${fatal.length} combinations`
  const alone =
    size === 2 ? `${them} one may be lost` : `${them} ${NUMBERS[size - 1]} may be lost at once`
  const share = fatal.length === 1 ? 'in it' : `in ${weight(worst?.place ?? '')} of them`
  return `${shared}${alone}, but ${count} of ${NUMBERS[size]} may not. ${name}, which is ${share}: the loss of ${listed(first)} would leave ${told.outcome === 'stuck' ? 'no master' : 'a master that refuses writes'} (${why}).`
}

/** `a, b and c`. */
function listed(places: readonly string[]): string {
  return [places.slice(0, -1).join(', '), ...places.slice(-1)].filter(Boolean).join(' and ')
}

function adviceFor({ group, replicas, sentinels, pause }: GroupLayout, isOneHost: boolean): string {
  if (pause !== undefined) return `end the pause with \`vedette resume ${group}\``
  if (replicas.length === 0) return 'start a replica on another host'
  if (isOneHost) return 'put master, replicas and Sentinels on hosts that fail independently'
  const hosts = new Set(sentinels.map(({ host }) => host)).size
  if (hosts < 3) return 'run Sentinels on at least three hosts that fail independently'
  if (sentinels.some(({ isDown }) => isDown)) return 'bring back the Sentinels that are down'
  if (replicas.every(({ isDown, priority }) => isDown || priority === 0))
    return 'make a replica promotable: bring it back, or raise its replica-priority'
  return 'let each host have at most one node and one Sentinel, and start one more replica'
}
