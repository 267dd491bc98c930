/** Compares a claim about a state with the view of one moment. */
import { unreachable } from '../../base/assert.ts'
import type { NodeSpec, Topology } from '../../history/topology.ts'
import type { StateClaim } from '../scenario-file.ts'
import type { ClusterView } from './cluster-view.ts'

export interface ClaimFinding {
  readonly holds: boolean
  /** What is the case, in words. */
  readonly because: string
}

export type ClaimedMembers = Pick<Topology, 'nodes' | 'sentinels'>

export function examine(
  claim: StateClaim,
  view: ClusterView,
  members: ClaimedMembers,
): ClaimFinding {
  switch (claim.kind) {
    case 'master':
      return examineMaster(claim, view)
    case 'oneMaster':
      return examineOneMaster(claim.among, view)
    case 'replica':
      return examineReplica(claim, view, members)
    case 'role': {
      const role = view.role(claim.node)
      const because = role === undefined ? 'it is not running' : `it is a ${role.kind}`
      return { holds: role?.kind === claim.role, because }
    }
    case 'converged':
      return examineConvergence(claim.group, view, members)
    case 'refusesWrites': {
      const answer = view.lastAnswer(claim.node)
      const because = answer === undefined ? 'it was asked nothing' : `its last answer is ${answer}`
      return { holds: answer === claim.code, because }
    }
    default:
      return unreachable(claim)
  }
}

function examineMaster(claim: StateClaim & { kind: 'master' }, view: ClusterView): ClaimFinding {
  const { accordingTo, group, node, negated } = claim
  const running = accordingTo.filter((sentinel) => view.isRunning(sentinel))
  const named = running.map((sentinel) => view.masterAccordingTo(sentinel, group))
  const texts = running.map((sentinel, index) => `${sentinel} names ${named[index] ?? 'nobody'}`)
  const agreed = new Set(named).size === 1 ? named[0] : undefined
  const holds = agreed !== undefined && (agreed === node) !== negated
  return { holds, because: running.length === 0 ? 'no Sentinel runs' : texts.join(', ') }
}

function examineOneMaster(among: readonly string[], view: ClusterView): ClaimFinding {
  const masters = among.filter((node) => view.role(node)?.kind === 'master')
  const because = masters.length === 0 ? 'there is none' : `there are ${masters.join(' and ')}`
  return { holds: masters.length === 1, because }
}

function examineReplica(
  claim: StateClaim & { kind: 'replica' },
  view: ClusterView,
  { sentinels }: ClaimedMembers,
): ClaimFinding {
  const named = view.agreedMaster(sentinels.map(nameOf), claim.group)
  const master = claim.of ?? named
  const connected = view.connectedTo(claim.node)
  const holds = connected !== undefined && connected === master
  if (connected !== undefined) return { holds, because: `it is connected to ${connected}` }
  const role = view.role(claim.node)
  if (role === undefined) return { holds, because: 'it is not running' }
  return { holds, because: role.kind === 'master' ? 'it is a master' : 'its link is down' }
}

/** The first thing that is wrong gives the reason. */
function examineConvergence(
  group: string,
  view: ClusterView,
  members: ClaimedMembers,
): ClaimFinding {
  const because =
    disagreement(group, view, members) ??
    doubtsOf(group, view, members)[0] ??
    strayed(group, view, members)[0]
  return { holds: because === undefined, because: because ?? 'all agree' }
}

function disagreement(
  group: string,
  view: ClusterView,
  members: ClaimedMembers,
): string | undefined {
  const running = runningOf(members.sentinels, view)
  if (running.length === 0) return 'no Sentinel runs'
  const named = running.map((sentinel) => view.masterAccordingTo(sentinel, group) ?? 'nobody')
  const epochs = running.map((sentinel) => view.configEpoch(sentinel, group) ?? '?')
  if (new Set(named).size === 1 && new Set(epochs).size === 1) return undefined
  const texts = running.map((one, index) => `${one} names ${named[index]} (${epochs[index]})`)
  return texts.join(', ')
}

/** What speaks against the master that all Sentinels name. */
function doubtsOf(
  group: string,
  view: ClusterView,
  { sentinels }: ClaimedMembers,
): readonly string[] {
  const master = view.agreedMaster(sentinels.map(nameOf), group) ?? 'nobody'
  const role = view.role(master)
  return role?.kind === 'master'
    ? []
    : [`${master} is ${role === undefined ? 'down' : 'a replica'}`]
}

function strayed(group: string, view: ClusterView, members: ClaimedMembers): readonly string[] {
  const master = view.agreedMaster(members.sentinels.map(nameOf), group)
  const nodes = members.nodes.filter((node) => node.group === group && view.isRunning(node.name))
  const stray = nodes.filter((node) => node.name !== master && !leadsTo(master, node, nodes, view))
  return stray.map(({ name }) => `${name} is not connected to ${master}`)
}

/**
 * Whether a node follows the master, directly or, if it was put behind another replica, through
 * replicas.
 */
function leadsTo(
  master: string | undefined,
  { name, replicaOf }: NodeSpec,
  nodes: readonly NodeSpec[],
  view: ClusterView,
): boolean {
  const mayChain = nodes.find((node) => node.name === replicaOf)?.replicaOf !== undefined
  let next = view.connectedTo(name)
  for (let steps = 0; mayChain && steps < nodes.length && next !== master; steps++) {
    next = next === undefined ? undefined : view.connectedTo(next)
  }
  return next !== undefined && next === master
}

function runningOf(specs: readonly { readonly name: string }[], view: ClusterView): string[] {
  return specs.map(nameOf).filter((name) => view.isRunning(name))
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}
