/** A Sentinel: its events, its votes, and the master it names. */
import type { Happening, HeardEvent } from '../../history/happening.ts'
import { type EventFacts, readEvent } from '../event-facts.ts'
import { eventMoment } from '../event-moment.ts'
import type { Naming } from '../names.ts'
import { statusMoment } from '../status.ts'
import type { RawLane, Single } from './lane-model.ts'
import type { LaneState } from './lane-state.ts'
import { SpanBuilder } from './spans.ts'

/** The same news in two forms, as an event and as seen from outside, is shown once. */
const ECHO_MS = 1_000

export function sentinelLane(told: readonly Happening[], naming: Naming, endMs: number): RawLane {
  const lane = new SentinelLane(naming)
  for (const happening of told) lane.told(happening)
  return lane.finish(endMs)
}

class SentinelLane {
  readonly #naming: Naming
  readonly #spans = new SpanBuilder({ kind: 'down' })
  readonly #moments: Single[] = []
  #status: 'down' | 'paused' | 'running' | 'unknown' = 'down'
  #isTilted = false
  readonly #masters = new Map<string, string>()
  readonly #voted = new Set<string>()
  /** When it last announced a switch, by group and new master. */
  readonly #switchedAt = new Map<string, number>()

  constructor(naming: Naming) {
    this.#naming = naming
  }

  told(happening: Happening): void {
    const { atMs } = happening
    if (happening.kind === 'status') this.#changed(happening)
    else if (happening.kind === 'unrecorded') this.#status = 'unknown'
    else if (happening.kind === 'event') this.#said(atMs, happening.name, happening.payload)
    else if (happening.kind === 'vote') this.#voteLeft(atMs, happening)
    else if (happening.kind === 'view') {
      const { host, port } = happening.master
      this.#names(atMs, happening.group, this.#naming.at(host, String(port)))
    }
    this.#spans.enter(atMs, this.#stateNow())
  }

  finish(endMs: number): RawLane {
    return { spans: this.#spans.finish(endMs), moments: this.#moments }
  }

  #changed(happening: Happening & { kind: 'status' }): void {
    const { status } = happening
    this.#moments.push(...statusMoment(happening, this.#spans.state))
    this.#status = status
    if (status !== 'down') return
    this.#masters.clear()
    this.#isTilted = false
  }

  #said(atMs: number, name: HeardEvent, payload: string): void {
    const facts = readEvent(name, payload, this.#naming)
    if (name === '+tilt' || name === '-tilt') this.#isTilted = name === '+tilt'
    this.#remember(atMs, facts)
    this.#moments.push(eventMoment(atMs, facts))
  }

  #remember(atMs: number, { vote, switched, group }: EventFacts): void {
    if (vote !== undefined) this.#voted.add(`${vote.leader} ${vote.epoch}`)
    if (switched !== undefined) this.#switchedAt.set(`${group} ${switched.to}`, atMs)
  }

  /** Shown only if no event said it before, as after a restart. */
  #voteLeft(atMs: number, vote: Happening & { kind: 'vote' }): void {
    const leader = this.#naming.sentinel(vote.leader)
    if (this.#voted.has(`${leader} ${vote.epoch}`)) return
    this.#voted.add(`${leader} ${vote.epoch}`)
    const text = `has voted for ${leader} in epoch ${vote.epoch} of ${vote.group}`
    const labels = [`votes for ${leader}`, `votes ${leader}`] as const
    this.#moments.push({ atMs, topic: 'election', labels: [...labels], text, isKey: true })
  }

  #names(atMs: number, group: string, master: string): void {
    const isFirst = !this.#masters.has(group)
    this.#masters.set(group, master)
    const switchedAtMs = this.#switchedAt.get(`${group} ${master}`) ?? Number.NEGATIVE_INFINITY
    const isEcho = atMs - switchedAtMs <= ECHO_MS
    const text = `names ${master} as master of ${group}`
    const labels = [`names ${master}`, master] as const
    const isKey = !isEcho && !(isFirst && atMs <= ECHO_MS)
    this.#moments.push({ atMs, topic: 'switch', labels: [...labels], text, isKey })
  }

  #stateNow(): LaneState {
    if (this.#status !== 'running') return { kind: this.#status }
    const names = [...new Set(this.#masters.values())].join(', ')
    return { kind: 'watching', names, isTilted: this.#isTilted }
  }
}
