/** What an incident means for a particular cluster: the steps of a scenario, and what is true meanwhile. */
import { assert, unreachable } from '../base/assert.ts'
import { durationWord, type StepWords } from '../fuzz/words.ts'
import {
  type ClusterGroup,
  majorityOf,
  masterOf,
  residentsOf,
  type SimulatedCluster,
} from './cluster.ts'
import type { Incident } from './incident.ts'
import type { Act, IncidentEffect } from './incident-effects.ts'
import type { NetworkProfile } from './profiles.ts'
import { outage, restart } from './stage-restarts.ts'

/** The history of an incident in one cluster. */
export interface Staged {
  readonly incident: Incident
  /** What happens, in plain sentences. */
  readonly story: string
  /** In the order of their times. */
  readonly steps: readonly StepWords[]
  readonly effects: readonly IncidentEffect[]
  readonly durationMs: number
}

export interface Stage {
  readonly cluster: SimulatedCluster
  readonly profile: NetworkProfile
  /** The longest down-after of all clusters that are compared: all histories take the same time. */
  readonly downAfterMaxMs: number
}

const BEFOREHAND_MS = 8_000
/** Time for a failover after a down-after, and for some writes on the new master. */
const FAILOVER_MS = 20_000
/** Time to come to rest when a fault is over. */
const REST_MS = 10_000
/** Longer silences than this are not waited for. */
const DURATION_MAX_MS = 30 * 60_000

export function stageIncident(incident: Incident, stage: Stage): Staged {
  const group = groupOf(incident, stage.cluster)
  const early = beforehandOf(incident, group, stage.cluster)
  const main = actOf(incident, group, stage)
  const acts = [...early, main]
  return {
    incident,
    story: acts.map(({ text }) => text).join(' '),
    steps: withLoss(
      acts.flatMap(({ steps }) => steps),
      stage.profile,
    ),
    effects: acts.flatMap(({ effects }) => effects),
    durationMs: durationOf(incident, main, stage),
  }
}

function groupOf({ lots }: Incident, { groups }: SimulatedCluster): ClusterGroup {
  const group = chosen(groups, lots.group)
  assert(group !== undefined, 'a cluster has a group')
  return group
}

function chosen<T>(items: readonly T[], lot: number): T | undefined {
  return items[lot % Math.max(1, items.length)]
}

function beforehandOf(
  { beforehand, lots }: Incident,
  group: ClusterGroup,
  cluster: SimulatedCluster,
): Act[] {
  if (beforehand === 'nothing') return []
  const candidates = beforehand === 'sentinelDead' ? cluster.sentinels : group.nodes.slice(1)
  const name = chosen(candidates, lots.beforehand)?.name
  if (name === undefined) return []
  const what = beforehand === 'sentinelDead' ? 'Sentinel' : 'Replica'
  return [{ ...killing([name], BEFOREHAND_MS), text: `${what} ${name} has died before.` }]
}

function actOf(incident: Incident, group: ClusterGroup, stage: Stage): Act {
  const { cluster } = stage
  const { atMs, lots } = incident
  const master = masterOf(group)
  const replicas = group.nodes.slice(1)
  switch (incident.kind) {
    case 'crash':
      return { ...killing([master.name], atMs), text: `Master ${master.name} crashes.` }
    case 'powerLoss':
      return powerLoss(master.host, atMs, cluster)
    case 'restart':
      return restart([master.name], incident)
    case 'powerReturns':
      return outage([master.host], incident, cluster)
    case 'siteOutage':
      return outage(nodeBoxes(cluster), incident, cluster)
    case 'hang':
      return hang(master.name, incident)
    case 'stutter':
      return stalls(master.name, incident)
    case 'cutOff':
    case 'blip':
    case 'flapping':
      return splits([master.host], incident)
    case 'cutOffWithClient': {
      const clients = cluster.clients.filter((client) => client.group === group.name)
      const client = chosen(clients, lots.client)
      return splits([...new Set([master.host, client?.host ?? master.host])], incident)
    }
    case 'fewSentinelsCutOff':
    case 'mostSentinelsCutOff':
      return splits(sentinelBoxes(incident, master.host, cluster), incident)
    case 'slowNetwork':
      return slowNetwork(incident)
    case 'sentinelStall':
      return stalls(chosen(cluster.sentinels, lots.sentinel)?.name ?? '', incident)
    case 'replicaLoss':
      return replicaLoss(chosen(replicas, lots.replica), master.host, atMs, cluster)
    default:
      return unreachable(incident.kind)
  }
}

/** The site: clients are elsewhere, and see it disappear. */
function nodeBoxes({ groups }: SimulatedCluster): readonly string[] {
  return [...new Set(groups.flatMap(({ nodes }) => nodes.map(({ host }) => host)))]
}

function killing(processes: readonly string[], atMs: number): Omit<Act, 'text'> {
  return { steps: [{ atMs, words: { kill: processes } }], effects: [downFor(processes, atMs)] }
}

function downFor(
  processes: readonly string[],
  fromMs: number,
  untilMs: number = Number.POSITIVE_INFINITY,
): IncidentEffect {
  return { kind: 'down', processes, fromMs, untilMs, isSteady: true }
}

function powerLoss(box: string, atMs: number, cluster: SimulatedCluster): Act {
  const residents = residentsOf(cluster, box)
  return {
    text: `${box} loses power, and with it ${residents.join(', ')}.`,
    steps: [{ atMs, words: { 'power-loss': box } }],
    effects: [downFor(residents, atMs)],
  }
}

function hang(name: string, { atMs, forMs }: Incident): Act {
  const lengthMs = forMs[0] ?? 0
  const untilMs = atMs + lengthMs
  return {
    text: `Master ${name} hangs for ${durationWord(lengthMs)}.`,
    steps: [
      { atMs, words: { pause: name } },
      { atMs: untilMs, words: { resume: name } },
    ],
    effects: [downFor([name], atMs, untilMs)],
  }
}

function stalls(name: string, incident: Incident): Act {
  const spans = spansOf(incident)
  const lengths = spans.map(({ fromMs, untilMs }) => durationWord(untilMs - fromMs))
  return {
    text: `${name} stands still for ${lengths.join(', ')}.`,
    steps: spans.map(({ fromMs, untilMs }) => ({
      atMs: fromMs,
      words: { stall: { process: name, for: durationWord(untilMs - fromMs) } },
    })),
    effects: spans.map(({ fromMs, untilMs }) => downFor([name], fromMs, untilMs)),
  }
}

/** The boxes are cut off from all others, once or several times. */
function splits(boxes: readonly string[], incident: Incident): Act {
  const spans = spansOf(incident)
  if (boxes.length === 0) return { text: 'There is no machine to cut off.', steps: [], effects: [] }
  const lengths = spans.map(({ fromMs, untilMs }) => durationWord(untilMs - fromMs))
  const split = { kind: 'split', boxes } as const
  const whole = {
    fromMs: spans[0]?.fromMs ?? 0,
    untilMs: spans.at(-1)?.untilMs ?? 0,
    isSteady: false,
  }
  return {
    text: `${boxes.join(', ')} cut off from all others for ${lengths.join(', ')}.`,
    steps: spans.flatMap(({ fromMs, untilMs }) => [
      { atMs: fromMs, words: { partition: [boxes] } },
      { atMs: untilMs, words: { heal: true } },
    ]),
    effects: [
      ...spans.map((span) => ({ ...split, ...span, isSteady: true })),
      ...(spans.length > 1 ? [{ ...split, ...whole }] : []),
    ],
  }
}

function spansOf({
  atMs,
  forMs,
  gapMs,
}: Incident): readonly Pick<IncidentEffect, 'fromMs' | 'untilMs'>[] {
  let nextMs = atMs
  return forMs.map((lengthMs, index) => {
    const fromMs = nextMs
    nextMs = fromMs + lengthMs + (gapMs[index] ?? 0)
    return { fromMs, untilMs: fromMs + lengthMs }
  })
}

/** A part of the Sentinels that are not on the master's box: the largest minority, or a majority. */
function sentinelBoxes(
  incident: Incident,
  masterBox: string,
  cluster: SimulatedCluster,
): readonly string[] {
  const others = cluster.sentinels.filter(({ host }) => host !== masterBox)
  const majority = majorityOf(cluster)
  const isFew = incident.kind === 'fewSentinelsCutOff'
  const count = isFew ? Math.max(1, cluster.sentinels.length - majority) : majority
  const first = incident.lots.sentinel % Math.max(1, others.length)
  const turned = [...others.slice(first), ...others.slice(0, first)]
  return [...new Set(turned.slice(0, count).map(({ host }) => host))]
}

function slowNetwork({ atMs, forMs, shape }: Incident): Act {
  const untilMs = atMs + (forMs[0] ?? 0)
  const latency = durationWord(shape.latencyMs)
  const words = { latency, jitter: durationWord(Math.floor(shape.latencyMs / 4)) }
  const loss = shape.loss === 0 ? '' : `, and ${Math.round(shape.loss * 100)} % is lost`
  return {
    text: `Every way takes ${latency}${loss}, for ${durationWord(untilMs - atMs)}.`,
    steps: [
      { atMs, words: { shape: { ...words, ...(shape.loss === 0 ? {} : { loss: shape.loss }) } } },
      { atMs: untilMs, words: { heal: true } },
    ],
    effects: [],
  }
}

/** With its box, unless the master is on that too. */
function replicaLoss(
  replica: { readonly name: string; readonly host: string } | undefined,
  masterBox: string,
  atMs: number,
  cluster: SimulatedCluster,
): Act {
  if (replica === undefined) return { text: 'There is no replica to lose.', steps: [], effects: [] }
  if (replica.host !== masterBox) return powerLoss(replica.host, atMs, cluster)
  return { ...killing([replica.name], atMs), text: `Replica ${replica.name} crashes.` }
}

/** Loss that is always on the path is set again after a heal, which takes back everything. */
function withLoss(steps: readonly StepWords[], { loss }: NetworkProfile): readonly StepWords[] {
  const sorted = steps.toSorted((a, b) => a.atMs - b.atMs)
  if (loss === 0) return sorted
  const lossy = (atMs: number): StepWords => ({ atMs, words: { shape: { loss } } })
  return [
    lossy(0),
    ...sorted.flatMap((step) => ('heal' in step.words ? [step, lossy(step.atMs)] : [step])),
  ]
}

function durationOf({ atMs }: Incident, { effects, steps }: Act, stage: Stage): number {
  const lastMs = Math.max(atMs, ...steps.map((step) => step.atMs))
  // What was sent into a partition leaves with a retransmission that waits as long as the partition
  // lasted.
  const silences = effects.map((effect) => (effect.kind === 'split' ? silenceOf(effect) : 0))
  const restedMs = lastMs + REST_MS + Math.max(0, ...silences)
  const hasRestarts = effects.some((effect) => effect.kind === 'down' && effect.isRestart)
  // A master that comes back without its data is failed over then, and not before.
  const failedOverMs = (hasRestarts ? lastMs : atMs) + stage.downAfterMaxMs + FAILOVER_MS
  return Math.min(DURATION_MAX_MS, Math.max(restedMs, failedOverMs))
}

function silenceOf({ fromMs, untilMs, isSteady }: IncidentEffect): number {
  return isSteady ? untilMs - fromMs : 0
}
