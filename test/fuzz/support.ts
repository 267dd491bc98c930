import type { Fault } from '../../src/fuzz/faults/faults.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'

/** Three boxes with a node and a Sentinel each, and a client of its own. */
export function createPlan({
  faults,
  chained = false,
}: {
  readonly faults: readonly Fault[]
  readonly chained?: boolean
}): FuzzPlan {
  const rules = {
    ...{
      quorum: 2,
      downAfterMs: 1_000,
      failoverTimeoutMs: 3_000,
      preFailoverHook: '',
      parallelSyncs: 1,
    },
    ...({ detection: 'evidence', refusedAfterMs: 250 } as const),
  }
  const node = (name: string, host: string, replicaOf: string | undefined) => ({
    ...{ name, host, replicaOf, group: 'mymaster', settings: {}, joinsLater: false },
  })
  return {
    topology: {
      ...{ latencyMs: 1, jitterMs: 1, zones: [], settings: {} },
      groups: [{ name: 'mymaster', master: 'n1', ...rules }],
      nodes: [
        node('n1', 'box1', undefined),
        node('n2', 'box2', 'n1'),
        node('n3', 'box3', chained ? 'n2' : 'n1'),
      ],
      sentinels: [1, 2, 3].map((number) => ({
        ...{ name: `s${number}`, host: `box${number}`, joinsLater: false },
      })),
      ...{ liars: [], password: undefined },
    },
    clients: [
      {
        name: 'app1',
        host: 'client1',
        group: 'mymaster',
        operation: 'keys',
        pace: { rate: 5 },
        manner: 'prompt',
      },
    ],
    faults,
    calmMs: 14_000,
    restMs: undefined,
    hasFinalDeath: false,
    ending: 'rest',
    demands: [
      { kind: 'converges', group: 'mymaster' },
      { kind: 'staysConverged', group: 'mymaster' },
      { kind: 'writesWork', client: 'app1' },
    ],
  }
}
