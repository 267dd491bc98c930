/**
 * Carries out the steps of a scenario in a world, each at its time or when its condition is met.
 */
import { unreachable } from '../../base/assert.ts'
import { formatDuration } from '../duration.ts'
import { wordOf } from '../language/actions.ts'
import type { JudgedExpectation } from '../result.ts'
import type { ScenarioFile, Step } from '../scenario-file.ts'
import { failed } from '../verdict/verdict.ts'
import { momentOf } from '../verdict/window.ts'
import { wordCondition } from '../verdict/wording.ts'
import type { World } from '../world.ts'
import { type Resolved, resolveRoles } from './roles-now.ts'
import { type Met, type StepMark, waitFor } from './waiting.ts'

export interface PlayedTimeline {
  /** When each named step was done. */
  readonly labels: ReadonlyMap<string, number>
  /** When the last step was done or given up. */
  readonly lastMs: number
  /** When the last stall is over that a step began, or the last step was done. */
  readonly overMs: number
  /** Why the rest of the timeline was not done; undefined: all of it was. */
  readonly broken: JudgedExpectation | undefined
}

export async function playTimeline(
  file: ScenarioFile,
  world: World,
  graceMs: number,
): Promise<PlayedTimeline> {
  const player = new Player(file, world, graceMs)
  for (const step of file.steps) {
    const broken = await player.play(step)
    if (broken !== undefined) {
      const text = `step ${step.number}${titleOf(step)}: ${broken.text}`
      return { ...player.course, broken: { text, ...failed(broken.finding) } }
    }
  }
  return { ...player.course, broken: undefined }
}

/** What a step was to do or to wait for, and why it could not. */
interface Broken {
  readonly text: string
  readonly finding: string
}

const REST = 'the rest of the timeline was not done'

class Player {
  readonly #file: ScenarioFile
  readonly #world: World
  readonly #graceMs: number
  readonly #labels = new Map<string, number>()
  /** Where the last step was done: what happened from there on counts for the next step. */
  #mark: StepMark = { atMs: 0, happenings: 0 }
  #stalledUntilMs = 0

  constructor(file: ScenarioFile, world: World, graceMs: number) {
    this.#file = file
    this.#world = world
    this.#graceMs = graceMs
  }

  get course(): Omit<PlayedTimeline, 'broken'> {
    const { atMs: lastMs } = this.#mark
    return { labels: this.#labels, lastMs, overMs: Math.max(lastMs, this.#stalledUntilMs) }
  }

  /** Undefined: the step was done. */
  async play(step: Step): Promise<Broken | undefined> {
    const met = await this.#reach(step)
    if (met === undefined) return await this.#givesUp(step)
    this.#mark = met.at
    if (step.label !== undefined) this.#labels.set(step.label, met.at.atMs)
    for (const action of step.actions) {
      const resolved = this.#resolve(action, step, met)
      if (!resolved.ok) {
        return { text: 'whom it means', finding: `${resolved.finding}; ${REST}` }
      }
      await this.#world.apply(resolved.action)
      if (action.kind === 'stall') this.#stalls(action.forMs)
    }
    return undefined
  }

  #stalls(ms: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#mark.atMs + ms)
  }

  /** Goes on to the moment of a step. Undefined: the condition it waits for was not met. */
  async #reach({ when }: Step): Promise<Met | undefined> {
    switch (when.kind) {
      case 'at':
        return { at: await this.#goTo(momentOf(when.time, this.#labels)), witness: undefined }
      case 'after': {
        const { condition, withinMs, plusMs } = when
        const since = this.#mark
        const untilMs = since.atMs + withinMs + this.#graceMs
        const members = this.#file.topology
        const met = await waitFor(this.#world, { condition, members, since, untilMs })
        if (met === undefined || plusMs === 0) return met
        return { ...met, at: await this.#goTo(met.at.atMs + plusMs) }
      }
      default:
        return unreachable(when)
    }
  }

  async #goTo(atMs: number): Promise<StepMark> {
    const reachedMs = await this.#world.runUntil(Math.max(atMs, this.#mark.atMs))
    return { atMs: reachedMs, happenings: this.#world.happenings().length }
  }

  async #givesUp({ when }: Step): Promise<Broken> {
    const sinceMs = this.#mark.atMs
    const waitedMs = when.kind === 'after' ? when.withinMs + this.#graceMs : 0
    this.#mark = await this.#goTo(sinceMs + waitedMs)
    const awaited = when.kind === 'after' ? wordCondition(when.condition) : ''
    const since = `from ${formatDuration(sinceMs)} on`
    const finding = `waited ${formatDuration(waitedMs)} in vain, ${since}; ${REST}`
    return { text: `waits until ${awaited}`, finding }
  }

  #resolve(action: Step['actions'][number], step: Step, { witness }: Met): Resolved {
    const { topology } = this.#file
    return resolveRoles(action, { world: this.#world, topology, group: step.group, witness })
  }
}

function titleOf({ actions, label }: Step): string {
  const word = actions[0] === undefined ? label : wordOf(actions[0])
  return word === undefined ? '' : ` (${word})`
}
