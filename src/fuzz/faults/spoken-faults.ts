/** What is said to a process: commands, planned failovers, lies. */
import type { Rng } from '../../base/rng.ts'
import { placesIn } from '../../history/action.ts'
import { GROUP_OPTIONS } from '../../history/topology.ts'
import type { StepInput } from '../../scenario/language/schema.ts'
import { type DrawnMoment, until } from '../draw/targets.ts'
import type { PlannedNode } from '../members.ts'
import { durationWord } from '../words.ts'
import { type FaultRows, type Lasting, type Left, type Momentary, nameOrList } from './fault-row.ts'

type RawLie = NonNullable<StepInput['lie']>

/** As scenario files say it: one of these. */
export type LieWords = Pick<RawLie, 'hello' | 'vote' | 'confer' | 'replica' | 'answer'>

export type SpokenFault =
  | (Momentary & {
      readonly kind: 'failover'
      readonly sentinel: string
      readonly group: string
      readonly isCoordinated: boolean
      /** The replica that the operator names; undefined: the Sentinel chooses. */
      readonly to?: string | undefined
    })
  /** Automatic failover is paused, and goes on at the end. */
  | (Lasting & {
      readonly kind: 'pausedFailover'
      readonly sentinel: string
      readonly group: string
    })
  /** An option of a group has another value at one Sentinel. */
  | (Lasting & {
      readonly kind: 'otherOption'
      readonly sentinel: string
      readonly group: string
      readonly option: string
      readonly value: number
      readonly before: number
    })
  /** A node has another priority. */
  | (Lasting & {
      readonly kind: 'otherPriority'
      readonly process: string
      readonly priority: number
      readonly before: number
    })
  | (Momentary & {
      readonly kind: 'command'
      readonly process: string
      readonly argv: readonly string[]
    })
  /** The sizes of all machines are noted. */
  | (Momentary & { readonly kind: 'measure' })
  | (Momentary & {
      readonly kind: 'lie'
      readonly liar: string
      /** Empty: every process that connects to the liar. */
      readonly to: readonly string[]
      readonly words: LieWords
      readonly times: number
      readonly everyMs: number
    })

type Of<Kind extends SpokenFault['kind']> = SpokenFault & { readonly kind: Kind }

export const SPOKEN_FAULTS: FaultRows<SpokenFault> = {
  failover: {
    begin: ({ sentinel, group, isCoordinated, to }) => ({
      failover: {
        ...{ at: sentinel, group },
        ...(isCoordinated ? { coordinated: true as const } : {}),
        ...(to === undefined ? {} : { to }),
      },
    }),
    simpler: (fault) => (fault.to === undefined ? [] : [{ ...fault, to: undefined }]),
    restrict: (fault, left) => {
      const isThere = fault.to === undefined || left.names.includes(fault.to)
      return isThere ? restrictOrder(fault, left) : undefined
    },
    swarm: {
      rank: 7,
      weight: 2,
      draw: (rng, { fromMs, topology }) => {
        const sentinel = rng.pick(topology.sentinels).name
        const group = rng.pick(topology.groups).name
        const isCoordinated = rng.chance(1, 2)
        const members = topology.nodes.filter((node) => node.group === group)
        const to = rng.fork('to').chance(1, 3) ? rng.fork('to').pick(members).name : undefined
        return { kind: 'failover', fromMs, sentinel, group, isCoordinated, to }
      },
    },
  },
  pausedFailover: {
    begin: ({ sentinel, group, fromMs, untilMs }) => ({
      'pause-failover': { at: sentinel, group, for: durationWord(pausedMs(untilMs - fromMs)) },
    }),
    end: ({ sentinel, group }) => ({ 'resume-failover': { at: sentinel, group } }),
    restrict: restrictOrder,
    swarm: {
      rank: 30,
      draw: (rng, at) => ({
        ...{ kind: 'pausedFailover', fromMs: at.fromMs },
        untilMs: until(rng, at, { minMs: 1_000, maxMs: 20_000 }),
        sentinel: rng.pick(at.topology.sentinels).name,
        group: rng.pick(at.topology.groups).name,
      }),
    },
  },
  otherOption: {
    begin: ({ sentinel, group, option, value }) => setOption(sentinel, group, option, value),
    end: ({ sentinel, group, option, before }) => setOption(sentinel, group, option, before),
    restrict: restrictOrder,
    swarm: { rank: 31, draw: drawOtherOption },
  },
  otherPriority: {
    begin: ({ process, priority }) => setPriority(process, priority),
    end: ({ process, before }) => setPriority(process, before),
    swarm: { rank: 32, draw: drawOtherPriority },
  },
  command: {
    begin: ({ process, argv }) => ({ command: { to: process, argv } }),
    restrict: (fault, { names }) => {
      const named = [fault.process, ...placesIn(fault.argv)]
      return named.every((name) => names.includes(name)) ? fault : undefined
    },
    swarm: { rank: 8, draw: drawCommand },
  },
  measure: { begin: () => ({ measure: true }) },
  lie: {
    begin: ({ liar, to, words, times, everyMs }) => {
      const whom = to.length === 0 ? {} : { to: nameOrList(to) }
      const often = times === 1 ? {} : { times, every: durationWord(everyMs) }
      return { lie: { by: liar, ...whom, ...words, ...often } }
    },
    simpler: simplerLies,
    restrict: restrictLie,
  },
}

/** A whole number of seconds, and some for the case that the end does not arrive. */
function pausedMs(forMs: number): number {
  return (Math.ceil(forMs / 1_000) + PAUSE_REST_S) * 1_000
}
const PAUSE_REST_S = 5

function setOption(to: string, group: string, option: string, value: number): StepInput {
  return { command: { to, argv: ['SENTINEL', 'SET', group, option, String(value)] } }
}

function setPriority(to: string, priority: number): StepInput {
  return { command: { to, argv: ['CONFIG', 'SET', 'replica-priority', String(priority)] } }
}

function drawOtherOption(rng: Rng, at: DrawnMoment): Of<'otherOption'> {
  const group = rng.pick(at.topology.groups)
  const [option, value, before] = rng.pick([
    [GROUP_OPTIONS.failoverTimeoutMs.name, rng.pick([2_000, 15_000]), group.failoverTimeoutMs],
    [GROUP_OPTIONS.parallelSyncs.name, rng.pick([1, 3]), group.parallelSyncs],
    [GROUP_OPTIONS.downAfterMs.name, rng.pick([400, 4_000]), group.downAfterMs],
  ] as const)
  return {
    ...{ kind: 'otherOption', fromMs: at.fromMs, group: group.name, option, value, before },
    untilMs: until(rng, at, { minMs: 1_000, maxMs: 20_000 }),
    sentinel: rng.pick(at.topology.sentinels).name,
  }
}

/** Not 0: if no node may be promoted, nothing comes to rest. */
function drawOtherPriority(rng: Rng, at: DrawnMoment): Of<'otherPriority'> {
  const { name, settings } = rng.pick(at.topology.nodes)
  return {
    ...{ kind: 'otherPriority', fromMs: at.fromMs, process: name },
    untilMs: until(rng, at, { minMs: 1_000, maxMs: 20_000 }),
    priority: rng.pick([1, 20, 500]),
    before: Number(settings['replica-priority'] ?? 100),
  }
}

/** An order to a Sentinel about a group. */
function restrictOrder<Order extends { readonly sentinel: string; readonly group: string }>(
  order: Order,
  { names, topology }: Left,
): Order | undefined {
  const isThere = topology.groups.some(({ name }) => name === order.group)
  return names.includes(order.sentinel) && isThere ? order : undefined
}

function drawCommand(rng: Rng, at: DrawnMoment): Of<'command'> {
  const { nodes, groups, sentinels } = at.topology
  const to = (process: string, ...argv: string[]): Of<'command'> => ({
    ...{ kind: 'command', fromMs: at.fromMs },
    ...{ process, argv },
  })
  const node = rng.pick(nodes).name
  // No Sentinel knows a node behind another replica, so none would put its role right.
  const known = nodes.filter((one) => groups.some(({ master }) => isNear(one, master)))
  const sentinel = rng.pick(sentinels).name
  return rng.pick([
    to(node, 'CLIENT', 'KILL', 'TYPE', 'normal'),
    to(node, 'CLIENT', 'KILL', 'TYPE', 'replica'),
    to(rng.pick(known).name, 'REPLICAOF', 'NO', 'ONE'),
    to(sentinel, 'SENTINEL', 'FLUSHCONFIG'),
  ])
}

function isNear(node: PlannedNode, master: string): boolean {
  return node.name === master || node.replicaOf === master
}

/** The lie told to fewer processes, and less often. */
function simplerLies(fault: Of<'lie'>): Of<'lie'>[] {
  const { to, times } = fault
  const seldom = [1, Math.ceil(times / 2), times - 1].filter((few) => few < times && few > 0)
  return [
    ...(to.length < 2 ? [] : to).map((name) => ({
      ...fault,
      to: to.filter((one) => one !== name),
    })),
    ...seldom.map((few) => ({ ...fault, times: few })),
  ]
}

/**
 * The lie told to the processes that are left, by a liar that is left, about places that are left.
 */
function restrictLie(fault: Of<'lie'>, { names, topology }: Left): Of<'lie'> | undefined {
  const to = fault.to.filter((name) => names.includes(name))
  const { id, at, master } = { ...fault.words.hello, ...fault.words.vote, ...fault.words.confer }
  const isAbsent = (word: string | number | undefined): boolean =>
    typeof word === 'string' && /^[ns]\d+$/.test(word) && !names.includes(word)
  if ((to.length === 0 && fault.to.length > 0) || [id, at, master].some(isAbsent)) return undefined
  return topology.liars.some(({ name }) => name === fault.liar) ? { ...fault, to } : undefined
}
