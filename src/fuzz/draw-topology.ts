/** Draws who is there: groups, nodes, Sentinels, where they live, and by which rules. */
import type { Rng } from '../base/rng.ts'
import { DETECTIONS } from '../sim/topology.ts'
import { between, numbers, sample, weighted } from './odds.ts'
import type { PlannedGroup, PlannedNode, PlannedSentinel, PlannedTopology, Zone } from './plan.ts'

type Settings = PlannedNode['settings']

export function drawTopology(rng: Rng): PlannedTopology {
  const sizes = drawSizes(rng.fork('sizes'))
  const place = drawLayout(rng.fork('layout'))
  const sentinels = drawSentinels(rng.fork('sentinels'), place)
  const groups = sizes.map((_, index) =>
    drawGroup(rng.fork(`group/${index}`), index, sizes, sentinels.length),
  )
  const nodes = groups.flatMap((group, index) =>
    drawNodes(rng.fork(`nodes/${group.name}`), group, sizes[index] ?? 1, place),
  )
  const hosts = [...new Set([...nodes, ...sentinels].map(({ host }) => host))]
  return {
    latencyMs: weighted(rng.fork('latency'), [
      [6, 1],
      [2, 0],
      [2, 5],
      [1, 20],
    ]),
    jitterMs: rng.fork('jitter').pick([0, 1, 1, 5]),
    zones: drawZones(rng.fork('zones'), hosts),
    settings: drawSettings(rng.fork('settings'), Math.min(...sizes)),
    groups,
    nodes,
    sentinels,
  }
}

/** Nodes of each group. */
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
  const majority = Math.floor(sentinels / 2) + 1
  return {
    name: sizes.length === 1 ? 'mymaster' : `group${index + 1}`,
    master: `n${firstNumber(index, sizes)}`,
    quorum: rng.chance(2, 3) ? majority : between(rng, 1, sentinels),
    downAfterMs: rng.pick([500, 1_000, 1_000, 2_000, 3_000]),
    failoverTimeoutMs: rng.pick([2_000, 3_000, 5_000, 5_000, 10_000]),
    parallelSyncs: rng.pick([1, 1, 1, 2, 5]),
    detection: rng.fork('detection').pick(DETECTIONS),
    refusedAfterMs: rng.fork('refused-after').pick([100, 250, 250, 500, 1_000]),
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
      // A replica that joins while the master is replaced is found by nobody: it follows the old one.
      joinsLater: false,
    }
  })
  return nodes.length === 1 || mayBePromoted(nodes) ? nodes : nodes.map(unguarded)
}

/** Where nobody may take an emptied master's place, a replica that refuses it waits for an operator. */
function mayBePromoted(nodes: readonly PlannedNode[]): boolean {
  return nodes.some(({ replicaOf, settings }) => {
    return replicaOf !== undefined && settings['replica-priority'] !== 0
  })
}

function unguarded(node: PlannedNode): PlannedNode {
  return { ...node, settings: { ...node.settings, 'replica-empty-master-guard': 'no' } }
}

/** The first master stays electable: there is always one who may be put in a master's place. */
function drawPriority(rng: Rng): Settings {
  if (!rng.chance(1, 4)) return {}
  return { 'replica-priority': rng.pick([0, 0, 10, 50, 200]) }
}

function drawSettings(rng: Rng, smallestGroup: number): Settings {
  const minReplicas =
    smallestGroup > 1 && rng.chance(1, 3)
      ? { 'min-replicas-to-write': 1, 'min-replicas-max-lag': between(rng, 2, 5) }
      : {}
  const timeout = rng.chance(1, 3)
    ? { 'repl-timeout': rng.pick([5, 10, 20]), 'repl-ping-replica-period': 1 }
    : {}
  const files = rng.fork('files').chance(1, 3) ? { appendonly: 'yes' } : {}
  return { ...minReplicas, ...timeout, ...files }
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
