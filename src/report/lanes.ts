/**
 * A run as lanes: one per process, with what it was at every moment and what happened to it, in the
 * terms a reader thinks in. Texts, pictures and pages all draw this one model, so what stands in one
 * of them stands in all.
 */

import { Lifelines } from '../scenario/facts/lifelines.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'
import type { Happening } from '../sim/happening.ts'
import { clientLane } from './client-lane.ts'
import { collapse } from './collapse.ts'
import type { Course, Lane, LaneKind, LaneModel, Mark } from './lane-model.ts'
import { createNaming, type Naming } from './names.ts'
import { nodeLane } from './node-lane.ts'
import { clientOutages } from './outages.ts'
import { sentinelLane } from './sentinel-lane.ts'

interface Member {
  readonly name: string
  readonly kind: LaneKind
  readonly host: string
  readonly group: string | undefined
}

export function createLanes(file: ScenarioFile, history: History): LaneModel {
  const naming = createNaming(history)
  const faults = marksOf(history.happenings, 'fault')
  const told = byProcess(history.happenings)
  const sources: Sources = { history, naming, lifelines: new Lifelines(history) }
  const lanes = membersOf(file).map((member): Lane => {
    const { spans, moments } = courseOf(member, told.get(member.name) ?? [], sources)
    const faultTimes = faults.map(({ atMs }) => atMs)
    return { ...member, spans, moments: collapse(moments, faultTimes) }
  })
  return {
    lanes,
    faults,
    violations: violationsOf(history.happenings, naming),
    endMs: history.endMs,
  }
}

interface Sources {
  readonly history: History
  readonly naming: Naming
  readonly lifelines: Lifelines
}

function courseOf(member: Member, told: readonly Happening[], sources: Sources): Course {
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
    ...nodes.map(({ name, host, group }) => ({ name, kind: 'node' as const, host, group })),
    ...sentinels.map(({ name, host }) => ({
      ...{ name, kind: 'sentinel' as const, host },
      group: undefined,
    })),
    ...clients.map(({ name, host, group }) => ({ name, kind: 'client' as const, host, group })),
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

function marksOf(happenings: readonly Happening[], kind: 'fault'): readonly Mark[] {
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
