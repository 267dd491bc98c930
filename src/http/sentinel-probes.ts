/**
 * Probes at a Sentinel: may this node be given writes, or reads? The answer is yes only if a majority of
 * the Sentinels has confirmed the same view just now (confirmed.ts). A probe must name the node: a
 * Sentinel that said "there is a master" to every line of a load balancer's backend would send writes to
 * all of them.
 */
import { type Address, hostAndPort } from '../base/ip.ts'
import { soundUtf8 } from '../base/utf8.ts'
import { isStrict } from '../core/failover/voters.ts'
import { sameAddress, shownHost } from '../core/names/names.ts'
import {
  commandLink,
  currentMaster,
  type DataInstance,
  dataInstancesOf,
  type Group,
  isOdown,
  isSdown,
  isTilted,
  type State,
  type Turn,
} from '../core/state.ts'
import { confirmationOf } from './confirmed.ts'
import {
  asksForMaster,
  badLag,
  badQuestion,
  no,
  type ProbeAnswer,
  parseLag,
  type RoleProbe,
  yes,
} from './probe.ts'
import { replicationFacts } from './replication-facts.ts'

export interface SentinelQuestion {
  readonly probe: RoleProbe
  /** Undefined: the only one. */
  readonly group: string | undefined
  readonly node: Address | { readonly fault: string } | undefined
  readonly lag: string | undefined
}

/** Undefined if the machine watches no such group. */
export function findGroup(state: State, name: string | undefined): Group | ProbeAnswer {
  const names = [...state.groups.keys()]
  if (name !== undefined) {
    const group = state.groups.get(name) ?? shownAs(state, name)
    return group ?? badQuestion(404, `no group is called ${name}${known(names)}`)
  }
  const [only] = state.groups.values()
  if (only !== undefined && names.length === 1) return only
  if (names.length === 0) return badQuestion(404, 'this Sentinel watches no group')
  return badQuestion(400, `name the group, as in ?group=NAME or /groups/NAME/...${known(names)}`)
}

/** A name that is no UTF-8 goes by what documents show of it: no address and no JSON can have it otherwise. */
function shownAs(state: State, name: string): Group | undefined {
  return [...state.groups.values()].find(({ config }) => soundUtf8(config.name) === name)
}

function known(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return names.length === 0 ? '' : `; it watches ${shown}${more}`
}

export function answerProbe(turn: Turn, question: SentinelQuestion): ProbeAnswer {
  const group = findGroup(turn.state, question.group)
  if ('status' in group) return group
  const { node, lag } = question
  if (node === undefined) return badQuestion(400, NO_NODE)
  if ('fault' in node) return badQuestion(400, node.fault)
  const lagMax = lag === undefined ? undefined : parseLag(lag)
  if (lag !== undefined && lagMax === undefined) return badLag(lag)
  const found = dataInstancesOf(group).find((one) => sameAddress(turn.state, one, node))
  const facts = { group: group.config.name, node: hostAndPort(node.host, node.port) }
  if (found === undefined) return no('this Sentinel knows no such node in the group', facts)
  const obstacle =
    viewFault(turn, group) ?? nodeFault(turn, found) ?? roleFault(turn, question, found, lagMax)
  const role = found === currentMaster(group) ? 'master' : 'replica'
  const answer = obstacle === undefined ? yes : no
  return answer(obstacle ?? `the node is a ${role}, and a majority confirms it`, { ...facts, role })
}

const NO_NODE =
  'name the node, as in ?node=10.0.0.1:6379, or let HAProxy name it with http-check send-state'

function viewFault(turn: Turn, group: Group): string | undefined {
  if (isTilted(turn.state)) return 'this Sentinel is in TILT and does not trust its own view'
  const { by, of, isMajority } = confirmationOf(turn, group)
  return isMajority ? undefined : `only ${by} of ${of} Sentinels confirm this view at present`
}

function nodeFault({ now }: Turn, node: DataInstance): string | undefined {
  if (isSdown(node)) return 'the node is down'
  if (commandLink(node) === undefined || !node.link.wasOk)
    return 'there is no connection to the node'
  const silentMs = now.monoMs - node.link.lastOkAtMs
  const limitMs = Math.max(node.group.config.downAfterMs, SILENCE_MS)
  return silentMs > limitMs ? `the node has not answered for ${silentMs} ms` : undefined
}

/** PINGs are a second apart. */
const SILENCE_MS = 2_500

function roleFault(
  turn: Turn,
  { probe }: SentinelQuestion,
  node: DataInstance,
  lagMax: number | undefined,
): string | undefined {
  const { group } = node
  const isMaster = node === currentMaster(group)
  if (isMaster && probe !== 'replica') return masterFault(group, node)
  if (asksForMaster(probe)) {
    const { host, port } = currentMaster(group)
    return `the master is ${hostAndPort(shownHost(turn.state, host), port)}`
  }
  return isMaster ? 'the node is the master' : replicaFault(turn, node, lagMax)
}

function masterFault(group: Group, node: DataInstance): string | undefined {
  if (node === group.master && isOdown(group)) return 'the quorum holds the master for down'
  if (node.roleReported === 'slave' && node === group.master) return 'the node says it is a replica'
  if (node.kind !== 'master') return undefined
  if (node.gray !== undefined) return 'the node answers, but refuses writes'
  return node.emptiedAtMs === undefined ? undefined : 'the node has lost its data'
}

function replicaFault(
  turn: Turn,
  node: DataInstance,
  lagMax: number | undefined,
): string | undefined {
  if (node.kind !== 'replica') return 'the node is no replica'
  if (isStrict(node.group)) return 'replicas of a strict group answer no reads'
  if (node.infoAtMs === undefined) return 'the node has not answered INFO yet'
  if (node.roleReported !== 'slave') return 'the node does not say it is a replica'
  const { group } = node
  const followed = { host: node.masterHost, port: node.masterPort }
  if (!sameAddress(turn.state, followed, currentMaster(group))) return 'it follows another master'
  if (!node.masterLinkUp) return 'its link to the master is down'
  return lagMax === undefined ? undefined : lagFault(turn, node, lagMax)
}

function lagFault({ state }: Turn, node: DataInstance, lagMax: number): string | undefined {
  const { masterOffset, acknowledged } = replicationFacts(node.group.master.infoText)
  const offset = acknowledged.get(`${shownHost(state, node.host)}:${node.port}`)
  if (masterOffset === null || offset === undefined) return 'its lag is not known'
  const lag = Math.max(0, masterOffset - offset)
  return lag <= lagMax ? undefined : `it is ${lag} bytes behind, and ${lagMax} are allowed`
}

/** /health, /liveness and /readiness of a Sentinel. */
export function sentinelReadiness(state: State): ProbeAnswer {
  if (state.stopping) return no('the Sentinel is stopping')
  if (!state.canSave) return no('its state cannot be saved, so it gives no vote')
  if (isTilted(state)) return no('it is in TILT: it watches and decides nothing')
  return yes('the Sentinel watches and may decide', { groups: state.groups.size })
}
