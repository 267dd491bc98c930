/** An incident of which the records are known is reconstructed, played, and comes out as it did. */
import { expect, test } from 'vitest'
import { tell } from '../../src/cli/incident/stories.ts'
import { type RealCourse, reconstruct } from '../../src/cli/incident/what-if/reconstruct.ts'
import { scenarioOf, scenarioText } from '../../src/cli/incident/what-if/scenario.ts'
import { whatIfLines } from '../../src/cli/incident/what-if/text.ts'
import { NEAR_ENOUGH, playWhatIf } from '../../src/cli/incident/what-if/what-if.ts'
import { played } from '../blackbox/recorded-lives.ts'
import { sized } from '../support/sized.ts'

async function realCourse(name: string): Promise<RealCourse> {
  const { lives } = await played(name)
  const told = tell(lives, {})
  const [chapter] = told.chosen
  if (chapter === undefined) throw new Error('there is no incident')
  const real = reconstruct(told, lives, chapter)
  if (typeof real === 'string') throw new Error(real)
  return real
}

const INCIDENTS: [string, string][] = [
  ['01-master-killed.yml', '{ at: 20s, kill: n1 }'],
  ['17-hung-master-thaws.yml', '{ at: 20s, pause: n1 }'],
  ['02-master-and-one-sentinel-cut-off.yml', 'cut: { from: host-1, to: host-2 }'],
  ['37-planned-handover.yml', 'coordinated: true'],
]

test.each(sized(INCIDENTS.slice(0, 1), INCIDENTS))(
  '%s is reconstructed, and comes out as it did within a fifth',
  async (name, step) => {
    const real = await realCourse(name)
    expect(scenarioText(real.reconstruction, [])).toContain(step)
    const told = await playWhatIf(real, [], { first: 1, last: 2 })
    if (typeof told === 'string') throw new Error(told)
    expect(told.real.switchedMs).toBeDefined()
    expect(told.strayed).toBeLessThanOrEqual(NEAR_ENOUGH)
    expect(whatIfLines(told).join('\n')).toMatch(/: \d+ % off/)
  },
)

test('what befell a master a minute before, as a replica, is not its loss', async () => {
  const real = await realCourse('../test/cli/testdata/lost-before-as-a-replica.yml')
  expect(real.reconstruction.troubles).toHaveLength(1)
  expect(real.switchedMs).toBeLessThan(2_000)
  const told = await playWhatIf(real, [], { first: 1, last: 2 })
  expect(typeof told === 'string' ? told : told.strayed).toBeLessThanOrEqual(NEAR_ENOUGH)
})

test('where nobody took the place of the master, nobody does', async () => {
  const real = await realCourse('11-isolated-sentinel.yml')
  const told = await playWhatIf(real, [], { first: 1, last: 2 })
  expect(told).toMatchObject({ strayed: 0, real: { switchedMs: undefined } })
})

test('a strict group is played as one, with a replica that is no voter as none', async () => {
  const { reconstruction } = await realCourse('83-strict-newest-history-before-priority.yml')
  const played = scenarioOf(reconstruction, [])
  if (typeof played === 'string') throw new Error(played)
  expect(played.topology.groups).toMatchObject([{ replication: 'strict', reads: 'normal' }])
  const directives = () => played.topology.nodes.map((node) => [...node.directives])
  expect(directives()).toEqual([[], [], [['replica-priority', '1']]])
  const { group } = reconstruction
  const voters = group.config.voters.slice(0, 2)
  const config = { ...group.config, voters }
  const text = scenarioText({ ...reconstruction, group: { ...group, config } }, [])
  expect(text).toMatch(/n3: .*sync-replication: no/)
})

test('nobody is promoted whom the rules of the group forbid, where nobody was', async () => {
  const real = await realCourse('55-a-replica-that-must-not-be-promoted.yml')
  expect(scenarioText(real.reconstruction, [])).toMatch(/promotion: must-not/)
  const told = await playWhatIf(real, [], { first: 1, last: 2 })
  expect(told).toMatchObject({ strayed: 0, real: { switchedMs: undefined } })
})

test('the zones of the nodes are played, under names that a scenario takes', async () => {
  const { reconstruction } = await realCourse('56-no-promotion-outside-of-the-zone.yml')
  const played = scenarioOf(reconstruction, [])
  expect(played).toMatchObject({ topology: { groups: [{ crossZonePromotion: 'no' }] } })
  expect(scenarioText(reconstruction, [])).toMatch(/zones:\s+east: .*\s+west: /)
  const { group } = reconstruction
  const zones = group.config.zones.map(([node]) => [node, `host-${node}`] as const)
  const config = { ...group.config, zones }
  const renamed = scenarioText({ ...reconstruction, group: { ...group, config } }, [])
  expect(renamed).toMatch(/zones:\s+zone1: .*\s+zone2: /)
})

test('periods that an operator gave the group are played', async () => {
  const { reconstruction } = await realCourse('01-master-killed.yml')
  const { group } = reconstruction
  const periods = { failoverBlockMs: 60_000, rebootDownAfterMs: 2_000, grayAfterMs: 3_000 }
  const config = { ...group.config, ...periods }
  const played = scenarioOf({ ...reconstruction, group: { ...group, config } }, [])
  expect(played).toMatchObject({ topology: { groups: [periods] } })
})

test('a longer down-after is told to take longer', async () => {
  const real = await realCourse('17-hung-master-thaws.yml')
  const told = await playWhatIf(real, [['down-after', '4s']], { first: 1, last: 2 })
  if (typeof told === 'string') throw new Error(told)
  const [was, mightBe] = told.variants
  const times = [was, mightBe].map((one) => one?.outcomes.map(({ switchedMs = 0 }) => switchedMs))
  expect(Math.min(...(times[1] ?? []))).toBeGreaterThan(2_000 + Math.max(...(times[0] ?? [])))
  expect(whatIfLines(told).join('\n')).toMatch(/as it was +down-after=4s/)
})

test('a setting that there is not is refused in the words in which it was asked for', async () => {
  const { reconstruction } = await realCourse('01-master-killed.yml')
  for (const [option, value] of [
    ['down-after', '3'],
    ['quorum', 'many'],
    ['no-such-directive', '1'],
  ] as const)
    expect(scenarioOf(reconstruction, [[option, value]])).toMatch(
      RegExp(`^--set ${option}=${value}: `),
    )
})
