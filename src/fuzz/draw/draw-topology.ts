/**
 * Draws the processes of a cluster: groups, nodes, Sentinels, where they live, and their options.
 */
import type { Rng } from '../../base/rng.ts'
import { DETECTIONS } from '../../history/topology.ts'
import type {
  PlannedGroup,
  PlannedNode,
  PlannedSentinel,
  PlannedTopology,
  Zone,
} from '../members.ts'
import { between, majorityOf, numbers, sample, weighted } from '../odds.ts'
import {
  areUnguarded,
  drawFiles,
  drawHook,
  drawMinReplicas,
  drawOptions,
  drawPassword,
  isBarred,
  withGuards,
  withRules,
} from './draw-options.ts'

type Settings = PlannedNode['settings']

export function drawTopology(rng: Rng): PlannedTopology {
  const sizes = drawSizes(rng.fork('sizes'))
  const place = drawLayout(rng.fork('layout'))
  const sentinels = drawSentinels(rng.fork('sentinels'), place)
  const plain = sizes.map((_, index) =>
    drawGroup(rng.fork(`group/${index}`), index, sizes, sentinels.length),
  )
  const members = plain.map((group, index) =>
    drawNodes(rng.fork(`nodes/${group.name}`), group, sizes[index] ?? 1, place),
  )
  const hosts = [...new Set([...members.flat(), ...sentinels].map(({ host }) => host))]
  const zones = drawZones(rng.fork('zones'), hosts)
  const groups = plain.map((group) => {
    const own = rng.fork(`options/${group.name}`)
    return { ...group, ...drawOptions(own, zones.length > 0), ...drawHook(own.fork('hook')) }
  })
  const nodes = members.flatMap((some, index) => {
    return areUnguarded(groups[index] ?? {}) ? some.map(unguarded) : some
  })
  return {
    latencyMs: weighted(rng.fork('latency'), [
      [6, 1],
      [2, 0],
      [2, 5],
      [1, 20],
    ]),
    jitterMs: rng.fork('jitter').pick([0, 1, 1, 5]),
    zones,
    settings: drawSettings(rng.fork('settings'), Math.min(...members.map(besideMaster))),
    groups,
    nodes,
    sentinels,
    liars: [],
    password: drawPassword(rng.fork('password')),
  }
}

/** The number of nodes of each group. */
function drawSizes(rng: Rng): readonly number[] {
  const groups = weighted(rng, [
    [12, 1],
    [5, 2],
    [2, 3],
  ])
  return numbers(groups).map(() =>
    weighted(rng, [
      [1, 1],
      [4, 2],
      [9, 3],
      [3, 4],
      [2, 5],
    ]),
  )
}

/** Gives the host of the nth process of its kind. */
type Layout = (rng: Rng, kind: 'node' | 'sentinel', number: number) => string

function drawLayout(rng: Rng): Layout {
  const boxes = numbers(between(rng, 2, 4)).map((number) => `box${number}`)
  return weighted<Layout>(rng, [
    [4, (_rng, _kind, number) => `box${number}`],
    [3, (_rng, kind, number) => `${kind}${number}`],
    [3, (own) => own.pick(boxes)],
  ])
}

function drawSentinels(rng: Rng, place: Layout): PlannedSentinel[] {
  const count = weighted(rng, [
    [1, 1],
    [2, 2],
    [11, 3],
    [2, 4],
    [5, 5],
  ])
  return numbers(count).map((number) => ({
    name: `s${number}`,
    host: place(rng, 'sentinel', number),
    joinsLater: number > 3 && rng.chance(1, 4),
  }))
}

function drawGroup(
  rng: Rng,
  index: number,
  sizes: readonly number[],
  sentinels: number,
): PlannedGroup {
  const majority = majorityOf(sentinels)
  return {
    name: sizes.length === 1 ? 'mymaster' : `group${index + 1}`,
    master: `n${firstNumber(index, sizes)}`,
    quorum: rng.chance(2, 3) ? majority : between(rng, 1, sentinels),
    downAfterMs: rng.pick([500, 1_000, 1_000, 2_000, 3_000]),
    failoverTimeoutMs: rng.pick([2_000, 3_000, 5_000, 5_000, 10_000]),
    parallelSyncs: rng.pick([1, 1, 1, 2, 5]),
    detection: rng.fork('detection').pick(DETECTIONS),
    refusedAfterMs: rng.fork('refused-after').pick([100, 250, 250, 500, 1_000]),
    preFailoverHook: '',
  }
}

function firstNumber(index: number, sizes: readonly number[]): number {
  return sizes.slice(0, index).reduce((sum, size) => sum + size, 1)
}

function drawNodes(rng: Rng, group: PlannedGroup, size: number, place: Layout): PlannedNode[] {
  const first = Number(group.master.slice(1))
  const isChained = rng.chance(1, 8)
  const nodes = numbers(size).map((position): PlannedNode => {
    const number = first + position - 1
    const isMaster = position === 1
    const above = isChained && position > 2 ? `n${number - 1}` : group.master
    return {
      name: `n${number}`,
      host: place(rng, 'node', number),
      group: group.name,
      replicaOf: isMaster ? undefined : above,
      settings: isMaster ? {} : drawPriority(rng),
      // No Sentinel finds a replica that joins while the master is replaced: it follows the old
      // master.
      joinsLater: false,
    }
  })
  const drawn = withGuards(rng.fork('guards'), withRules(rng.fork('rules'), nodes))
  if (drawn.length > 1 && !mayBePromoted(drawn)) return drawn.map(unguarded)
  return drawn.map((node) => (isBarred(node) ? unguarded(node) : node))
}

/**
 * If no replica may replace an emptied master, a replica that refuses that master waits for an
 * operator.
 */
function mayBePromoted(nodes: readonly PlannedNode[]): boolean {
  return nodes.some((node) => node.replicaOf !== undefined && !isBarred(node))
}

function unguarded(node: PlannedNode): PlannedNode {
  return { ...node, settings: { ...node.settings, 'replica-empty-master-guard': 'no' } }
}

/** The first master stays electable, so there is always a node that may replace a master. */
function drawPriority(rng: Rng): Settings {
  if (!rng.chance(1, 4)) return {}
  return { 'replica-priority': rng.pick([0, 0, 10, 50, 200]) }
}

/** How many replicas follow the master itself, whichever node that is. */
function besideMaster(nodes: readonly PlannedNode[]): number {
  const [master] = nodes
  const isChained = nodes.some(({ replicaOf }) => ![undefined, master?.name].includes(replicaOf))
  return isChained ? 1 : nodes.length - 1
}

function drawSettings(rng: Rng, nearest: number): Settings {
  const minReplicas = drawMinReplicas(rng.fork('min-replicas'), nearest)
  const timeout = rng.chance(1, 3)
    ? { 'repl-timeout': rng.pick([5, 10, 20]), 'repl-ping-replica-period': 1 }
    : {}
  return { ...minReplicas, ...timeout, ...drawFiles(rng.fork('files')) }
}

function drawZones(rng: Rng, hosts: readonly string[]): Zone[] {
  if (hosts.length < 3 || !rng.chance(1, 4)) return []
  const west = sample(rng, hosts, between(rng, 1, Math.ceil(hosts.length / 2)))
  const east = hosts.filter((host) => !west.includes(host))
  return [
    { name: 'west', hosts: west, farMs: rng.pick([5, 20, 60]) },
    { name: 'east', hosts: east, farMs: rng.pick([5, 20, 60]) },
  ]
}
