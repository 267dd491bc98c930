/**
 * What a failover that an operator orders would do if it began now, in order: which replica would be promoted, and
 * why not each of the others. A dry run shows it. The answers come from the code that decides, so they
 * can differ from what happens later only if the world does: the offsets are those of the last INFO, and
 * a failover asks for new ones first.
 */
import { electorsOf, votesNeeded } from '../election/quorum.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Replica, State, Turn } from '../state.ts'
import { canBeHandedTo, handoverCandidates } from './coordinated.ts'
import type { FailoverKind } from './failover-kinds.ts'
import { blockedForMs } from './flapping.ts'
import { promotionRule, zoneOf } from './host-rules.ts'
import {
  inPromotionOrder,
  placeOf,
  promotableReplicas,
  reasonsAgainst,
  zoneText,
} from './selection.ts'

/** The kinds of failover that an operator can order. */
export type OrderedFailover = Exclude<FailoverKind, 'automatic' | 'renewal'>

export interface FailoverPlan {
  readonly possible: boolean
  /** Why it is not possible, as an error reply says it; empty if it is. */
  readonly refusal: string
  readonly kind: OrderedFailover
  /** The present master, `host:port`. */
  readonly from: string
  /** The replica that would be promoted, `host:port`; empty if none would. */
  readonly to: string
  /** What would be done, in order; empty if nothing would. */
  readonly steps: readonly string[]
  /** In the order in which they would be promoted. */
  readonly replicas: readonly PlannedReplica[]
}

export interface PlannedReplica {
  /** `host:port`. */
  readonly address: string
  /** `promoted`; `spare`: it could be, but another comes first; `barred`: it could not be. */
  readonly part: 'promoted' | 'spare' | 'barred'
  /** Why the replica would not be promoted; empty if it would. */
  readonly reason: string
  /** What the group's rules say of it, empty if nothing. */
  readonly rule: string
  readonly zone: string
  readonly priority: number
  readonly offset: number
  /** Bytes that the replica with the most data has, and this one has not. */
  readonly behind: number
}

/** `refusal`: why the order would be refused; undefined if nothing is in the way. */
export function planOf(
  turn: Turn,
  group: Group,
  kind: OrderedFailover,
  target: Replica | undefined,
  refusal: string | undefined,
): FailoverPlan {
  const { state } = turn
  const candidates = (kind === 'coordinated' ? handoverCandidates : promotableReplicas)(turn, group)
  const order = inPromotionOrder(state, candidates)
  const best = target ?? order[0]
  const chosen = refusal === undefined ? best : undefined
  return {
    possible: chosen !== undefined,
    refusal: refusal ?? '',
    kind,
    from: placeOf(state, group.master),
    to: chosen === undefined ? '' : placeOf(state, chosen),
    steps: chosen === undefined ? [] : stepsOf(turn, group, kind, chosen),
    replicas: describeAll(turn, group, { kind, order, chosen, isNamed: target !== undefined }),
  }
}

interface Choice {
  readonly kind: OrderedFailover
  /** The replicas that qualify, best first. */
  readonly order: readonly Replica[]
  readonly chosen: Replica | undefined
  readonly isNamed: boolean
}

function describeAll(turn: Turn, group: Group, choice: Choice): PlannedReplica[] {
  const all = [...group.replicas.values()]
  const rest = all.filter((one) => !choice.order.includes(one))
  const most = Math.max(0, ...all.map(({ offset }) => offset))
  const reasons = reasonsAgainst(turn, group)
  const first = choice.chosen === undefined ? [] : [choice.chosen]
  const sorted = new Set([...first, ...choice.order, ...inPromotionOrder(turn.state, rest)])
  return [...sorted].map((one) => {
    const { promotionRules, zones } = group.config
    const isSpare = choice.order.includes(one)
    const part = one === choice.chosen ? 'promoted' : isSpare ? 'spare' : 'barred'
    return {
      address: placeOf(turn.state, one),
      part,
      reason: part === 'promoted' ? '' : reasonFor(turn, one, choice, reasons),
      rule: promotionRule(turn.state, promotionRules, one)?.join('=') ?? '',
      zone: zoneOf(turn.state, zones, one) ?? '',
      priority: one.priority,
      offset: one.offset,
      behind: most - one.offset,
    }
  })
}

function reasonFor(
  turn: Turn,
  one: Replica,
  { kind, order, chosen, isNamed }: Choice,
  reasons: ReadonlyMap<Replica, string>,
): string {
  const reason = reasons.get(one)
  if (reason !== undefined) return reason
  if (kind === 'coordinated' && !canBeHandedTo(turn.state, one)) {
    return 'it is not connected to the master'
  }
  if (chosen === undefined) return ''
  return isNamed ? 'another one is named' : meritText(turn, chosen, one, order)
}

/** In what the chosen one is better. `order`: the replicas that qualify. */
export function meritText(
  { state }: Turn,
  chosen: Replica,
  other: Replica,
  order: readonly Replica[],
): string {
  const { promotionRules } = chosen.group.config
  const rules = [chosen, other].map((one) => promotionRule(state, promotionRules, one)?.[1])
  const [own = 'neutral', its = 'neutral'] = rules
  if (own !== its) return `${placeOf(state, chosen)} comes first by the rules: ${own}, not ${its}`
  if (chosen.priority !== other.priority) {
    return `${placeOf(state, chosen)} has replica-priority ${chosen.priority}, this one ${other.priority}`
  }
  if (chosen.offset !== other.offset) {
    return `${placeOf(state, chosen)} has ${chosen.offset - other.offset} bytes more of the data`
  }
  return order.includes(other)
    ? `as good as ${placeOf(state, chosen)}, whose run id is smaller`
    : ''
}

function stepsOf(turn: Turn, group: Group, kind: OrderedFailover, chosen: Replica): string[] {
  const place = placeOf(turn.state, chosen)
  const master = placeOf(turn.state, group.master)
  const others = [...group.replicas.values()].filter((one) => one !== chosen)
  const names = others.map((one) => placeOf(turn.state, one)).join(', ')
  return [
    ...tiltSteps(turn),
    ...electionSteps(turn, group, kind),
    `ask every replica in reach for its offset, and ${zoneNote(turn, group, chosen)}choose ${place}`,
    ...(kind === 'coordinated'
      ? [
          `tell the master ${master} to hold writes back and to hand over to ${place} (FAILOVER TO), within ${group.config.failoverTimeoutMs} ms`,
          `once ${place} has every write, the two change roles; waiting clients are sent to ${place}`,
        ]
      : [
          `tell ${place} to be a master (SLAVEOF NO ONE); its clients are disconnected`,
          `writes that ${master} acknowledges until it is told, and ${place} has not received, are lost: COORDINATED loses none`,
        ]),
    `tell clients and the other Sentinels: +switch-master ${switchedWords(turn.state, group, chosen)}`,
    ...(others.length === 0
      ? []
      : [
          `make the other replicas follow ${place}, ${group.config.parallelSyncs} at a time: ${names}`,
        ]),
    ...(kind === 'forced' ? [`make ${master} a replica of ${place}`] : []),
  ]
}

/** As the event will have it. */
function switchedWords(state: State, { config, master }: Group, chosen: Replica): string {
  const places = [master, chosen].map(({ host, port }) => `${shownHost(state, host)} ${port}`)
  return [config.name, ...places].join(' ')
}

/** An order is accepted in TILT, and nothing of it is done meanwhile. */
function tiltSteps({ state, now }: Turn): string[] {
  const { sinceMs } = state.tilt
  if (sinceMs === undefined) return []
  const leftMs = Math.max(0, sinceMs + state.config.periods.tiltMs - now.monoMs)
  return [`wait until this Sentinel trusts its clocks again: TILT lasts ${leftMs} ms more`]
}

function electionSteps(turn: Turn, group: Group, kind: OrderedFailover): string[] {
  const epoch = turn.state.currentEpoch + 1
  const isBlocked = blockedForMs(turn, group) > 0
  return [
    ...(isBlocked ? ['lift the block that the last failover has set'] : []),
    kind === 'forced'
      ? `begin epoch ${epoch} without asking the other Sentinels: an order needs no votes`
      : `be elected in epoch ${epoch}: ${votesNeeded(group)} votes of ${1 + electorsOf(group).length} Sentinels`,
  ]
}

/** An order that crosses zones says so. */
function zoneNote({ state }: Turn, { config, master }: Group, chosen: Replica): string {
  const from = zoneOf(state, config.zones, master)
  const to = zoneOf(state, config.zones, chosen)
  if (from === undefined || from === to) return ''
  return `leaving ${zoneText(from)} for ${zoneText(to)}, `
}
