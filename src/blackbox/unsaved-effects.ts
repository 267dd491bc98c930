/**
 * The effects that wait behind a save. If the save fails, the driver hands them back to the
 * machine; a record does not repeat them, because they follow from the steps before.
 */
import type { Effect } from '../core/effect.ts'
import type { EntryEvent } from './entry.ts'

export class UnsavedEffects {
  #effects: Effect[] | undefined

  /** A save has no answer yet. */
  get areUnderWay(): boolean {
    return this.#effects !== undefined
  }

  /** What a step has done; undefined: there was no step, this is the first batch. */
  step(kind: EntryEvent['kind'] | undefined, effects: readonly Effect[]): void {
    if (kind === 'saved' || kind === 'saveFailed') this.#effects = undefined
    if (effects.length === 0) return
    const first = this.#effects === undefined ? firstSave(effects) : 0
    if (first < 0) return
    const behind = effects.slice(first)
    this.#effects ??= []
    this.#effects.push(...behind.filter((effect) => effect.kind !== 'save'))
  }

  /** What a save that fails now drops. */
  get dropped(): readonly Effect[] {
    return this.#effects ?? []
  }

  isSame(dropped: readonly Effect[]): boolean {
    const { dropped: ours } = this
    return ours.length === dropped.length && ours.every((effect, at) => effect === dropped[at])
  }
}

function firstSave(effects: readonly Effect[]): number {
  for (let at = 0; at < effects.length; at++) if (effects[at]?.kind === 'save') return at
  return -1
}
