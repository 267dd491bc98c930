/** The world whose speed is quoted, and one measurement of it. */

export const CLIENT_COUNTS = [0, 1, 4]
export const WRITES_PER_SECOND = 100
export const VIRTUAL_SECONDS = 60

/** Plays one world. A seed that lost its writes would measure an idle cluster: that is a mistake. */
export function measureWorld(SimWorld, clients, seed) {
  const before = process.cpuUsage()
  const world = new SimWorld(standardTopology(clients), seed)
  world.runUntil(VIRTUAL_SECONDS * 1_000)
  const { user, system } = process.cpuUsage(before)
  const cpuSeconds = (user + system) / 1e6
  const writes = world.writes.filter(({ outcome }) => outcome.kind === 'acknowledged').length
  const expected = 0.9 * clients * WRITES_PER_SECOND * VIRTUAL_SECONDS
  if (writes < expected) throw new Error(`only ${writes} writes were acknowledged (${seed})`)
  world.end()
  return { cpuSeconds, speed: VIRTUAL_SECONDS / cpuSeconds, writes }
}

function standardTopology(clients) {
  return {
    groups: [
      {
        ...{ name: 'cache', master: 'n1', quorum: 2, parallelSyncs: 1 },
        ...{ downAfterMs: 1_000, failoverTimeoutMs: 10_000 },
      },
    ],
    nodes: [node('n1', 'a'), node('n2', 'b', 'n1'), node('n3', 'c', 'n1')],
    sentinels: ['a', 'b', 'c'].map((host) => ({
      ...{ name: `s-${host}`, host, port: 26_379, joinsLater: false },
    })),
    clients: Array.from({ length: clients }, (_, index) => client(index + 1)),
    latency: { baseMs: 1, jitterMs: 1 },
    ways: [],
    zones: new Map(),
  }
}

function node(name, host, replicaOf) {
  const place = { name, host, port: 6_379, group: 'cache' }
  return { ...place, replicaOf, directives: new Map(), joinsLater: false }
}

function client(number) {
  const pace = { kind: 'rate', perSecond: WRITES_PER_SECOND }
  const place = { name: `c${number}`, host: `client-${number}`, group: 'cache' }
  return { ...place, operation: 'keys', pace }
}
