/** The world whose speed we quote, and one measurement of it. */

export const CLIENT_COUNTS = [0, 1, 4]
export const WRITES_PER_SECOND = 100
export const VIRTUAL_SECONDS = 60

/** Plays one world. A seed that lost its writes would measure an idle cluster: that is a mistake. */
export function measureWorld({ SimWorld, parseScenario }, clients, seed) {
  const before = process.cpuUsage()
  const world = new SimWorld(standardTopology(parseScenario, clients), seed)
  world.runUntil(VIRTUAL_SECONDS * 1_000)
  const { user, system } = process.cpuUsage(before)
  const cpuSeconds = (user + system) / 1e6
  const writes = world.writes.filter(({ outcome }) => outcome.kind === 'acknowledged').length
  const expected = 0.9 * clients * WRITES_PER_SECOND * VIRTUAL_SECONDS
  if (writes < expected) throw new Error(`only ${writes} writes were acknowledged (${seed})`)
  world.end()
  return { cpuSeconds, speed: VIRTUAL_SECONDS / cpuSeconds, writes }
}

/** In the language of scenarios, which says by itself what a topology has come to need. */
function standardTopology(parseScenario, clients) {
  const names = Array.from({ length: clients }, (_, index) => index + 1)
  const parsed = parseScenario(scenarioText(names), 'standard world')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value.topology
}

function scenarioText(clients) {
  const written = clients.map((n) => `    c${n}: { host: client-${n}, rate: ${WRITES_PER_SECOND} }`)
  return `
name: The standard world
story: Three nodes and three Sentinels; nothing happens but writes.
topology:
  groups:
    cache: { master: n1, quorum: 2, down-after: 1s, failover-timeout: 10s, detection: ping }
  nodes:
    n1: { host: a }
    n2: { host: b, replica-of: n1 }
    n3: { host: c, replica-of: n1 }
  sentinels:
    s1: { host: a }
    s2: { host: b }
    s3: { host: c }
${clients.length === 0 ? '' : `workload:\n  clients:\n${written.join('\n')}`}
timeline:
  - { at: ${VIRTUAL_SECONDS}s, heal: true }
expect:
  - { converged: true, within: 5s }
`
}
