import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import type { SentinelFile } from '../../src/config/sentinel-file.ts'
import { buildCluster, type ClusterOptions } from '../../src/simulate/build-cluster.ts'
import type { SimulatedCluster } from '../../src/simulate/cluster.ts'
import type { Incident } from '../../src/simulate/incident.ts'
import type { GroupMeasured, MeasuredHistory } from '../../src/simulate/measure.ts'
import { PROFILES } from '../../src/simulate/profiles.ts'
import type { Stage } from '../../src/simulate/stage.ts'

const DEFAULTS: ClusterOptions = {
  sentinels: undefined,
  replicas: undefined,
  layout: undefined,
  writesPerSecond: 20,
}

export function sentinelFile(text: string): SentinelFile {
  const parsed = parseSentinelConf(text, 'sentinel.conf', [])
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}

export interface ClusterDraft {
  readonly text?: string
  readonly quorum?: number
  readonly downAfterMs?: number
  readonly settings?: Readonly<Record<string, string>>
  readonly options?: Partial<ClusterOptions>
}

/** Three nodes and three Sentinels beside them, unless something else is asked for. */
export function clusterOf(draft: ClusterDraft = {}): SimulatedCluster {
  const { quorum = 2, downAfterMs = 2_000, settings } = draft
  const file = sentinelFile(
    draft.text ??
      `sentinel monitor mymaster 10.0.0.1 6379 ${quorum}
       sentinel down-after-milliseconds mymaster ${downAfterMs}`,
  )
  return buildCluster({
    file,
    learnt: file.learnt?.groups ?? [],
    settings: settings === undefined ? [] : [settings],
    options: { ...DEFAULTS, ...draft.options },
  })
}

export function stageOf(cluster: SimulatedCluster, profile: keyof typeof PROFILES = 'lan'): Stage {
  const downAfterMaxMs = Math.max(...cluster.groups.map(({ downAfterMs }) => downAfterMs))
  return { cluster, profile: PROFILES[profile], downAfterMaxMs }
}

export function incident(change: Partial<Incident>): Incident {
  return {
    seed: '1',
    kind: 'crash',
    beforehand: 'nothing',
    atMs: 15_000,
    forMs: [],
    gapMs: [],
    lots: { group: 0, replica: 0, sentinel: 0, client: 0, beforehand: 0 },
    shape: { latencyMs: 100, loss: 0 },
    ...change,
  }
}

export function measuredGroup(change: Partial<GroupMeasured> = {}): GroupMeasured {
  return {
    group: 'mymaster',
    sdownMs: undefined,
    odownMs: undefined,
    outageMs: 0,
    lost: { asynchronous: 0, splitBrain: 0, emptyRestart: 0 },
    twoMastersMs: 0,
    failovers: 0,
    needless: 0,
    outcome: 'unneeded',
    ableSentinels: undefined,
    lacking: undefined,
    unusableMs: 0,
    refused: 0,
    latencyMs: undefined,
    abandoned: 0,
    ...change,
  }
}

export function measured(seed: string, change: Partial<GroupMeasured> = {}): MeasuredHistory {
  return { seed, kind: 'crash', story: '', groups: [measuredGroup(change)], violations: [] }
}
