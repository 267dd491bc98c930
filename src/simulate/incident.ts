/**
 * What goes wrong in a history, before it is known which process it hits: the same incident can
 * happen to two different clusters, so their configurations can be compared.
 */

export type IncidentKind =
  | 'crash'
  | 'powerLoss'
  | 'restart'
  | 'powerReturns'
  | 'siteOutage'
  | 'hang'
  | 'stutter'
  | 'cutOff'
  | 'cutOffWithClient'
  | 'blip'
  | 'flapping'
  | 'fewSentinelsCutOff'
  | 'mostSentinelsCutOff'
  | 'slowNetwork'
  | 'sentinelStall'
  | 'replicaLoss'

export interface KindFacts {
  /** One line of a table: at most 22 characters. */
  readonly title: string
  /** How often, relative to the others. */
  readonly weight: number
  /** How long it lasts, or how long what dies stays away; undefined if it stays dead. */
  readonly lastsMs: readonly [min: number, max: number] | undefined
}

/** Weights are an estimate of what happens to masters, not a measurement: most trouble is short. */
export const INCIDENTS: Readonly<Record<IncidentKind, KindFacts>> = {
  crash: { title: 'master process crashes', weight: 14, lastsMs: undefined },
  powerLoss: { title: 'master box loses power', weight: 12, lastsMs: undefined },
  restart: { title: 'master restarts', weight: 6, lastsMs: [100, 6_400] },
  powerReturns: { title: 'its power is back soon', weight: 6, lastsMs: [2_000, 32_000] },
  siteOutage: { title: 'power fails everywhere', weight: 4, lastsMs: [2_000, 32_000] },
  hang: { title: 'master hangs', weight: 14, lastsMs: [250, 32_000] },
  stutter: { title: 'master stutters', weight: 8, lastsMs: [100, 1_600] },
  cutOff: { title: "master's box cut off", weight: 12, lastsMs: [2_000, 32_000] },
  cutOffWithClient: { title: 'cut off with a client', weight: 12, lastsMs: [2_000, 32_000] },
  blip: { title: 'network blip', weight: 8, lastsMs: [100, 3_200] },
  flapping: { title: "master's link flaps", weight: 6, lastsMs: [200, 1_600] },
  fewSentinelsCutOff: { title: 'few Sentinels cut off', weight: 5, lastsMs: [4_000, 32_000] },
  mostSentinelsCutOff: { title: 'most Sentinels cut off', weight: 5, lastsMs: [4_000, 32_000] },
  slowNetwork: { title: 'slow, lossy network', weight: 6, lastsMs: [8_000, 32_000] },
  sentinelStall: { title: 'a Sentinel stalls', weight: 4, lastsMs: [500, 8_000] },
  replicaLoss: { title: 'a replica is lost', weight: 6, lastsMs: undefined },
}

export const INCIDENT_KINDS = Object.keys(INCIDENTS) as readonly IncidentKind[]

/** Whether what died comes back, with what its disk kept. */
export function isRestart(kind: IncidentKind): boolean {
  return kind === 'restart' || kind === 'powerReturns' || kind === 'siteOutage'
}

/** What had already gone wrong, unnoticed. */
export type Beforehand = 'nothing' | 'sentinelDead' | 'replicaDead'

/** One drawn history: the same for every cluster it happens to. */
export interface Incident {
  readonly seed: string
  readonly kind: IncidentKind
  readonly beforehand: Beforehand
  readonly atMs: number
  /** For each time it comes. */
  readonly forMs: readonly number[]
  /** Between two times. */
  readonly gapMs: readonly number[]
  /** Draws that decide which group, replica, Sentinel and client it hits, of however many there are. */
  readonly lots: Lots
  /** For a slow network. */
  readonly shape: { readonly latencyMs: number; readonly loss: number }
}

export interface Lots {
  readonly group: number
  readonly replica: number
  readonly sentinel: number
  readonly client: number
  readonly beforehand: number
}
