/** Makes a plan whole again after somebody was taken out of it: nobody is left who speaks of the missing. */
import { unreachable } from '../base/assert.ts'
import { endOf, type Fault } from './fault.ts'
import {
  type Demand,
  hostsOf,
  type Plan,
  type PlannedGroup,
  type PlannedNode,
  type PlannedTopology,
  residentsOf,
} from './plan.ts'

export function prune(plan: Plan): Plan {
  const groups = plan.topology.groups
  const hasGroup = (one: { readonly group: string }): boolean =>
    groups.some(({ name }) => name === one.group)
  const nodes = plan.topology.nodes.filter(hasGroup)
  const clients = plan.clients.filter(hasGroup)
  const bare: PlannedTopology = {
    ...plan.topology,
    groups: groups.map((group) => clipQuorum(group, plan.topology.sentinels.length)),
    nodes: nodes.map((node) => ({ ...node, replicaOf: parentOf(node, nodes, groups) })),
  }
  const hosts = hostsOf({ topology: bare, clients })
  const topology = { ...bare, zones: pruneZones(bare, hosts) }
  const cast = { ...plan, topology, clients }
  const faults = plan.faults.flatMap((fault) => restrict(fault, cast, hosts) ?? [])
  return {
    ...cast,
    faults,
    // Nothing is broken any more when calm is asked for.
    calmMs: Math.max(plan.calmMs, ...faults.map(endOf)),
    demands: plan.demands.filter((demand) => isAboutSomebody(demand, cast)),
  }
}

function clipQuorum(group: PlannedGroup, sentinels: number): PlannedGroup {
  return { ...group, quorum: Math.max(1, Math.min(group.quorum, sentinels)) }
}

/** Whoever followed somebody who is gone follows the master. */
function parentOf(
  node: PlannedNode,
  nodes: readonly PlannedNode[],
  groups: readonly PlannedGroup[],
): string | undefined {
  if (node.replicaOf === undefined || nodes.some(({ name }) => name === node.replicaOf)) {
    return node.replicaOf
  }
  return groups.find(({ name }) => name === node.group)?.master
}

function pruneZones(
  { zones }: PlannedTopology,
  hosts: readonly string[],
): PlannedTopology['zones'] {
  const left = zones.flatMap((zone) => {
    const members = zone.hosts.filter((host) => hosts.includes(host))
    return members.length === 0 ? [] : [{ ...zone, hosts: members }]
  })
  return left.length < 2 ? [] : left
}

/** The fault as far as it still hits somebody; undefined: it does not. */
function restrict(fault: Fault, plan: Plan, hosts: readonly string[]): Fault | undefined {
  const { nodes, sentinels } = plan.topology
  const names = [...nodes, ...sentinels].map(({ name }) => name)
  switch (fault.kind) {
    case 'death':
    case 'pause':
    case 'stall': {
      const processes = fault.processes.filter((name) => names.includes(name))
      return processes.length === 0 ? undefined : { ...fault, processes }
    }
    case 'powerLoss': {
      const hit = fault.hosts.filter((host) => hosts.includes(host))
      const residents = residentsOf(plan, hit)
      return hit.length === 0 ? undefined : { ...fault, hosts: hit, residents }
    }
    case 'readdress':
      return hosts.includes(fault.host) ? fault : undefined
    case 'partition': {
      const groups = fault.groups.flatMap((side) => {
        const left = side.filter((host) => hosts.includes(host))
        return left.length === 0 ? [] : [left]
      })
      const isWhole = groups.length === 0 || groups[0]?.length === hosts.length
      return isWhole ? undefined : { ...fault, groups }
    }
    case 'cut':
    case 'deaf':
    case 'hold':
      return hosts.includes(fault.from) && hosts.includes(fault.to) ? fault : undefined
    case 'shape':
      return fault.between?.every((host) => hosts.includes(host)) === false ? undefined : fault
    case 'lull': {
      const inside = fault.inside.flatMap((one) => restrict(one, plan, hosts) ?? [])
      const ways = fault.ways.filter(({ between }) => between.every((host) => hosts.includes(host)))
      return inside.length === 0 ? undefined : { ...fault, ways, inside }
    }
    case 'reset': {
      const ends = fault.peer === undefined ? [fault.host] : [fault.host, fault.peer]
      return ends.every((host) => hosts.includes(host)) ? fault : undefined
    }
    case 'join':
    case 'clockJump':
    case 'clockDrift':
    case 'diskFailure':
    case 'command':
      return names.includes(fault.process) && joinsIfItMust(fault, plan) ? fault : undefined
    case 'failover': {
      const isThere = plan.topology.groups.some(({ name }) => name === fault.group)
      return names.includes(fault.sentinel) && isThere ? fault : undefined
    }
    default:
      return unreachable(fault)
  }
}

/** Nobody joins who has been there from the start. */
function joinsIfItMust(fault: Fault & { readonly process: string }, { topology }: Plan): boolean {
  if (fault.kind !== 'join') return true
  const late = [...topology.nodes, ...topology.sentinels].filter(({ joinsLater }) => joinsLater)
  return late.some(({ name }) => name === fault.process)
}

function isAboutSomebody(demand: Demand, { topology, clients }: Plan): boolean {
  if (demand.kind === 'settles' || demand.kind === 'never') return true
  if (demand.kind === 'writesWork') return clients.some(({ name }) => name === demand.client)
  return topology.groups.some(({ name }) => name === demand.group)
}
