/**
 * Whether the nodes of a group are one master and its connected replicas, all at the same offset.
 */

import type { NodeSpec } from '../../history/topology.ts'
import type { Reply } from '../../resp/reply.ts'
import type { World } from '../world.ts'

/** What a node answered to ROLE. */
export interface NodeState {
  readonly node: string
  readonly role: 'master' | 'replica' | 'unknown'
  /** For a replica: the name of the node it follows. */
  readonly follows: string | undefined
  readonly isLinkUp: boolean
  readonly offset: number | undefined
  /** The topology puts the node behind another replica. */
  readonly mayChain: boolean
}

/** `firstMaster` is the node with which the group begins. */
export async function readNodes(
  world: World,
  nodes: readonly NodeSpec[],
  firstMaster: string,
): Promise<readonly NodeState[]> {
  const states: NodeState[] = []
  for (const { name, replicaOf } of nodes) {
    const mayChain = replicaOf !== undefined && replicaOf !== firstMaster
    const reply = await world.ask(name, ['ROLE'])
    states.push(readRole({ node: name, mayChain }, reply, world))
  }
  return states
}

export interface Wanted {
  /** The master that the Sentinels name. */
  readonly master: string | undefined
  readonly isLoadStopped: boolean
}

/** The differences in words; empty: all is as it should be. */
export function nodeDifferences(
  group: string,
  states: readonly NodeState[],
  { master, isLoadStopped }: Wanted,
): readonly string[] {
  const head = states.find(({ node }) => node === master)
  if (head === undefined) return [`${group}: ${master}, whom the Sentinels name, does not run`]
  const misfits = states.flatMap((state) => {
    const misfit = state === head ? misfitOfMaster(state) : misfitOfReplica(state, states, head)
    return misfit === undefined ? [] : [`${group}: ${state.node} ${misfit}`]
  })
  if (misfits.length > 0 || !isLoadStopped) return misfits
  return states.flatMap(({ node, offset }) =>
    offset === head.offset
      ? []
      : [`${group}: ${node} is at offset ${offset}, its master at ${head.offset}`],
  )
}

function misfitOfMaster({ role }: NodeState): string | undefined {
  return role === 'master' ? undefined : `is named as master, and is ${describeRole(role)}`
}

function misfitOfReplica(
  state: NodeState,
  states: readonly NodeState[],
  head: NodeState,
): string | undefined {
  const { role, follows, isLinkUp } = state
  if (role !== 'replica') return `should be a replica, and is ${describeRole(role)}`
  if (!leadsTo(head, state, states)) return `is a replica of ${follows} instead of ${head.node}`
  return isLinkUp ? undefined : `is not connected to ${follows}`
}

/** Whether a node follows the head, directly or, if it may chain, through other replicas. */
function leadsTo(head: NodeState, state: NodeState, states: readonly NodeState[]): boolean {
  let current: NodeState | undefined = state
  for (let steps = 0; steps < states.length && current !== undefined; steps++) {
    if (current.follows === head.node) return true
    if (!current.mayChain && current === state) return false
    const next: string | undefined = current.follows
    current = states.find(({ node, role }) => node === next && role === 'replica')
  }
  return false
}

function describeRole(role: NodeState['role']): string {
  return role === 'unknown' ? 'silent' : `a ${role}`
}

function readRole(
  who: Pick<NodeState, 'node' | 'mayChain'>,
  reply: Reply | undefined,
  world: World,
): NodeState {
  const silent = { ...who, role: 'unknown', follows: undefined, isLinkUp: false } as const
  const unknown: NodeState = { ...silent, offset: undefined }
  if (reply?.kind !== 'array') return unknown
  const [role, first, port, link, offset] = reply.items
  if (textOf(role) === 'master') return { ...unknown, role: 'master', offset: numberOf(first) }
  if (textOf(role) !== 'slave') return unknown
  const follows = world.nameOf({ host: textOf(first), port: numberOf(port) ?? 0 })
  const isLinkUp = textOf(link) === 'connected'
  return { ...who, role: 'replica', follows, isLinkUp, offset: numberOf(offset) }
}

function textOf(reply: Reply | undefined): string {
  return reply?.kind === 'bulk' ? reply.bytes : ''
}

function numberOf(reply: Reply | undefined): number | undefined {
  return reply?.kind === 'integer' ? Number(reply.value) : undefined
}
