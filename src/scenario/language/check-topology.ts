/** What a topology must satisfy beyond its shape. */
import type {
  ClientSpec,
  LiarSpec,
  NodeSpec,
  SentinelSpec,
  Topology,
} from '../../history/topology.ts'
import type { Problems } from './problems.ts'
import { isReserved } from './roles.ts'
import type { Path } from './source.ts'

export function checkTopology(topology: Topology, problems: Problems): void {
  checkMasters(topology, problems)
  checkNames(topology, problems)
  checkHosts(topology, problems)
  checkAddresses(topology, problems)
}

function checkMasters(topology: Topology, problems: Problems): void {
  for (const { name, master } of topology.groups) {
    const path = ['topology', 'groups', name, 'master']
    const node = topology.nodes.find((known) => known.name === master)
    if (node === undefined) {
      const names = topology.nodes.map((known) => known.name)
      problems.unknown(path, 'node', master, names)
    } else if (node.joinsLater) {
      const hint = 'the first master is there from the start'
      problems.add(path, 'E_VALUE', `${master} joins later`, hint)
    }
  }
}

function checkNames(topology: Topology, problems: Problems): void {
  const seen = new Set<string>()
  const check = (path: Path, name: string): void => {
    if (seen.has(name)) problems.add(path, 'E_DUPLICATE', `${name} is a name already`, '')
    checkFree(path, name, problems)
    seen.add(name)
  }
  for (const { name } of topology.nodes) check(['topology', 'nodes', name], name)
  for (const { name } of topology.sentinels) check(['topology', 'sentinels', name], name)
  for (const { name } of topology.clients) check(['workload', 'clients', name], name)
  for (const { name } of topology.liars) check(['topology', 'liars', name], name)
}

function checkHosts({ nodes, sentinels, clients, liars }: Topology, problems: Problems): void {
  const check = (
    path: Path,
    { name, host }: ClientSpec | LiarSpec | NodeSpec | SentinelSpec,
  ): void => {
    if (host !== name) checkFree([...path, name, 'host'], host, problems)
  }
  for (const node of nodes) check(['topology', 'nodes'], node)
  for (const sentinel of sentinels) check(['topology', 'sentinels'], sentinel)
  for (const client of clients) check(['workload', 'clients'], client)
  for (const liar of liars) check(['topology', 'liars'], liar)
}

function checkFree(path: Path, name: string, problems: Problems): void {
  if (!isReserved(name)) return
  const message = `${name} begins as roles do, such as the-master`
  problems.add(path, 'E_VALUE', message, 'take another name')
}

function checkAddresses({ nodes, sentinels, liars }: Topology, problems: Problems): void {
  const takenBy = new Map<string, string>()
  const check = (kind: string, { name, host, port }: LiarSpec | NodeSpec | SentinelSpec): void => {
    const path = ['topology', kind, name, 'port']
    const owner = takenBy.get(`${host} ${port}`)
    const message = `port ${port} of host ${host} is taken by ${owner}`
    if (owner !== undefined) problems.add(path, 'E_DUPLICATE', message, '')
    takenBy.set(`${host} ${port}`, name)
  }
  for (const node of nodes) check('nodes', node)
  for (const sentinel of sentinels) check('sentinels', sentinel)
  for (const liar of liars) {
    check('liars', liar)
    // A liar listens in many places, and begins with the ports of nodes.
    const neighbour = [...nodes, ...sentinels].find(({ host }) => host === liar.host)
    const path = ['topology', 'liars', liar.name, 'host']
    const hint = 'leave its host out'
    if (neighbour !== undefined)
      problems.add(path, 'E_VALUE', `${neighbour.name} lives there already`, hint)
  }
}
