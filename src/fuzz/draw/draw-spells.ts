/** Draws the troubles of a noisy run: one after the other, each in a lull of its own. */
import { unreachable } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import { endOf, type Fault, type WeatherWay } from '../faults/faults.ts'
import type { ShapeWords } from '../faults/network-faults.ts'
import { hostsOf, type PlannedGroup, type Setting } from '../members.ts'
import {
  calmingMs,
  leastLifeMs,
  longestDeathMs,
  longestTroubleMs,
  lullJitterMs,
  needsLull,
} from '../noise-rules.ts'
import { between, numbers, weighted } from '../odds.ts'
import { FIRST_FAULT_MS } from '../plan.ts'
import { durationWord } from '../words.ts'

type Lull = Fault & { readonly kind: 'lull' }
type Kind =
  | 'process hangs'
  | 'link hangs'
  | 'all links of the master hang'
  | 'one way is cut'
  | 'connections are reset'
  | 'node is restarted'

/** Time at the end without anything but weather. */
const LAST_MS = 2_000

interface Scene extends Setting {
  readonly group: PlannedGroup
  readonly master: { readonly name: string; readonly host: string }
  readonly weather: Weather
}

/** The weather everywhere, and on the paths between the Sentinels and the master. */
export interface Weather {
  readonly usual: ShapeWords
  readonly watched: readonly WeatherWay[]
}

export function drawSpells(rng: Rng, setting: Setting, weather: Weather): Lull[] {
  const scene = sceneOf(setting, weather)
  const { group, calmMs } = scene
  const lulls: Lull[] = []
  let fromMs = FIRST_FAULT_MS + rng.fork('first').below(3_000)
  for (let number = 0; ; number++) {
    const own = rng.fork(`spell/${number}`)
    const inside = drawInside(own, scene, fromMs + group.downAfterMs)
    const untilMs = Math.max(...inside.map(endOf)) + calmingMs(group)
    if (untilMs > calmMs - LAST_MS) return lulls
    lulls.push(lullAround(inside, { fromMs, untilMs }, scene))
    fromMs = untilMs + between(own.fork('gap'), 500, 6_000)
  }
}

function sceneOf(setting: Setting, weather: Weather): Scene {
  const [group] = setting.topology.groups
  const master = setting.topology.nodes.find(({ name }) => name === group?.master)
  if (group === undefined || master === undefined) throw new Error('a noisy run has a master')
  return { ...setting, group, master, weather }
}

function lullAround(
  inside: readonly Fault[],
  span: { readonly fromMs: number; readonly untilMs: number },
  scene: Scene,
): Lull {
  const { group, weather } = scene
  const ways = needsLull(inside, weather.usual, group) ? weather.watched : []
  return { kind: 'lull', ...span, ways, calm: calmOf(scene), inside }
}

function calmOf({ group, weather }: Scene): ShapeWords {
  const { latency = '1ms' } = weather.usual
  return { latency, jitter: durationWord(lullJitterMs(group)) }
}

function drawInside(rng: Rng, scene: Scene, fromMs: number): Fault[] {
  const kind = weighted<Kind>(rng.fork('kind'), [
    [3, 'process hangs'],
    [2, 'link hangs'],
    [1, 'all links of the master hang'],
    [2, 'one way is cut'],
    [3, 'connections are reset'],
    [5, 'node is restarted'],
  ])
  const own = rng.fork(kind)
  switch (kind) {
    case 'process hangs':
      return [drawHang(own, scene, fromMs)]
    case 'link hangs':
      return drawHold(own, scene, fromMs, [scene.master.host, otherHost(own, scene)])
    case 'all links of the master hang':
      return drawHold(own, scene, fromMs, [scene.master.host, ...othersOf(scene)])
    case 'one way is cut':
      return [drawDeaf(own, scene, fromMs)]
    case 'connections are reset':
      return drawResets(own, scene, fromMs)
    case 'node is restarted':
      return drawRestarts(own, scene, fromMs)
    default:
      return unreachable(kind)
  }
}

/** Half of the troubles are as long as the rules allow: that is where patience ends. */
function drawTroubleMs(rng: Rng, { group }: Scene): number {
  const maxMs = longestTroubleMs(group)
  return rng.chance(1, 2) ? maxMs : between(rng, 100, maxMs)
}

function drawHang(rng: Rng, scene: Scene, fromMs: number): Fault {
  const { nodes, sentinels } = scene.topology
  const name = rng.chance(1, 2) ? scene.master.name : rng.pick([...nodes, ...sentinels]).name
  const forMs = drawTroubleMs(rng, scene)
  if (rng.chance(1, 2)) return { kind: 'stall', fromMs, processes: [name], forMs }
  return { kind: 'pause', fromMs, untilMs: fromMs + forMs, processes: [name] }
}

/** Holds both directions, between the first host and each of the others. */
function drawHold(
  rng: Rng,
  scene: Scene,
  fromMs: number,
  [one = '', ...others]: readonly string[],
): Fault[] {
  const untilMs = fromMs + drawTroubleMs(rng, scene)
  return others.flatMap((other): Fault[] => [
    { kind: 'hold', fromMs, untilMs, from: one, to: other },
    { kind: 'hold', fromMs, untilMs, from: other, to: one },
  ])
}

function drawDeaf(rng: Rng, scene: Scene, fromMs: number): Fault {
  const other = otherHost(rng, scene)
  const ends = [scene.master.host, other]
  const [from = '', to = ''] = rng.chance(1, 2) ? ends : ends.toReversed()
  const isWatched = scene.topology.sentinels.some(({ host }) => host === other)
  const after = isWatched ? calmOf(scene) : scene.weather.usual
  return { kind: 'deaf', fromMs, untilMs: fromMs + drawTroubleMs(rng, scene), from, to, after }
}

function drawResets(rng: Rng, scene: Scene, fromMs: number): Fault[] {
  const peer = rng.chance(1, 2) ? undefined : otherHost(rng, scene)
  const apartMs = leastLifeMs(scene.group)
  return numbers(between(rng, 1, 3)).map((number) => {
    return { kind: 'reset', fromMs: fromMs + (number - 1) * apartMs, host: scene.master.host, peer }
  })
}

function drawRestarts(rng: Rng, scene: Scene, fromMs: number): Fault[] {
  const { group, topology, master } = scene
  const name = rng.chance(3, 4) ? master.name : rng.pick(topology.nodes).name
  let atMs = fromMs
  return numbers(rng.pick([1, 1, 2, 3])).map(() => {
    const maxMs = longestDeathMs(group)
    const untilMs = atMs + (rng.chance(1, 2) ? maxMs : between(rng, 5, maxMs))
    const death = { fromMs: atMs, untilMs, processes: [name], disk: 'kept' } as const
    atMs = untilMs + leastLifeMs(group) + rng.below(500)
    return { kind: 'death', how: rng.pick(['kill', 'kill', 'stop'] as const), ...death }
  })
}

function othersOf({ master, ...setting }: Scene): string[] {
  return hostsOf(setting).filter((host) => host !== master.host)
}

function otherHost(rng: Rng, scene: Scene): string {
  const { sentinels } = scene.topology
  const watching = sentinels.map(({ host }) => host).filter((host) => host !== scene.master.host)
  return rng.chance(2, 3) ? rng.pick(watching) : rng.pick(othersOf(scene))
}
