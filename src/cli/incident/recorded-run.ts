/** The records of Sentinels as a run, in the language of the laboratory: its reports tell it then. */
import { type Address, hostAndPort } from '../../base/ip.ts'
import type { ClockTie } from '../../blackbox/incident/common-time.ts'
import type { SentinelLife } from '../../blackbox/incident/life.ts'
import { incidentId } from '../../core/incident-id.ts'
import type { Group } from '../../core/state.ts'
import { groupIn } from '../../history/event-group.ts'
import type { Happening, NodeRole, Occurrence } from '../../history/happening.ts'
import {
  type GroupSpec,
  type NodeSpec,
  specOptionsOf,
  strictOptionsOf,
  type Topology,
} from '../../history/topology.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { shownText } from '../replay/words.ts'
import { heldNodes, remarkOnLoneliness, witnessOf } from './held-nodes.ts'

export interface RecordedRun {
  readonly file: ScenarioFile
  readonly history: RunHistory
  /** Common time, in wall-clock milliseconds, of the moment from which the history counts. */
  readonly zeroMs: number
  readonly nameOf: (myid: string) => string
  /** When a Sentinel said that a failover is over, and under which id. */
  readonly ended: readonly EndedFailover[]
  /** By group: the names of its nodes. */
  readonly nodesOf: ReadonlyMap<string, ReadonlySet<string>>
}

export interface EndedFailover {
  readonly atMs: number
  readonly group: string
  readonly id: string
}

type Ties = ReadonlyMap<SentinelLife, ClockTie>

export function recordedRun(lives: readonly SentinelLife[], ties: Ties): RecordedRun {
  const nameOf = namesOf(lives)
  const at = (life: SentinelLife, monoMs: number) => monoMs + (ties.get(life)?.offsetMs ?? 0)
  const zeroMs = Math.min(...lives.map((life) => at(life, life.startedAt.monoMs)))
  const happenings = lives.flatMap((life) => {
    const told = toldBy(life, nameOf(life.myid))
    return told.map(
      ({ monoMs, ...one }): Happening => ({ ...one, atMs: at(life, monoMs) - zeroMs }),
    )
  })
  happenings.sort((one, other) => one.atMs - other.atMs)
  const roles = withoutEchoedRoles(happenings.filter(({ kind }) => kind === 'role'))
  const file = fileOf(topologyOf(lives, nameOf))
  const recorded = new Set(lives.map(({ myid }) => nameOf(myid)))
  const unrecorded = file.topology.sentinels.filter(({ name }) => !recorded.has(name))
  const nodes = file.topology.nodes.map(({ name }) => name)
  const witnesses = lives.map((life) => {
    return witnessOf(life, nameOf(life.myid), (monoMs) => at(life, monoMs) - zeroMs)
  })
  const all = [
    ...nodes.map(runningAtFirst),
    ...unrecorded.map(({ name }): Happening => ({ atMs: 0, process: name, kind: 'unrecorded' })),
    ...heldNodes(witnesses, nodes, roles),
    ...witnesses.flatMap(remarkOnLoneliness),
    ...happenings.filter(({ kind }) => kind !== 'role'),
  ]
  all.sort((one, other) => one.atMs - other.atMs)
  const history: RunHistory = {
    happenings: all,
    ...{ writes: [], reads: [], questions: [], labels: new Map(), missing: new Map() },
    nameOf: ({ host, port }) => hostAndPort(host, port),
    endMs: Math.max(...lives.map((life) => at(life, life.lastMonoMs))) - zeroMs,
  }
  const ended = lives.flatMap((life) =>
    life.said.flatMap(({ monoMs, event }): EndedFailover[] => {
      const id = incidentId(event)
      if (id === undefined || event.group === undefined) return []
      const group = shownText(event.group.name)
      return [{ atMs: at(life, monoMs) - zeroMs, group, id: shownText(id) }]
    }),
  )
  ended.sort((one, other) => one.atMs - other.atMs)
  return { file, history, zeroMs, nameOf, ended, nodesOf: nodesOf(lives) }
}

function nodesOf(lives: readonly SentinelLife[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const node of lives.flatMap(({ state }) => [...state.groups.values()]).flatMap(nodeSpecs)) {
    const own = found.get(node.group) ?? new Set()
    found.set(node.group, own.add(node.name))
  }
  return found
}

/** The run without the nodes of other groups, and without what was said of those. */
export function aboutGroups(run: RecordedRun, names: ReadonlySet<string>): RecordedRun {
  const { topology } = run.file
  const own = new Set([...names].flatMap((name) => [...(run.nodesOf.get(name) ?? [])]))
  const nodes = topology.nodes.filter(({ name }) => own.has(name))
  const groups = topology.groups.filter(({ name }) => names.has(name))
  const others = new Set(topology.nodes.map(({ name }) => name).filter((name) => !own.has(name)))
  const happenings = run.history.happenings.filter((one) => {
    if (one.process !== undefined && others.has(one.process)) return false
    const group = one.kind === 'event' ? groupIn(one) : 'group' in one ? one.group : undefined
    return group === undefined || names.has(group)
  })
  const file = { ...run.file, topology: { ...topology, groups, nodes } }
  return { ...run, file, history: { ...run.history, happenings } }
}

/** A node counts as running until the Sentinels hold it down, for want of better knowledge. */
function runningAtFirst(process: string): Happening {
  return { atMs: 0, process, kind: 'status', status: 'running' }
}

/** The same run, with its times counted from a later moment of it. */
export function countedFrom(run: RecordedRun, fromMs: number): RecordedRun {
  const { happenings, endMs } = run.history
  const history = {
    ...run.history,
    happenings: happenings.map((one) => ({ ...one, atMs: one.atMs - fromMs })),
    endMs: endMs - fromMs,
  }
  const ended = run.ended.map((one) => ({ ...one, atMs: one.atMs - fromMs }))
  return { ...run, history, ended, zeroMs: run.zeroMs + fromMs }
}

/** So much is shown before an incident and behind it. */
const MARGIN_MS = 2_000

/**
 * A part of the run as a run of its own: it begins with what every process was then, and what happened before and
 * behind it is left out.
 */
export function partOf(run: RecordedRun, fromMs: number, untilMs: number): RecordedRun {
  const startMs = Math.max(0, Math.floor(fromMs - MARGIN_MS))
  const { happenings, endMs } = run.history
  const before = new Map<string, Happening>()
  for (const one of happenings) {
    if (one.atMs >= startMs) continue
    // What a process is stays so until the next word of it; what it said is over.
    if (one.kind !== 'event' && one.kind !== 'log' && one.kind !== 'said') {
      const group = 'group' in one ? one.group : ''
      const key = `${one.process} ${one.kind} ${group}`
      // The later word counts: a node that is down is so whatever it said of its role before.
      before.delete(key)
      before.set(key, { ...one, atMs: startMs })
    }
  }
  const lastMs = Math.min(endMs, Math.ceil(untilMs + MARGIN_MS))
  const inside = happenings.filter(({ atMs }) => atMs >= startMs && atMs <= lastMs)
  const part = { ...run.history, happenings: [...before.values(), ...inside], endMs: lastMs }
  return countedFrom({ ...run, history: part }, startMs)
}

type Told = { readonly monoMs: number; readonly process: string } & Occurrence

function toldBy(life: SentinelLife, process: string): Told[] {
  const { startedAt, lastMonoMs, myid } = life
  const hellos = [...life.state.groups.values()].map(
    (group): Told => ({
      ...{ monoMs: startedAt.monoMs, process, kind: 'hello', sentinelId: myid },
      ...{ group: shownText(group.config.name), configEpoch: 0, master: group.master },
    }),
  )
  return [
    { monoMs: startedAt.monoMs, process, kind: 'status', status: 'running' },
    ...hellos,
    ...viewsOf(life, process),
    ...life.said.map(({ monoMs, event, electorate }): Told => {
      const { name } = event
      const failover = name === '+try-failover' ? event.group?.failover : undefined
      const more = { ...(failover && { failover }), ...(electorate && { electorate }) }
      return { monoMs, process, kind: 'event', name, payload: shownText(event.payload), ...more }
    }),
    ...life.lines.map(({ monoMs, text }): Told => {
      return { monoMs, process, kind: 'log', level: 'notice', text: shownText(text) }
    }),
    ...life.roles.map(({ monoMs, address, role }): Told => {
      return { monoMs, process: address, kind: 'role', role }
    }),
    { monoMs: lastMonoMs, process, kind: 'unrecorded' },
  ]
}

/** Which master a Sentinel tells clients: the one that its first switch left, and then what each switch says. */
function viewsOf({ startedAt, said, state }: SentinelLife, process: string): Told[] {
  const first = new Map<string, Address>(
    [...state.groups.values()].map(({ config, master }) => [shownText(config.name), master]),
  )
  const switches = said.filter(({ event }) => event.name === '+switch-master')
  const told = switches.map(({ monoMs, event: { payload } }) => {
    const [group = '', ...places] = shownText(payload).split(' ')
    const [oldHost = '', oldPort, host = '', port] = places
    return {
      monoMs,
      group,
      old: { host: oldHost, port: Number(oldPort) },
      host,
      port: Number(port),
    }
  })
  for (const { group, old } of told.toReversed()) first.set(group, old)
  const begun = [...first].map(([group, master]): Told => {
    return { monoMs: startedAt.monoMs, process, kind: 'view', group, master }
  })
  const changed = told.map(({ monoMs, group, host, port }): Told => {
    return { monoMs, process, kind: 'view', group, master: { host, port } }
  })
  return [...begun, ...changed]
}

/** Each Sentinel hears of a role by itself: the first counts. */
function withoutEchoedRoles(happenings: readonly Happening[]): readonly Happening[] {
  const last = new Map<string, NodeRole>()
  return happenings.filter((one) => {
    if (one.kind !== 'role' || one.process === undefined) return true
    const isNew = JSON.stringify(last.get(one.process)) !== JSON.stringify(one.role)
    last.set(one.process, one.role)
    return isNew
  })
}

/** A Sentinel is called by the address that the others know, or by the beginning of its id. */
function namesOf(lives: readonly SentinelLife[]): (myid: string) => string {
  const names = new Map<string, string>()
  for (const { state } of lives) {
    for (const group of state.groups.values())
      for (const { runId, host, port } of group.peers.values())
        names.set(runId, hostAndPort(host, port))
  }
  return (myid) => names.get(myid) ?? myid.slice(0, 8)
}

function fileOf(topology: Topology): ScenarioFile {
  const nothing = { steps: [], expectations: [], durationMs: undefined }
  return { file: 'records', name: 'records', story: '', topology, ...nothing }
}

function topologyOf(lives: readonly SentinelLife[], nameOf: (myid: string) => string): Topology {
  const groups = lives.flatMap(({ state }) => [...state.groups.values()])
  const sentinels = new Set(lives.map(({ myid }) => nameOf(myid)))
  for (const { peers } of groups)
    for (const { runId } of peers.values()) sentinels.add(nameOf(runId))
  return {
    groups: [...new Map(groups.map((group) => [group.config.name, groupSpec(group)])).values()],
    nodes: [...new Map(groups.flatMap(nodeSpecs).map((node) => [node.name, node])).values()],
    sentinels: [...sentinels].map((name) => ({
      ...{ name, port: 0, joinsLater: false },
      host: name.replace(/:\d+$/, ''),
    })),
    ...{ clients: [], liars: [], password: undefined, ways: [], zones: new Map() },
    latency: { baseMs: 0, jitterMs: 0 },
  }
}

function groupSpec({ config, master }: Group): GroupSpec {
  return {
    ...specOptionsOf(config),
    ...strictOptionsOf(config),
    name: shownText(config.name),
    master: hostAndPort(master.host, master.port),
  }
}

function nodeSpecs({ config, master, replicas }: Group): NodeSpec[] {
  const of = hostAndPort(master.host, master.port)
  return [master, ...replicas.values()].map((node) => {
    const { host, port } = node
    const priority = node.kind === 'replica' ? String(node.priority) : '100'
    return {
      ...{ name: hostAndPort(host, port), host, port, group: shownText(config.name) },
      replicaOf: node.kind === 'replica' ? of : undefined,
      directives: new Map([['replica-priority', priority]]),
      joinsLater: false,
    }
  })
}
