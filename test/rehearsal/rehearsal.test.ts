import { expect, test } from 'vitest'
import type { Effect } from '../../src/core/effect.ts'
import { rehearseFailovers } from '../../src/rehearsal/rehearsal.ts'

/** The words of one that happened `times` times. */
function said(effects: readonly Effect[], event: string): number {
  return effects.filter((effect) => effect.kind === 'log' && effect.text.startsWith(`${event} `))
    .length
}

function rehearsed(): { readonly effects: readonly Effect[]; readonly pieces: number } {
  const effects: Effect[] = []
  const nothing = () => {}
  const done = (_state: unknown, effect: Effect) => void effects.push(effect)
  const witness = { born: nothing, heard: nothing, stepped: nothing, saved: nothing, done }
  const pieces = [...rehearseFailovers(witness)].length
  return { effects, pieces }
}

test('a rehearsal is four failovers, led to their ends and believed by all three Sentinels', () => {
  const { effects } = rehearsed()
  expect(said(effects, '+elected-leader')).toBe(4)
  expect(said(effects, '+promoted-slave')).toBe(4)
  expect(said(effects, '+failover-end')).toBe(4)
  expect(said(effects, '+switch-master')).toBe(4 * 3)
  expect(said(effects, '+slave-reconf-done')).toBeGreaterThanOrEqual(3 + 2 + 1)
})

test('a rehearsal gives the process back after each moment of its virtual time', () => {
  expect(rehearsed().pieces).toBeGreaterThan(200)
})
