/**
 * The document of GET /timeline: what each instance of a group was, during the last hour, as this Sentinel
 * saw it. Observed again and again, it keeps one span for as long as nothing changes, so an hour of calm
 * costs one span for each instance.
 */
import { assert } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import { hostAndPort, isSameAddress } from '../base/ip.ts'
import { shownHost } from '../core/names/names.ts'
import { currentMaster, type Group, isOdown, isSdown, isTilted, type State } from '../core/state.ts'
import { ClockSetBack } from './clock-set-back.ts'
import { SlicedList } from './sliced-list.ts'

export type TimelineState = 'master' | 'replica' | 'sentinel' | 'down' | 'odown' | 'tilt'

/** From and to are the wall clock, in ms since 1970. */
export interface TimelineSpan {
  readonly fromMs: number
  readonly toMs: number
  readonly state: TimelineState
}

export interface TimelineLane {
  readonly kind: 'node' | 'sentinel'
  readonly address: string
  readonly spans: readonly TimelineSpan[]
}

export interface TimelineDocument {
  readonly nowMs: number
  readonly fromMs: number
  readonly groups: readonly { readonly name: string; readonly lanes: readonly TimelineLane[] }[]
}

const KEPT_MS = 3_600_000
/** A pause in observing that is longer is a hole: what happened then is unknown. */
const HOLE_MS = 15_000
/** An instance that flaps all the time loses the oldest part of its hour. */
const MOST_SPANS = 500
const MOST_LANES = 100
/** What is looked at in one slice. */
const SLICE_GROUPS = 16

type Lane = { readonly kind: TimelineLane['kind']; readonly address: string; spans: TimelineSpan[] }

export class Timeline {
  /** By group and then by kind and address: an instance with a new run id keeps its lane. */
  readonly #groups = new Map<string, Map<string, Lane>>()
  readonly #clock = new ClockSetBack()

  /** Looks at all groups: after every event, and every few seconds. */
  observe(state: State, now: Moment): void {
    const slice = this.observing(state)
    while (slice(now));
  }

  /** The same in slices: call what it returns until that says false. */
  observing(state: State): (now: Moment) => boolean {
    for (const name of this.#groups.keys()) {
      if (!state.groups.has(name)) this.#groups.delete(name)
    }
    const waiting = [...state.groups.values()]
    return (now) => {
      this.#followClock(now)
      for (const group of waiting.splice(0, SLICE_GROUPS))
        this.#observeGroup(state, group, now.wallMs)
      return waiting.length > 0
    }
  }

  document(wallMs: number): TimelineDocument {
    const groups = [...this.#groups].map(groupEntry)
    return { ...withoutGroups(wallMs), groups }
  }

  /** The same as text, in slices. */
  inSlices(wallMs: number): { slice(): boolean; pieces(): readonly string[] } {
    const list = new SlicedList(withoutGroups(wallMs), this.#groups)
    return { slice: () => list.slice(groupEntry), pieces: () => list.pieces() }
  }

  #observeGroup(state: State, group: Group, wallMs: number): void {
    const { name } = group.config
    // It may have been removed since the last slice.
    if (state.groups.get(name) !== group) return
    const lanes = this.#lanesOf(name)
    for (const { kind, address, laneState } of instancesOf(state, group)) {
      const lane = laneFor(lanes, kind, address)
      if (lane !== undefined) extend(lane, laneState, wallMs)
    }
    forgetOld(lanes, wallMs)
  }

  /** What was seen by a clock that was wrong moves along, instead of lying in the future. */
  #followClock(now: Moment): void {
    const byMs = this.#clock.since(now)
    if (byMs === 0) return
    for (const lanes of this.#groups.values())
      for (const lane of lanes.values()) lane.spans = lane.spans.map((span) => moved(span, byMs))
  }

  #lanesOf(name: string): Map<string, Lane> {
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const lanes = new Map<string, Lane>()
    this.#groups.set(name, lanes)
    return lanes
  }
}

function withoutGroups(wallMs: number): TimelineDocument {
  return { nowMs: wallMs, fromMs: wallMs - KEPT_MS, groups: [] }
}

function groupEntry([name, lanes]: readonly [string, ReadonlyMap<string, Lane>]) {
  return { name, lanes: [...lanes.values()] }
}

function laneFor(lanes: Map<string, Lane>, kind: Lane['kind'], address: string): Lane | undefined {
  const key = `${kind} ${address}`
  const known = lanes.get(key)
  if (known !== undefined || lanes.size >= MOST_LANES) return known
  const lane: Lane = { kind, address, spans: [] }
  lanes.set(key, lane)
  return lane
}

function extend(lane: Lane, state: TimelineState, nowMs: number): void {
  const last = lane.spans.at(-1)
  const isNear = last !== undefined && nowMs >= last.toMs && nowMs - last.toMs < HOLE_MS
  if (isNear) lane.spans[lane.spans.length - 1] = { ...last, toMs: nowMs }
  if (isNear && last.state === state) return
  lane.spans.push({ fromMs: nowMs, toMs: nowMs, state })
  if (lane.spans.length > MOST_SPANS) lane.spans.shift()
}

function moved({ fromMs, toMs, state }: TimelineSpan, byMs: number): TimelineSpan {
  return { fromMs: fromMs + byMs, toMs: toMs + byMs, state }
}

function forgetOld(lanes: Map<string, Lane>, nowMs: number): void {
  for (const [key, lane] of lanes) {
    const [first] = lane.spans
    assert(first !== undefined, 'a lane begins with a span')
    if (first.toMs >= nowMs - KEPT_MS) continue
    lane.spans = lane.spans.filter(({ toMs }) => toMs >= nowMs - KEPT_MS)
    if (lane.spans.length === 0) lanes.delete(key)
  }
}

function* instancesOf(state: State, group: Group) {
  const master = currentMaster(group)
  for (const node of [group.master, ...group.replicas.values()]) {
    const isMaster = isSameAddress(node, master)
    const role = isMaster ? ('master' as const) : ('replica' as const)
    const isDown = isSdown(node)
    const down = node === group.master && isOdown(group) ? ('odown' as const) : ('down' as const)
    yield { kind: 'node', address: shown(state, node), laneState: isDown ? down : role } as const
  }
  const own = isTilted(state) ? ('tilt' as const) : ('sentinel' as const)
  yield { kind: 'sentinel', address: 'this Sentinel', laneState: own } as const
  for (const peer of group.peers.values()) {
    const laneState = isSdown(peer) ? ('down' as const) : ('sentinel' as const)
    yield { kind: 'sentinel', address: shown(state, peer), laneState } as const
  }
}

function shown(state: State, { host, port }: { readonly host: string; readonly port: number }) {
  return hostAndPort(shownHost(state, host), port)
}
