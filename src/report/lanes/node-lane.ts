/** A data node: whether it runs, which role it has, and how it answers writes. */

import type { Happening, NodeRole } from '../../history/happening.ts'
import type { Write } from '../../history/writes.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { statusMoment } from '../status.ts'
import type { RawLane, Single } from './lane-model.ts'
import type { LaneState } from './lane-state.ts'
import { SpanBuilder } from './spans.ts'

export function nodeLane(
  told: readonly Happening[],
  writes: readonly Write[],
  history: RunHistory,
): RawLane {
  const lane = new NodeLane(history.nameOf)
  const answers = answersOf(writes)
  let next = 0
  for (const happening of told) {
    for (let answer = answers[next]; answer !== undefined; answer = answers[++next]) {
      if (answer.atMs >= happening.atMs) break
      lane.answered(answer)
    }
    lane.told(happening)
  }
  for (const answer of answers.slice(next)) lane.answered(answer)
  return lane.finish(history.endMs)
}

class NodeLane {
  readonly #nameOf: RunHistory['nameOf']
  readonly #spans = new SpanBuilder({ kind: 'down' })
  readonly #moments: Single[] = []
  #isPaused = false
  /** Its state when it is not paused. */
  #state: LaneState = { kind: 'down' }

  constructor(nameOf: RunHistory['nameOf']) {
    this.#nameOf = nameOf
  }

  told(happening: Happening): void {
    const { atMs } = happening
    if (happening.kind === 'status') {
      const { status } = happening
      this.#moments.push(...statusMoment(happening, this.#spans.state))
      this.#isPaused = status === 'paused'
      if (status === 'down') this.#state = { kind: 'down' }
      if (status === 'running' && this.#state.kind === 'down') this.#state = { kind: 'starting' }
      this.#spans.enter(atMs, this.#isPaused ? { kind: 'paused' } : this.#state)
    } else if (happening.kind === 'role') {
      this.#enter(atMs, roleState(happening.role, this.#nameOf))
    } else if (happening.kind === 'said') {
      const { fact, text } = happening
      const labels = [`says: ${text}`, fact] as const
      this.#moments.push({ atMs, topic: 'state', labels, text: labels[0], isKey: true })
    }
  }

  /** Only a master's answers to writes say something about it: a replica always refuses. */
  answered({ atMs, code }: Answer): void {
    if (this.#state.kind !== 'master') return
    this.#enter(atMs, { kind: 'master', refuses: code })
  }

  #enter(atMs: number, state: LaneState): void {
    const before = this.#state
    this.#state = state
    if (this.#isPaused || !this.#spans.enter(atMs, state)) return
    this.#moments.push(...stateMoment(atMs, state, before))
  }

  finish(endMs: number): RawLane {
    return { spans: this.#spans.finish(endMs), moments: this.#moments }
  }
}

function roleState(role: NodeRole, nameOf: RunHistory['nameOf']): LaneState {
  if (role.kind === 'master') return { kind: 'master', refuses: role.refuses }
  return { kind: 'replica', of: nameOf(role.master), isLinkUp: role.isLinkUp }
}

function stateMoment(atMs: number, state: LaneState, before: LaneState): Single[] {
  const moment = { atMs, topic: 'state' as const, isKey: true }
  if (state.kind === 'replica') return [replicaMoment(atMs, state, before)]
  if (state.kind !== 'master') return []
  if (state.refuses !== undefined) {
    const text = `refuses writes with ${state.refuses}`
    return [{ ...moment, labels: [`refuses: ${state.refuses}`, state.refuses, 'refuses'], text }]
  }
  if (before.kind === 'master') {
    return [{ ...moment, labels: ['takes writes', 'writes'], text: 'acknowledges writes again' }]
  }
  return [{ ...moment, topic: 'promotion', labels: ['master'], text: 'is master' }]
}

function replicaMoment(
  atMs: number,
  state: LaneState & { kind: 'replica' },
  before: LaneState,
): Single {
  const { of, isLinkUp } = state
  const moment = { atMs, topic: 'state' as const }
  if (isLinkUp) {
    const text = `is replica of ${of}, link up`
    return { ...moment, labels: [`replica of ${of}`, `of ${of}`], text, isKey: true }
  }
  const text = `is replica of ${of}, link down`
  if (before.kind === 'replica' && before.of === of) {
    return { ...moment, labels: [`lost ${of}`, 'no link'], text, isKey: true }
  }
  // At the start every replica is told which master to follow; only later is that news.
  const isKey = before.kind !== 'starting'
  return { ...moment, labels: [`turns to ${of}`, `to ${of}`], text, isKey }
}

interface Answer {
  readonly atMs: number
  /** The error's code; undefined if acknowledged. */
  readonly code: string | undefined
}

function answersOf(writes: readonly Write[]): readonly Answer[] {
  const answers = writes.flatMap(({ outcome }): Answer[] => {
    if (outcome.kind === 'acknowledged') return [{ atMs: outcome.atMs, code: undefined }]
    if (outcome.kind !== 'refused') return []
    return [{ atMs: outcome.atMs, code: outcome.text.split(' ')[0] ?? '' }]
  })
  return answers.sort((a, b) => a.atMs - b.atMs)
}
