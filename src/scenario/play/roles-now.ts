/** Which process has a role at this moment of a run, as far as it can be seen from outside. */
import { unreachable } from '../../base/assert.ts'
import { type Action, namesIn, renamed } from '../../history/action.ts'
import type { Happening, HeardEvent } from '../../history/happening.ts'
import type { Topology } from '../../history/topology.ts'
import { withNames } from '../../history/trace.ts'
import { isRole, type RoleName } from '../language/roles.ts'
import { ClusterView, changesOf } from '../verdict/cluster-view.ts'
import { isMoment } from '../verdict/moment-claims.ts'
import type { World } from '../world.ts'

export interface RoleContext {
  readonly world: World
  readonly topology: Topology
  readonly group: string
  readonly witness: string | undefined
}

export type Resolved =
  | { readonly ok: true; readonly action: Action }
  /** `finding` says which role no process has, or why a role cannot be used like that. */
  | { readonly ok: false; readonly finding: string }

/** The same action with names for its roles. */
export function resolveRoles(action: Action, scene: RoleContext): Resolved {
  const holders = new Map<string, string>()
  for (const role of namesIn(action).filter(isRole)) {
    const holder = holderOf(role, scene)
    if (holder === undefined) return { ok: false, finding: MISSING[role] }
    holders.set(role, holder)
  }
  if (holders.size === 0) return { ok: true, action }
  const process = (name: string): string => holders.get(name) ?? name
  const host = (name: string): string => {
    const holder = holders.get(name)
    return holder === undefined ? name : hostOf(holder, scene.topology)
  }
  return checked(renamed(action, { process, host }), scene)
}

/** Checks what could not be checked before roles had names. */
function checked(action: Action, { topology }: RoleContext): Resolved {
  if (action.kind === 'command' && topology.clients.some(({ name }) => name === action.process)) {
    return { ok: false, finding: `${action.process} is a client, and takes no commands` }
  }
  const isWay = action.kind === 'cut' || action.kind === 'hold'
  if (isWay && action.from === action.to) {
    return { ok: false, finding: `both ends of the way are ${action.from}` }
  }
  if (action.kind !== 'partition') return { ok: true, action }
  const hosts = action.groups.flat()
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index)
  if (twice === undefined) return { ok: true, action }
  return { ok: false, finding: `host ${twice} would stand on two sides of the partition` }
}

const MISSING: Readonly<Record<RoleName, string>> = {
  'the-master': 'the-master: no running Sentinel names one, and no single node says that it is one',
  'the-leader': 'the-leader: no Sentinel has been elected so far',
  'the-promoted': 'the-promoted: no replica has been selected so far',
  'the-witness': 'the-witness: nobody in particular made the condition true',
}

function holderOf(role: RoleName, scene: RoleContext): string | undefined {
  switch (role) {
    case 'the-master':
      return masterOf(scene)
    case 'the-leader':
      return leaderOf(scene)
    case 'the-promoted':
      return promotedOf(scene)
    case 'the-witness':
      return scene.witness
    default:
      return unreachable(role)
  }
}

/** The node that most running Sentinels name, or else the only node that calls itself a master. */
function masterOf({ world, topology, group }: RoleContext): string | undefined {
  const view = new ClusterView((address) => world.nameOf(address))
  const course = { happenings: world.happenings(), writes: [] }
  for (const change of changesOf(course)) view.apply(change)
  const nodes = topology.nodes.filter((node) => node.group === group).map(({ name }) => name)
  const running = topology.sentinels.filter(({ name }) => view.isRunning(name))
  const named = running.flatMap(({ name }) => view.masterAccordingTo(name, group) ?? [])
  const votes = nodes.map((node) => named.filter((name) => name === node).length)
  const most = Math.max(...votes)
  const leading = nodes.filter((_node, index) => votes[index] === most)
  if (most > 0 && leading.length === 1) return leading[0]
  const masters = nodes.filter((node) => view.role(node)?.kind === 'master')
  return masters.length === 1 ? masters[0] : undefined
}

function leaderOf({ world, group }: RoleContext): string | undefined {
  const claim = { kind: 'leader', group, at: undefined } as const
  const nameOf: World['nameOf'] = (address) => world.nameOf(address)
  const elected = world.happenings().findLast((happening) => isMoment(claim, happening, nameOf))
  return elected?.process
}

const SELECTION: ReadonlySet<HeardEvent> = new Set(['+selected-slave', '+promoted-slave'])

/** The replica a leader chose last, from the moment of its choice on. */
function promotedOf({ world, topology, group }: RoleContext): string | undefined {
  const isChoice = (happening: Happening) =>
    happening.kind === 'event' &&
    SELECTION.has(happening.name) &&
    happening.payload.includes(` @ ${group} `)
  const choice = world.happenings().findLast(isChoice)
  if (choice?.kind !== 'event') return undefined
  const name = withNames(choice.payload, (address) => world.nameOf(address)).split(' ')[1]
  return topology.nodes.find((node) => node.name === name)?.name
}

function hostOf(process: string, { nodes, sentinels, clients }: Topology): string {
  const spec = [...nodes, ...sentinels, ...clients].find(({ name }) => name === process)
  return spec?.host ?? process
}
