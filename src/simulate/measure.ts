/**
 * What a history did to the cluster, group by group: the numbers that everything else is computed
 * from.
 */

import { type EventName, type Happening, isAbort } from '../history/happening.ts'
import type { GroupFacts } from '../scenario/result.ts'
import type { Played } from '../scenario/run.ts'
import type { RunHistory } from '../scenario/world.ts'
import {
  type ClusterGroup,
  type ClusterNode,
  keepsAppendOnly,
  masterOf,
  type SimulatedCluster,
} from './cluster.ts'
import { distributionOf } from './distribution.ts'
import { GroundTruth, type TruthSpan } from './ground-truth.ts'
import type { IncidentKind } from './incident.ts'
import type { IncidentEffect } from './incident-effects.ts'
import type { Staged } from './stage.ts'

/** Plain data: it comes from a worker. */
export interface MeasuredHistory {
  readonly seed: string
  readonly kind: IncidentKind
  readonly story: string
  /** In the order of the cluster's groups. */
  readonly groups: readonly GroupMeasured[]
  /** Rules of the protocol that were broken: that happens only if Vedette has a mistake. */
  readonly violations: readonly string[]
}

export interface GroupMeasured {
  readonly group: string
  /** From the loss of the master to the first Sentinel that noticed; undefined if none did. */
  readonly sdownMs: number | undefined
  /** The same, to the agreement of the quorum. */
  readonly odownMs: number | undefined
  /** The longest outage of a client that was not cut off itself; undefined if all of them were. */
  readonly outageMs: number | undefined
  /** Undefined if at the end there was no master to ask. */
  readonly lost: Lost | undefined
  /** The total time in which two nodes acknowledged writes. */
  readonly twoMastersMs: number
  readonly failovers: number
  /** How many of them replaced a master that was usable, or would have been within a second. */
  readonly needless: number
  readonly outcome: IncidentOutcome
  /** How many Sentinels were able to act when the failover should have come. */
  readonly ableSentinels: number | undefined
  /** For an impossible failover: what was missing. */
  readonly lacking: 'majority' | 'replica' | undefined
  /** The longest time in which the first master was unusable. */
  readonly unusableMs: number
  /** Writes refused for lack of replicas or voters. */
  readonly refused: number
  /** Of the acknowledged writes; undefined if there was none. */
  readonly latencyMs: WriteLatency | undefined
  /** Failovers that were begun and given up. */
  readonly abandoned: number
}

export interface Lost {
  readonly asynchronous: number
  readonly splitBrain: number
  readonly emptyRestart: number
}

/** From the attempt to the answer. */
export interface WriteLatency {
  readonly median: number
  readonly p99: number
}

export type IncidentOutcome =
  | 'unneeded'
  | 'came'
  /** The master was lost for long, a majority and a replica were there, and no failover came. */
  | 'missing'
  /** The master was lost for good, and with it the majority or the last replica. */
  | 'impossible'

/** After a down-after: more than an unhindered failover needs. */
const PATIENCE_MS = 12_000
/** A master that would have recovered within this time was not worth a failover. */
const SOON_MS = 1_000
/** By then all processes have met: what a cluster does while it starts says nothing about its latency. */
const SETTLED_MS = 5_000
/** A Sentinel notices the end of a fault a little later. */
const NOTICE_MS = 1_000

export function measure(
  cluster: SimulatedCluster,
  staged: Staged,
  { result, history }: Played,
): MeasuredHistory {
  const { incident, story, effects } = staged
  const truth = new GroundTruth(cluster, effects, history.endMs)
  return {
    seed: incident.seed,
    kind: incident.kind,
    story,
    groups: cluster.groups.flatMap((group) => {
      const facts = result.facts.groups.find((each) => each.group === group.name)
      return facts === undefined
        ? []
        : [measureGroup(group, facts, { cluster, truth, effects, history })]
    }),
    violations: result.violations.map(({ checker, text }) => `${checker}: ${text}`),
  }
}

interface Run {
  readonly cluster: SimulatedCluster
  readonly truth: GroundTruth
  readonly effects: readonly IncidentEffect[]
  readonly history: RunHistory
}

function measureGroup(group: ClusterGroup, facts: GroupFacts, run: Run): GroupMeasured {
  const { truth, history } = run
  const master = masterOf(group)
  const failovers = failoversOf(group, history)
  const spans = truth.unusableSpans(master)
  const missed = missedSpan(group, master, failovers, truth)
  const hopeless = hopelessSpan(group, master, failovers, truth)
  const stuck = missed !== undefined ? 'missing' : hopeless && 'impossible'
  return {
    group: group.name,
    sdownMs: detectionMs('+sdown', group, spans, history),
    odownMs: detectionMs('+odown', group, spans, history),
    outageMs: outageOf(group, facts, run),
    lost: facts.lost && lostOf(facts.lost),
    twoMastersMs: facts.dualWritesTotalMs,
    failovers: failovers.length,
    needless: failovers.filter((failover) => isNeedless(failover, group, run)).length,
    outcome: stuck ?? (failovers.length > 0 ? 'came' : 'unneeded'),
    ableSentinels: missed && truth.able(group, master, missed.fromMs)?.sentinels,
    lacking: hopeless && (truth.hasMajority(hopeless.fromMs) ? 'replica' : 'majority'),
    unusableMs: Math.max(0, ...spans.map(({ fromMs, untilMs }) => untilMs - fromMs)),
    refused: refusedFor(facts.writes.refused),
    latencyMs: latencyOf(group, history),
    abandoned: history.happenings.filter((happening) => isAbandoning(happening, group)).length,
  }
}

function refusedFor({ NOREPLICAS = 0, NOSYNCREPLICAS = 0 }: Readonly<Record<string, number>>) {
  return NOREPLICAS + NOSYNCREPLICAS
}

function latencyOf({ name }: ClusterGroup, { writes }: RunHistory): WriteLatency | undefined {
  const samples = writes.flatMap(({ group, attemptedAtMs, outcome }) => {
    if (group !== name || attemptedAtMs < SETTLED_MS || outcome.kind !== 'acknowledged') return []
    return [{ value: outcome.atMs - attemptedAtMs, seed: '' }]
  })
  const spread = distributionOf(samples)
  return spread && { median: spread.median, p99: spread.p99 }
}

interface Failover {
  readonly atMs: number
  /** Name of the node that was master before. */
  readonly from: string
}

/**
 * Each config epoch is a failover that reached its promotion, unless it names the same master: in a
 * strict group that is the first term, or one in which the old master goes on.
 */
function failoversOf(group: ClusterGroup, { happenings, nameOf }: RunHistory): readonly Failover[] {
  const failovers: Failover[] = []
  const epochs = new Set<number>()
  let master = group.nodes[0]?.name ?? ''
  for (const happening of happenings) {
    if (happening.kind !== 'hello' || happening.group !== group.name) continue
    const { configEpoch, atMs } = happening
    if (configEpoch === 0 || epochs.has(configEpoch)) continue
    epochs.add(configEpoch)
    const next = nameOf(happening.master)
    if (next !== master) failovers.push({ atMs, from: master })
    master = next
  }
  return failovers
}

function isNeedless({ atMs, from }: Failover, group: ClusterGroup, run: Run): boolean {
  const node = group.nodes.find(({ name }) => name === from)
  if (node === undefined) return false
  if (hasForgotten(node, atMs, run.effects)) return false
  return run.truth.isEverUsable(node, { fromMs: atMs, untilMs: atMs + SOON_MS })
}

/** It was restarted then, with its last save or nothing: its replicas know more. */
function hasForgotten(
  node: ClusterNode,
  atMs: number,
  effects: readonly IncidentEffect[],
): boolean {
  if (keepsAppendOnly(node)) return false
  return effects.some(
    (effect) =>
      effect.kind === 'down' &&
      effect.isRestart === true &&
      effect.fromMs <= atMs &&
      effect.processes.includes(node.name),
  )
}

/** The time in which a failover should have come, and did not. */
function missedSpan(
  group: ClusterGroup,
  master: ClusterNode,
  failovers: readonly Failover[],
  truth: GroundTruth,
): TruthSpan | undefined {
  return truth
    .replaceableSpans(group, master)
    .find((span) => isLong(span, group) && !failovers.some(({ atMs }) => atMs <= span.untilMs))
}

/**
 * The time in which no process was left that could have replaced the master, which was lost for
 * long.
 */
function hopelessSpan(
  group: ClusterGroup,
  master: ClusterNode,
  failovers: readonly Failover[],
  truth: GroundTruth,
): TruthSpan | undefined {
  if (failovers.length > 0) return undefined
  return truth.hopelessSpans(group, master).find((span) => isLong(span, group))
}

function isLong({ fromMs, untilMs }: TruthSpan, { downAfterMs }: ClusterGroup): boolean {
  return untilMs - fromMs >= downAfterMs + PATIENCE_MS
}

/** From the loss of the first master to the first event about it. */
function detectionMs(
  name: EventName,
  group: ClusterGroup,
  spans: readonly TruthSpan[],
  { happenings }: RunHistory,
): number | undefined {
  const about = `master ${group.name} `
  for (const happening of happenings) {
    if (happening.kind !== 'event' || happening.name !== name) continue
    if (!happening.payload.startsWith(about)) continue
    const { atMs } = happening
    const span = spans.findLast(({ fromMs }) => fromMs <= atMs)
    if (span !== undefined && atMs <= span.untilMs + NOTICE_MS) return atMs - span.fromMs
  }
  return undefined
}

function outageOf(group: ClusterGroup, facts: GroupFacts, { cluster, truth }: Run) {
  const cutOff = truth.cutOffBoxes()
  const clients = cluster.clients.filter((client) => client.group === group.name)
  const names = clients.filter(({ host }) => !cutOff.has(host)).map(({ name }) => name)
  if (names.length === 0) return undefined
  const outages = facts.outages.filter(({ client }) => names.includes(client))
  return Math.max(0, ...outages.map(({ fromMs, untilMs }) => untilMs - fromMs))
}

function lostOf({ asynchronous, splitBrain, emptyRestart }: Lost): Lost {
  return { asynchronous, splitBrain, emptyRestart }
}

function isAbandoning(happening: Happening, group: ClusterGroup): boolean {
  if (happening.kind !== 'event' || !isAbort(happening.name)) return false
  return happening.payload.startsWith(`master ${group.name} `)
}

export function lostTotal(lost: Lost): number {
  return lost.asynchronous + lost.splitBrain + lost.emptyRestart
}
