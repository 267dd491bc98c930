/** What lies between the boxes: one room, three zones of a region, or three regions. */
import type { Words } from '../fuzz/assemble.ts'
import { durationWord } from '../fuzz/words.ts'

export type ProfileName = 'lan' | 'cross-zone' | 'wan'

export interface Profile {
  readonly name: ProfileName
  /** For people: what it stands for. */
  readonly text: string
  /** One way, between boxes of the same zone. */
  readonly near: Stretch
  /** Undefined: there is only one zone. */
  readonly far: Stretch | undefined
  /** Share of segments that are always lost, on every way. */
  readonly loss: number
}

export interface Stretch {
  readonly latencyMs: number
  readonly jitterMs: number
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
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

const ZONES = ['zone-a', 'zone-b', 'zone-c']

/** The network part of a scenario's topology. Boxes are dealt out to the zones one after the other. */
export function networkWords(profile: Profile, boxes: readonly string[]): Words {
  const { near, far } = profile
  const words = { latency: durationWord(near.latencyMs), jitter: durationWord(near.jitterMs) }
  if (far === undefined) return words
  const zones = ZONES.map((zone, place) => ({
    zone,
    boxes: boxes.filter((_, index) => index % ZONES.length === place),
  })).filter((zone) => zone.boxes.length > 0)
  const pairs = zones.flatMap((one, index) => zones.slice(index + 1).map((other) => [one, other]))
  return {
    ...words,
    zones: Object.fromEntries(zones.map((zone) => [zone.zone, zone.boxes])),
    ways: pairs.map((pair) => ({
      between: pair.map(({ zone }) => zone),
      latency: durationWord(far.latencyMs),
      jitter: durationWord(far.jitterMs),
    })),
  }
}
