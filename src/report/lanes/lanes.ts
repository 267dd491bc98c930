/**
 * A run as lanes: one per process, with its state at every moment and what happened to it, in the
 * terms a reader thinks in. Texts, pictures and pages all draw this one model, so they all show the
 * same.
 */
import type { Happening } from '../../history/happening.ts'
import type { Write } from '../../history/writes.ts'
import { formatDuration } from '../../scenario/duration.ts'
import { Lifelines } from '../../scenario/facts/lifelines.ts'
import { outagesOf } from '../../scenario/facts/outages.ts'
import type { Outage } from '../../scenario/result.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { createNaming, type Naming } from '../names.ts'
import { statusMoment } from '../status.ts'
import type {
  Lane,
  LaneKind,
  LaneMark,
  LaneModel,
  LaneMoment,
  LaneRemark,
  RawLane,
  Single,
} from './lane-model.ts'
import type { LaneState } from './lane-state.ts'
import { nodeLane } from './node-lane.ts'
import { sentinelLane } from './sentinel-lane.ts'
import { SpanBuilder } from './spans.ts'

interface Member {
  readonly name: string
  readonly kind: LaneKind
  readonly host: string
}

export function createLanes(file: ScenarioFile, history: RunHistory): LaneModel {
  const naming = createNaming(history)
  const faults = marksOf(history.happenings, 'fault')
  const told = byProcess(history.happenings)
  const sources: Sources = { history, naming, lifelines: new Lifelines(history) }
  const lanes = membersOf(file).map((member): Lane => {
    const own = told.get(member.name) ?? []
    const { spans, moments } = courseOf(member, own, sources)
    const faultTimes = faults.map(({ atMs }) => atMs)
    const remarks = remarksIn(own, history.endMs)
    return { ...member, spans, remarks, moments: collapse(moments, faultTimes) }
  })
  return {
    lanes,
    faults,
    violations: violationsOf(history.happenings, naming),
    endMs: history.endMs,
  }
}

interface Sources {
  readonly history: RunHistory
  readonly naming: Naming
  readonly lifelines: Lifelines
}

function courseOf(member: Member, told: readonly Happening[], sources: Sources): RawLane {
  const { history, naming, lifelines } = sources
  const { endMs } = history
  if (member.kind === 'sentinel') return sentinelLane(told, naming, endMs)
  const writes = history.writes.filter(
    (write) => (member.kind === 'node' ? write.node : write.client) === member.name,
  )
  if (member.kind === 'node') return nodeLane(told, writes, history)
  return clientLane(told, writes, clientOutages(writes, lifelines, endMs), endMs)
}

/** By host; on one host nodes before Sentinels before clients. */
function membersOf(file: ScenarioFile): Member[] {
  const { nodes, sentinels, clients } = file.topology
  const members: Member[] = [
    ...nodes.map(({ name, host }) => ({ name, kind: 'node' as const, host })),
    ...sentinels.map(({ name, host }) => ({ name, kind: 'sentinel' as const, host })),
    ...clients.map(({ name, host }) => ({ name, kind: 'client' as const, host })),
  ]
  const hosts = [...new Set(members.map(({ host }) => host))]
  return hosts.flatMap((host) => members.filter((member) => member.host === host))
}

function byProcess(happenings: readonly Happening[]): ReadonlyMap<string, readonly Happening[]> {
  const told = new Map<string, Happening[]>()
  for (const happening of happenings) {
    const { process } = happening
    if (process === undefined) continue
    const known = told.get(process)
    if (known === undefined) told.set(process, [happening])
    else known.push(happening)
  }
  return told
}

/** Each lasts until the next one. */
function remarksIn(told: readonly Happening[], endMs: number): readonly LaneRemark[] {
  const said = told.filter((one) => one.kind === 'remark')
  return said.flatMap(({ atMs: fromMs, text }, at) => {
    const untilMs = said[at + 1]?.atMs ?? endMs
    return text === undefined || untilMs <= fromMs ? [] : [{ fromMs, untilMs, text }]
  })
}

function marksOf(happenings: readonly Happening[], kind: 'fault'): readonly LaneMark[] {
  return happenings.flatMap((one) =>
    one.kind === kind ? [{ atMs: one.atMs, text: one.text }] : [],
  )
}

function violationsOf(happenings: readonly Happening[], naming: Naming): LaneModel['violations'] {
  return happenings.flatMap((one) => {
    if (one.kind !== 'violation') return []
    const text = `${one.checker}: ${naming.text(one.text)}`
    return [{ atMs: one.atMs, process: one.process, text }]
  })
}

/**
 * Repetition is shown once. What a process says again and again, alone or alternating with one other
 * thing (down, up, down, up), becomes one moment with a count. Nothing is combined across a fault,
 * because after it the same words mean something else.
 */
export function collapse(moments: readonly Single[], faultTimes: readonly number[]): LaneMoment[] {
  const told: LaneMoment[] = []
  let nextFault = 0
  let firstAfterFault = 0
  for (const moment of moments) {
    while ((faultTimes[nextFault] ?? Number.POSITIVE_INFINITY) <= moment.atMs) {
      nextFault++
      firstAfterFault = told.length
    }
    const place = placeOfSame(told, firstAfterFault, moment)
    const same = place === undefined ? undefined : told[place]
    if (place === undefined || same === undefined) {
      told.push({ ...moment, count: 1, untilMs: moment.atMs })
    } else {
      told[place] = { ...same, count: same.count + 1, untilMs: moment.atMs }
    }
  }
  return told
}

/** The index in the list at which the same moment stands already; undefined if it is new. */
function placeOfSame(
  told: readonly LaneMoment[],
  first: number,
  { text }: Single,
): number | undefined {
  const last = told.length - 1
  if (last >= first && told[last]?.text === text) return last
  const before = told[last - 1]
  if (last - 1 < first || before?.text !== text) return undefined
  // A pair occurs twice before it counts as a repetition.
  const isHabit = before.count > 1 || (last - 3 >= first && isPair(told, last - 3, last - 1))
  return isHabit ? last - 1 : undefined
}

function isPair(told: readonly LaneMoment[], first: number, second: number): boolean {
  return (
    told[first]?.text === told[second]?.text && told[first + 1]?.text === told[second + 1]?.text
  )
}

/** A client: which node acknowledges its writes, and when none does. */
interface Change {
  readonly atMs: number
  /** Undefined for the state before it was paused. */
  readonly state: LaneState | undefined
  /** Undefined if the previous moment says enough. */
  readonly moment: Single | undefined
}

function clientLane(
  told: readonly Happening[],
  writes: readonly Write[],
  outages: readonly ClientOutage[],
  endMs: number,
): RawLane {
  const changes = [...statusChanges(told), ...servedChanges(writes, outages)]
  changes.push(...outages.map(outageChange))
  changes.sort((a, b) => a.atMs - b.atMs)
  const spans = new SpanBuilder({ kind: 'down' })
  let awake: LaneState = { kind: 'starting' }
  for (const { atMs, state } of changes) {
    if (state?.kind === 'down') awake = { kind: 'starting' }
    else if (state !== undefined && state.kind !== 'paused') awake = state
    spans.enter(atMs, state ?? awake)
  }
  const moments = changes.flatMap(({ moment }) => (moment === undefined ? [] : [moment]))
  return { spans: spans.finish(endMs), moments }
}

function statusChanges(told: readonly Happening[]): Change[] {
  let before: LaneState = { kind: 'down' }
  return told.flatMap((happening): Change[] => {
    if (happening.kind !== 'status') return []
    const { atMs, status } = happening
    const [moment] = statusMoment(happening, before)
    before = status === 'running' ? { kind: 'starting' } : { kind: status }
    return [{ atMs, state: status === 'running' ? undefined : before, moment }]
  })
}

/** It begins with the last acknowledgement, which is known only in hindsight. */
function outageChange({ fromMs, untilMs, code, isOver }: ClientOutage): Change {
  const length = formatDuration(untilMs - fromMs)
  const text = isOver
    ? `no write acknowledged for ${length}${code === undefined ? '' : `, but ${code}`}`
    : `no write acknowledged any more${code === undefined ? '' : `, but ${code}`}`
  const labels: [string, ...string[]] = isOver ? [`silence ${length}`, 'silence'] : ['silence']
  const moment: Single = { atMs: fromMs, topic: 'state', labels, text, isKey: true }
  return { atMs: fromMs, state: { kind: 'waiting', code }, moment }
}

/** Another node than before, or the same one after an outage. */
function servedChanges(writes: readonly Write[], outages: readonly ClientOutage[]): Change[] {
  const acknowledged = writes.flatMap(({ node, outcome }) =>
    outcome.kind === 'acknowledged' ? [{ node, atMs: outcome.atMs }] : [],
  )
  acknowledged.sort((a, b) => a.atMs - b.atMs)
  const ends = new Set(outages.map(({ untilMs }) => untilMs))
  let served: string | undefined
  return acknowledged.flatMap((one): Change[] => {
    const { atMs, node } = one
    const isNews = served !== node || ends.delete(atMs)
    served = node
    if (!isNews) return []
    const text = `${node} acknowledges its writes`
    const labels: [string, ...string[]] = [`served by ${node}`, `by ${node}`]
    const moment: Single = { atMs, topic: 'state', labels, text, isKey: true }
    return [{ atMs, state: { kind: 'served', by: node }, moment }]
  })
}

/** A client's outages, as the facts of the run count them, with the errors it got meanwhile. */
interface ClientOutage extends Outage {
  /** The error it got most often; undefined if it got none. */
  readonly code: string | undefined
  /** Whether an acknowledgement came in the end. */
  readonly isOver: boolean
}

/** `writes` are those of one client. */
function clientOutages(
  writes: readonly Write[],
  lifelines: Lifelines,
  endMs: number,
): readonly ClientOutage[] {
  return outagesOf(writes, lifelines, endMs).map((outage) => {
    const isOver = writes.some(
      ({ outcome }) => outcome.kind === 'acknowledged' && outcome.atMs === outage.untilMs,
    )
    return { ...outage, code: usualError(writes, outage), isOver }
  })
}

function usualError(writes: readonly Write[], { fromMs, untilMs }: Outage): string | undefined {
  const counts = new Map<string, number>()
  for (const { outcome } of writes) {
    if (outcome.kind !== 'refused' || outcome.atMs < fromMs || outcome.atMs > untilMs) continue
    const code = outcome.text.split(' ')[0] ?? ''
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
