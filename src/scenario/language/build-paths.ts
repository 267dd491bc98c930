/** From the zones and ways of a file to the latency between pairs of hosts. */
import { DEFAULT_SPEC, type Topology, type WaySpec } from '../../history/topology.ts'
import type { Problems } from './problems.ts'
import type { RawScenario } from './schema.ts'
import type { Path } from './source.ts'

type RawTopology = RawScenario['topology']

/** The zone of each host, and the paths that are slower or faster than the others. */
export function buildWays(
  raw: RawTopology,
  hosts: readonly string[],
  problems: Problems,
): Pick<Topology, 'ways' | 'zones'> {
  const zones = buildZones(raw.zones ?? {}, hosts, problems)
  const ways = new Map<string, WaySpec>()
  raw.ways?.forEach(({ between, latency, jitter }, index) => {
    const path = ['topology', 'ways', index, 'between']
    const [left, right] = between.map((end, at) =>
      hostsOf(end, [...path, at], zones, hosts, problems),
    )
    const jitterMs = jitter ?? raw.jitter ?? DEFAULT_SPEC.jitterMs
    const pairs = pairsOf(left ?? [], right ?? [])
    if (pairs.length === 0 && left?.[0] !== undefined && right?.[0] !== undefined) {
      problems.add(path, 'E_VALUE', 'leads from a host to itself', 'name two hosts, or zones')
    }
    // A later line replaces an earlier one: zones first, exceptions after them.
    for (const pair of pairs) {
      ways.set(pair.join(' '), { hosts: pair, latency: { baseMs: latency, jitterMs } })
    }
  })
  return { ways: [...ways.values()], zones }
}

function buildZones(
  raw: NonNullable<RawTopology['zones']>,
  hosts: readonly string[],
  problems: Problems,
): ReadonlyMap<string, string> {
  const zones = new Map<string, string>()
  for (const [zone, members] of Object.entries(raw)) {
    const path = ['topology', 'zones', zone]
    if (hosts.includes(zone)) problems.add(path, 'E_DUPLICATE', `${zone} is a host already`, '')
    for (const host of members) {
      if (!hosts.includes(host)) problems.unknown(path, 'host', host, hosts)
      const other = zones.get(host)
      const message = `${host} stands in ${other} already`
      if (other !== undefined) problems.add(path, 'E_DUPLICATE', message, '')
      zones.set(host, zone)
    }
  }
  return zones
}

function hostsOf(
  end: string,
  path: Path,
  zones: ReadonlyMap<string, string>,
  hosts: readonly string[],
  problems: Problems,
): readonly string[] {
  if (hosts.includes(end)) return [end]
  const members = hosts.filter((host) => zones.get(host) === end)
  if (members.length === 0) {
    problems.unknown(path, 'zone or host', end, [...new Set(zones.values()), ...hosts])
  }
  return members
}

/** Each pair once, in an order that does not depend on how it was written. */
function pairsOf(left: readonly string[], right: readonly string[]): [string, string][] {
  return left.flatMap((a) =>
    right.flatMap((b): [string, string][] => {
      if (a === b) return []
      return [a < b ? [a, b] : [b, a]]
    }),
  )
}
