/** From what a file claims about a run to claims about names that exist. */
import { unreachable } from '../../base/assert.ts'
import { namesGroup } from '../../history/event-group.ts'
import { EVENT_NAMES, EVENTS, type EventName } from '../../history/happening.ts'
import type { EventClaim, MomentClaim, StateClaim } from '../scenario-file.ts'
import { CONDITIONS, type RawClaim } from './schema-claims.ts'
import type { Path } from './source.ts'
import type { Symbols } from './symbols.ts'

export type BuiltClaim =
  | { readonly kind: 'state'; readonly claim: StateClaim }
  | { readonly kind: 'moment'; readonly claim: MomentClaim }

const PUBLISHED = EVENT_NAMES.filter((name) => EVENTS[name].level !== 'debug')

type ConditionKey = keyof typeof CONDITIONS

export class ClaimBuilder {
  readonly #cast: Symbols

  constructor(cast: Symbols) {
    this.#cast = cast
  }

  /**
   * Undefined: the claim is about something that is counted. Unknown names are noted as problems.
   */
  build(raw: RawClaim, path: Path): BuiltClaim | undefined {
    const key = (Object.keys(CONDITIONS) as ConditionKey[]).find((one) => raw[one] !== undefined)
    switch (key) {
      case 'master':
      case 'one-master':
      case 'role':
      case 'replica':
      case 'converged':
      case 'refuses-writes':
        return { kind: 'state', claim: this.#state(raw, key, path) }
      case 'writes-work':
      case 'leader':
      case 'event':
        return { kind: 'moment', claim: this.#moment(raw, key, path) }
      case undefined:
        return undefined
      default:
        return unreachable(key)
    }
  }

  event(raw: RawClaim, event: NonNullable<RawClaim['event']>, path: Path): EventClaim {
    const { at, matching } = event
    this.#cast.check([...path, 'event', 'at'], 'Sentinel', at ?? [], this.#cast.sentinels)
    const name = this.#eventName(event.name, [...path, 'event', 'name'])
    const group = raw.group === undefined ? undefined : this.#group(raw, path)
    if (group !== undefined && PUBLISHED.includes(name) && !namesGroup(name))
      this.#cast.refuse([...path, 'group'], `${name} names no group`, 'leave group out')
    return { kind: 'event', name, group, at, matching }
  }

  /** A claim about an event that no Sentinel publishes would mean nothing. */
  #eventName(name: string, path: Path): EventName {
    this.#cast.check(path, 'published event', [name], PUBLISHED)
    return name as EventName
  }

  #state(raw: RawClaim, key: ConditionKey, path: Path): StateClaim {
    if (raw['one-master'] !== undefined) return this.#oneMaster(raw, raw['one-master'], path)
    if (raw.replica !== undefined) return this.#replica(raw, raw.replica, path)
    if (raw.role !== undefined) {
      this.#checkGroup(raw, path)
      this.#checkNodes([...path, key, 'node'], [raw.role.node])
      return { kind: 'role', node: raw.role.node, role: raw.role.is }
    }
    if (raw.converged !== undefined) return { kind: 'converged', group: this.#group(raw, path) }
    if (raw['refuses-writes'] !== undefined) {
      const { node, with: code } = raw['refuses-writes']
      this.#checkGroup(raw, path)
      this.#checkNodes([...path, key, 'node'], [node])
      return { kind: 'refusesWrites', node, code }
    }
    return this.#master(raw, path)
  }

  #master(raw: RawClaim, path: Path): StateClaim {
    const negated = typeof raw.master === 'object'
    const node = typeof raw.master === 'object' ? raw.master.not : (raw.master ?? '')
    const { sentinels } = this.#cast
    const accordingTo = raw['according-to'] ?? sentinels
    this.#checkNodes([...path, 'master'], [node])
    this.#cast.check([...path, 'according-to'], 'Sentinel', accordingTo, sentinels)
    return { kind: 'master', group: this.#group(raw, path), node, negated, accordingTo }
  }

  #oneMaster(raw: RawClaim, value: NonNullable<RawClaim['one-master']>, path: Path): StateClaim {
    const among = value === true ? this.#cast.nodesOf(this.#group(raw, path)) : value.among
    if (value !== true) this.#checkGroup(raw, path)
    this.#checkNodes([...path, 'one-master'], among)
    return { kind: 'oneMaster', among }
  }

  #replica(raw: RawClaim, value: NonNullable<RawClaim['replica']>, path: Path): StateClaim {
    const { node, of } = value
    const isNamed = of !== 'master' || this.#cast.nodes.includes(of)
    this.#checkNodes([...path, 'replica', 'node'], [node])
    if (isNamed) this.#checkNodes([...path, 'replica', 'of'], [of])
    return { kind: 'replica', group: this.#group(raw, path), node, of: isNamed ? of : undefined }
  }

  #moment(raw: RawClaim, key: ConditionKey, path: Path): MomentClaim {
    if (raw.event !== undefined) return this.event(raw, raw.event, path)
    if (raw.leader !== undefined) {
      const at = raw.leader === true ? undefined : raw.leader
      this.#cast.check([...path, key], 'Sentinel', at ?? [], this.#cast.sentinels)
      return { kind: 'leader', group: this.#group(raw, path), at }
    }
    const working = raw['writes-work']
    const clients = typeof working === 'object' ? working.client : undefined
    this.#cast.check([...path, key], 'client', clients ?? [], this.#cast.clients)
    const group = raw.group === undefined ? undefined : this.#group(raw, path)
    return { kind: 'writesWork', group, clients }
  }

  #group(raw: RawClaim, path: Path): string {
    return this.#cast.group(path, raw.group)
  }

  /** Nodes that are named say themselves which group they are of. */
  #checkGroup(raw: RawClaim, path: Path): void {
    if (raw.group !== undefined) this.#group(raw, path)
  }

  #checkNodes(path: Path, nodes: readonly string[]): void {
    this.#cast.check(path, 'node', nodes, this.#cast.nodes)
  }
}
