/**
 * From the `topology` and `workload` of a file to the processes of a run, with defaults and
 * addresses.
 */
import { directiveRefusal } from '../../config/check-node.ts'
import {
  type ClientSpec,
  DATA_CLIENTS_MAX,
  DEFAULT_SPEC,
  type GroupSpec,
  type LiarSpec,
  MORE_OPTION_ROWS,
  type NodeSpec,
  type Pace,
  type PromotionWord,
  type SentinelSpec,
  SPEC_OPTION_ROWS,
  type SpecOptions,
  type Topology,
} from '../../history/topology.ts'
import { buildWays } from './build-paths.ts'
import { checkTopology } from './check-topology.ts'
import { type DirectiveMatter, decidedMatter } from './decided-directives.ts'
import type { Problems } from './problems.ts'
import type { RawScenario } from './schema.ts'
import type { Path } from './source.ts'
import { hostsOf, onlyGroup } from './symbols.ts'

type RawNodes = RawScenario['topology']['nodes']

export function buildTopology(raw: RawScenario, problems: Problems): Topology {
  const groups = Object.entries(raw.topology.groups).map(([name, group]) => buildGroup(name, group))
  const nodes = buildNodes(raw, groups, problems)
  const sentinels = buildSentinels(raw)
  const clients = buildClients(raw, groups, problems)
  const liars = buildLiars(raw, problems)
  const topology = {
    groups,
    nodes,
    sentinels,
    clients,
    liars,
    password: raw.topology.password,
    latency: {
      baseMs: raw.topology.latency ?? DEFAULT_SPEC.latencyMs,
      jitterMs: raw.topology.jitter ?? DEFAULT_SPEC.jitterMs,
    },
    ...buildWays(raw.topology, hostsOf({ nodes, sentinels, clients, liars }), problems),
  }
  checkTopology(topology, problems)
  return topology
}

function buildGroup(name: string, raw: RawScenario['topology']['groups'][string]): GroupSpec {
  const said: Readonly<Record<string, unknown>> = raw
  const more = MORE_OPTION_ROWS.filter(({ row }) => said[row.yml] !== undefined).map(
    ({ key, row }) => [key, said[row.yml]],
  )
  const values = SPEC_OPTION_ROWS.map(({ key, row, usual }) => [key, said[row.yml] ?? usual])
  return {
    name,
    master: raw.master,
    ...(Object.fromEntries(values) as unknown as SpecOptions),
    ...Object.fromEntries(more),
  }
}

function buildNodes(
  raw: RawScenario,
  groups: readonly GroupSpec[],
  problems: Problems,
): NodeSpec[] {
  const { nodes, settings } = raw.topology
  const ports = new PortCounter(DEFAULT_SPEC.nodePort)
  checkSettings(['topology', 'settings'], settings, problems)
  return Object.entries(nodes).map(([name, node]) => {
    const path = ['topology', 'nodes', name]
    checkSettings([...path, 'settings'], node.settings, problems)
    return {
      name,
      host: node.host,
      port: node.port ?? ports.next(node.host),
      group: groupOf(name, nodes, groups, problems),
      replicaOf: node['replica-of'],
      directives: new Map([...(settings ?? []), ...(node.settings ?? [])]),
      joinsLater: node['joins-later'] ?? false,
      ...(node.promotion === undefined ? {} : { promotion: node.promotion as PromotionWord }),
    }
  })
}

/** A node belongs to the group whose master it is, or follows over any number of steps. */
function groupOf(
  name: string,
  nodes: RawNodes,
  groups: readonly GroupSpec[],
  problems: Problems,
): string {
  const path = ['topology', 'nodes', name]
  let at = name
  for (let steps = 0; steps <= Object.keys(nodes).length; steps++) {
    const group = groups.find(({ master }) => master === at)
    if (group !== undefined && nodes[at]?.['replica-of'] === undefined) return group.name
    const next = nodes[at]?.['replica-of']
    if (next === undefined) break
    if (nodes[next] === undefined) {
      problems.unknown([...path, 'replica-of'], 'node', next, Object.keys(nodes))
      return ''
    }
    at = next
  }
  problems.add(path, 'E_VALUE', 'belongs to no group', 'make it the master of one, or a replica')
  return ''
}

const DECIDED: Readonly<Record<DirectiveMatter, string>> = {
  place: 'say host, and port if need be, of the node',
  master: 'say replica-of of the node',
  password: 'say password of the topology',
  users: 'leave it out: nodes have the default user alone',
  process: 'leave it out: the engine runs the nodes',
  file: 'leave it out: nodes of a scenario have no file, and all commands under their own names',
}

function checkSettings(
  path: Path,
  settings: ReadonlyMap<string, string> | undefined,
  problems: Problems,
): void {
  for (const [name, value] of settings ?? []) {
    const matter = decidedMatter(name)
    if (matter !== undefined) {
      const message = matter === 'file' ? 'is for redis.conf alone' : 'is decided by the topology'
      problems.add([...path, name], 'E_VALUE', message, DECIDED[matter])
      continue
    }
    const refusal = directiveRefusal(name, value)
    if (refusal === undefined) continue
    problems.add([...path, name], 'E_VALUE', refusal.reason, refusal.hint)
  }
}

function buildSentinels(raw: RawScenario): SentinelSpec[] {
  const ports = new PortCounter(DEFAULT_SPEC.sentinelPort)
  return Object.entries(raw.topology.sentinels).map(([name, { host, port, ...spec }]) => ({
    name,
    host,
    port: port ?? ports.next(host),
    joinsLater: spec['joins-later'] ?? false,
  }))
}

function buildClients(
  raw: RawScenario,
  groups: readonly GroupSpec[],
  problems: Problems,
): ClientSpec[] {
  const counts = new Map<string | undefined, number>()
  const countDataClients = (
    operation: string | undefined,
    group: string | undefined,
    path: string[],
  ) => {
    if (operation !== 'data') return
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    if (count <= DATA_CLIENTS_MAX) return
    const hint = `at most ${DATA_CLIENTS_MAX} of a group: a node has 16 databases`
    problems.add([...path, 'operation'], 'E_VALUE', 'too many clients work on data', hint)
  }
  return Object.entries(raw.workload?.clients ?? {}).map(([name, client]) => {
    const path = ['workload', 'clients', name]
    const group = client.group ?? onlyGroup(groups)
    if (group === undefined) {
      problems.add(path, 'E_MISSING', 'group is missing', 'there is more than one: name it')
    } else if (!groups.some((known) => known.name === group)) {
      problems.unknown([...path, 'group'], 'group', group, groups.map(nameOf))
    }
    countDataClients(client.operation, group, path)
    return {
      name,
      host: client.host ?? name,
      group: group ?? '',
      operation: client.operation ?? 'keys',
      pace: buildPace(client),
      manner: client.manner ?? 'prompt',
      wait: client.wait,
      hasProxy: client.proxy,
      halfCloses: client['half-closes'],
    }
  })
}

function buildLiars({ topology }: RawScenario, problems: Problems): LiarSpec[] {
  return Object.entries(topology.liars ?? {}).map(([name, liar]) => {
    const knowsPassword = liar['knows-password'] ?? false
    if (knowsPassword && topology.password === undefined) {
      const path = ['topology', 'liars', name, 'knows-password']
      problems.add(path, 'E_VALUE', 'there is no password to know', 'give the topology a password')
    }
    const { host = name, port = DEFAULT_SPEC.sentinelPort } = liar
    return { name, host, port, knowsPassword }
  })
}

type RawClients = NonNullable<NonNullable<RawScenario['workload']>['clients']>

function buildPace({ rate, think, pipeline = 1 }: RawClients[string]): Pace {
  if (think !== undefined) return { kind: 'think', ms: think }
  return { kind: 'rate', perSecond: rate ?? DEFAULT_SPEC.ratePerSecond, pipeline }
}

function nameOf(spec: { readonly name: string }): string {
  return spec.name
}

/** Programs of one kind on one host listen on neighbouring ports. */
class PortCounter {
  readonly #first: number
  readonly #used = new Map<string, number>()

  constructor(first: number) {
    this.#first = first
  }

  next(host: string): number {
    const used = this.#used.get(host) ?? 0
    this.#used.set(host, used + 1)
    return this.#first + used
  }
}
