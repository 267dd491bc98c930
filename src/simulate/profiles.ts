/** The network between the boxes: one room, three zones of a region, or three regions. */
import type { YamlWords } from '../fuzz/assemble.ts'
import { durationWord } from '../fuzz/words.ts'

export type ProfileName = 'lan' | 'cross-zone' | 'wan'

export interface NetworkProfile {
  readonly name: ProfileName
  /** For people: what it stands for. */
  readonly text: string
  /** One direction, between boxes of the same zone. */
  readonly near: PathDelay
  /** Undefined if there is only one zone. */
  readonly far: PathDelay | undefined
  /** Share of segments that are always lost, on every path. */
  readonly loss: number
}

export interface PathDelay {
  readonly latencyMs: number
  readonly jitterMs: number
}

export const PROFILES: Readonly<Record<ProfileName, NetworkProfile>> = {
  lan: {
    name: 'lan',
    text: 'one room, 1 to 2 ms one way',
    near: { latencyMs: 1, jitterMs: 1 },
    far: undefined,
    loss: 0,
  },
  'cross-zone': {
    name: 'cross-zone',
    text: 'three zones, 1 to 3 ms within one, 7 to 9 ms between them',
    near: { latencyMs: 1, jitterMs: 2 },
    far: { latencyMs: 7, jitterMs: 2 },
    loss: 0,
  },
  wan: {
    name: 'wan',
    text: 'three regions, 30 to 50 ms between them, 1 of 1000 segments lost',
    near: { latencyMs: 1, jitterMs: 2 },
    far: { latencyMs: 30, jitterMs: 20 },
    loss: 0.001,
  },
}

/** The form of names in scenario files. */
const SAYABLE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const ZONES = ['zone-a', 'zone-b', 'zone-c']

/**
 * The network part of a scenario's topology. Boxes are in the zones that the user's files give them; with several
 * zones, those that have none are assigned in turn, to zones of the profile's own if the files name none.
 */
export function networkWords(
  profile: NetworkProfile,
  boxes: readonly string[],
  zoneOf: (box: string) => string | undefined,
): YamlWords {
  const { near, far } = profile
  const words = { latency: durationWord(near.latencyMs), jitter: durationWord(near.jitterMs) }
  const own = [...new Set(boxes.flatMap((box) => zoneOf(box) ?? []))].sort()
  const free = far === undefined ? [] : boxes.filter((box) => zoneOf(box) === undefined)
  const names = own.length > 0 ? own : ZONES
  const zones = names
    .map((zone, place) => ({
      zone: SAYABLE.test(zone) ? zone : `zone${place + 1}`,
      boxes: boxes.filter((box) => {
        return zoneOf(box) === zone || free.indexOf(box) % names.length === place
      }),
    }))
    .filter((zone) => zone.boxes.length > 0)
  if (far === undefined && zones.length === 0) return words
  const named = {
    ...words,
    zones: Object.fromEntries(zones.map((zone) => [zone.zone, zone.boxes])),
  }
  if (far === undefined) return named
  const pairs = zones.flatMap((one, index) => zones.slice(index + 1).map((other) => [one, other]))
  return {
    ...named,
    ways: pairs.map((pair) => ({
      between: pair.map(({ zone }) => zone),
      latency: durationWord(far.latencyMs),
      jitter: durationWord(far.jitterMs),
    })),
  }
}
