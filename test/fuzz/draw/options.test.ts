/** Every option that a Sentinel knows is drawn, or somebody has said why not. */
import { describe, expect, test } from 'vitest'
import { GLOBAL_SETTING_KEYS } from '../../../src/core/global-settings.ts'
import { GROUP_OPTION_ROWS, type GroupOptionKey } from '../../../src/core/group-options.ts'
import { drawPlan } from '../../../src/fuzz/draw/draw.ts'
import { UNDRAWN, UNDRAWN_SETTINGS } from '../../../src/fuzz/draw/draw-options.ts'
import { numbers } from '../../../src/fuzz/odds.ts'

const PLANS = numbers(200).map((seed) => drawPlan(`${seed}`))
const TOPOLOGIES = PLANS.map(({ topology }) => topology)

/** The options that stand elsewhere than in a group. */
const ELSEWHERE: Partial<Record<GroupOptionKey, () => boolean>> = {
  promotionRules: () => TOPOLOGIES.some(({ nodes }) => nodes.some(({ promotion }) => promotion)),
  zones: () =>
    TOPOLOGIES.some(({ zones, groups }) => {
      return zones.length > 0 && groups.some(({ crossZonePromotion }) => crossZonePromotion)
    }),
  authPass: () => TOPOLOGIES.some(({ password }) => password !== undefined),
}

describe('options of a group', () => {
  const isDrawn = (key: GroupOptionKey, usual: unknown): boolean => {
    const values = TOPOLOGIES.flatMap(({ groups }) =>
      groups.map((group) => (group as Partial<Record<GroupOptionKey, unknown>>)[key]),
    )
    return ELSEWHERE[key]?.() ?? values.some((value) => value !== undefined && value !== usual)
  }

  test.each(GROUP_OPTION_ROWS)('%s is drawn, or has a reason', (key, row) => {
    expect(isDrawn(key, row.default)).toBe(UNDRAWN[key] === undefined)
  })
})

test('no setting of a Sentinel is drawn without being taken out of the list of those that are not', () => {
  expect(Object.keys(UNDRAWN_SETTINGS).sort()).toEqual([...GLOBAL_SETTING_KEYS].sort())
})

test('every word of promotion rules is drawn, and the first master is always free to be promoted', () => {
  const nodes = TOPOLOGIES.flatMap((one) => one.nodes)
  const words = new Set(nodes.map(({ promotion }) => promotion))
  expect([...words].sort()).toEqual(['must-not', 'neutral', 'prefer', 'prefer-not', undefined])
  const masters = nodes.filter(({ replicaOf }) => replicaOf === undefined)
  expect(masters.filter(({ promotion }) => promotion === 'must-not')).toEqual([])
})

test('min-replicas-to-write is never more than the replicas beside a master', () => {
  const asked = TOPOLOGIES.filter(({ settings }) => settings['min-replicas-to-write'] !== undefined)
  expect(asked.some(({ settings }) => Number(settings['min-replicas-to-write']) > 1)).toBe(true)
  const tooMany = asked.filter(({ settings, groups, nodes }) => {
    const sizes = groups.map(({ name }) => nodes.filter(({ group }) => group === name).length)
    return Number(settings['min-replicas-to-write']) > Math.min(...sizes) - 1
  })
  expect(tooMany).toEqual([])
})
