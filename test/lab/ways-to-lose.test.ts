/**
 * The ways in which users of Sentinel lost writes that had been acknowledged, each played with both kinds of
 * replication. Two clients fight for the same keys; one of them lives beside the first master.
 */
import { expect, test } from 'vitest'
// biome-ignore lint/correctness/useImportExtensions: the types of a module stand beside it
import { scenarioText, WAYS, type Way } from '../../scripts/losses/ways.mjs'
import { parseScenario } from '../../src/scenario/parse.ts'
import type { GroupFacts } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'

async function play(way: Way, replication: string): Promise<GroupFacts> {
  const text = scenarioText(way, { replication, client: 'operation: shared, think: 10ms' })
  const parsed = parseScenario(text, 'way')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { facts } = await runScenario(parsed.value, { seed: '1' })
  const [group] = facts.groups
  if (group === undefined) throw new Error('there is a group')
  return group
}

test.each(WAYS)('async: $name', async (way) => {
  const { shared } = await play(way, '')
  expect(shared?.anomalies).toBeGreaterThan(0)
})

test.each(WAYS)('strict: $name', async (way) => {
  const { shared, writes } = await play(way, ', replication: strict, reads: linearizable')
  expect(shared).toMatchObject({ anomalies: 0, undecided: 0 })
  expect(writes.acknowledged).toBeGreaterThan(300)
})
