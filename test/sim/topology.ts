import { DEFAULT_GROUP } from '../../src/core/config.ts'
import { DEFAULT_SPEC, type Topology } from '../../src/history/topology.ts'

/** Three boxes with a node and a Sentinel each, and a client on a fourth. */
export function createTopology(): Topology {
  const directives = new Map<string, string>()
  const node = (name: string, host: string, replicaOf: string | undefined) => ({
    ...{ name, host, replicaOf, directives, port: DEFAULT_SPEC.nodePort, group: 'mymaster' },
    joinsLater: false,
  })
  const sentinel = (name: string, host: string) => ({
    ...{ name, host, port: DEFAULT_SPEC.sentinelPort, joinsLater: false },
  })
  const rules = {
    ...{
      quorum: 2,
      downAfterMs: 1_000,
      failoverTimeoutMs: 10_000,
      preFailoverHook: '',
      parallelSyncs: 1,
    },
    ...{ detection: DEFAULT_GROUP.detection, refusedAfterMs: DEFAULT_GROUP.refusedAfterMs },
  }
  return {
    groups: [{ name: 'mymaster', master: 'n1', ...rules }],
    nodes: [node('n1', 'a', undefined), node('n2', 'b', 'n1'), node('n3', 'c', 'n1')],
    sentinels: [sentinel('s1', 'a'), sentinel('s2', 'b'), sentinel('s3', 'c')],
    clients: [
      {
        name: 'app',
        host: 'd',
        group: 'mymaster',
        operation: 'keys',
        manner: 'prompt',
        pace: { kind: 'rate', perSecond: 20, pipeline: 1 },
      },
    ],
    latency: { baseMs: 1, jitterMs: 1 },
    ways: [],
    liars: [],
    password: undefined,
    zones: new Map(),
  }
}
