import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderReport } from '../../src/scenario/report.ts'
import type { ScenarioResult } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'
import { sized } from '../support/sized.ts'
import { altered, parse } from './support.ts'

const SHIPPED = new URL('../../scenarios/', import.meta.url)
const SEEDS = sized(['1'], ['1', '2'])
const FILES = readdirSync(SHIPPED).filter((file) => file.endsWith('.yml'))

describe.each(FILES.filter((_file, at) => sized(at % 2 === 0, true)))('%s', (file) => {
  test.each(SEEDS)('passes with seed %s', async (seed) => {
    const result = await runScenario(parse(readFileSync(new URL(file, SHIPPED), 'utf8')), { seed })
    // The report says at a glance what went wrong.
    expect(result.verdict === 'passed' ? '' : renderReport(result)).toBe('')
  })
})

test.each(sized(['1', '2'], ['1', '2', '3', '4', '5']))(
  'a killed master costs little more than down-after: round trips, no periods (seed %s)',
  async (seed) => {
    const file = readFileSync(new URL('01-master-killed.yml', SHIPPED), 'utf8')
    const { facts } = await runScenario(parse(file), { seed })
    // down-after is one second.
    expect(facts.groups[0]?.longestOutageMs).toBeLessThan(1_500)
  },
)

const EXPECTATION = '{ master: { not: n1 }, after: kill, within: 2s }'

/** Runs the small scenario with these expectations instead of its own; the master is killed after 5 s. */
async function judged(expectations: readonly string[]): Promise<ScenarioResult> {
  const text = altered(EXPECTATION, expectations.join('\n  - '))
  return await runScenario(parse(text), { seed: '1' })
}

describe('the verdict can tell', () => {
  const MET = [
    EXPECTATION,
    '{ master: n1, until: kill, after: 3s, always: true }',
    '{ one-master: true, after: kill, within: 2s }',
    '{ one-master: { among: [n2, n3] }, until: kill, never: true }',
    '{ replica: { node: n2, of: n1 }, within: 5s }',
    '{ writes-work: true, after: kill, within: 2s }',
    '{ event: { name: +odown }, after: kill, within: 2s }',
    '{ event: { name: +sdown, at: [s1, s2, s3], matching: n1 }, after: kill, within: 2s }',
    '{ event: { name: +tilt }, never: true }',
    '{ failovers: { at-most: 1 } }',
    '{ lost-writes: { at-most: 0 } }',
    '{ dual-writes: { at-most: 0s } }',
    '{ role: { node: n1, is: master }, after: 3s, until: kill, always: true }',
    '{ converged: true, after: kill, within: 3s }',
    '{ leader: true, after: kill, within: 2s }',
    '{ event: { name: +sdown, matching: n1, at-least: 3 }, after: kill }',
    '{ event: { name: +sdown, at-most: 0 }, until: kill }',
    '{ event: { name: +odown, at: s1, at-most: 1 } }',
    '{ failovers: { at-least: 1, at-most: 1 } }',
    '{ outage: { at-most: 3s } }',
    '{ outage: { at-most: 500ms, client: app }, until: kill }',
    '{ lost-writes: { at-most: 0, cause: split-brain } }',
    '{ settled: { within: 5s } }',
  ]
  const UNMET: readonly (readonly [expectation: string, finding: RegExp])[] = [
    ['{ master: n1, after: kill, within: 2s }', /names n[23]/],
    ['{ master: { not: n1 }, after: kill, within: 500ms }', /s1 names n1/],
    ['{ master: n1, after: 3s, always: true }', /at 6\.\d+ s: /],
    ['{ one-master: true, after: 3s, always: true }', /at 5 s: there is none/],
    ['{ replica: { node: n1, of: master }, after: kill, within: 2s }', /not running/],
    ['{ refuses-writes: { node: n1, with: NOREPLICAS }, within: 4s }', /last answer is OK/],
    ['{ writes-work: true, after: kill, within: 500ms }', /did not happen/],
    ['{ event: { name: +odown }, never: true }', /it happened at 6\.\d+ s/],
    ['{ event: { name: +sdown, at: s1, matching: n2 }, within: 9s }', /did not happen/],
    ['{ failovers: { at-most: 0 } }', /^1 failover$/],
    ['{ failovers: { at-least: 2 } }', /^1 failover$/],
    ['{ role: { node: n1, is: replica }, within: 4s }', /it is a master/],
    ['{ converged: true, after: 3s, always: true }', /at 5 s: n1 is down/],
    ['{ leader: true, never: true }', /it happened at 6\.\d+ s/],
    ['{ event: { name: +sdown, at-least: 1 }, until: kill }', /^0 seen$/],
    ['{ event: { name: +odown, at-most: 0 } }', /^[1-3] seen$/],
    ['{ outage: { at-most: 900ms }, after: kill }', /^1\.\d+ s$/],
    ['{ outage: { at-most: 900ms, client: app } }', /^app: 1\.\d+ s$/],
    ['{ stale-reads: { at-most: 0 } }', /^no client of the group reads a register/],
    ['{ lost-writes: { at-least: 1 } }', /^0 of \d+$/],
  ]
  // One run for all: whether an expectation is met does not depend on those beside it.
  let met: ScenarioResult
  let mixed: ScenarioResult
  beforeAll(async () => {
    met = await judged(MET)
    mixed = await judged([EXPECTATION, ...UNMET.map(([expectation]) => expectation)])
  })

  test.each(MET.map((expectation, at) => [expectation, at] as const))('%s is met', (_, at) => {
    expect(met.expectations[at]).toMatchObject({ passed: true })
  })

  test.each(UNMET.map((one, at) => [...one, at] as const))('%s is not met', (_, finding, at) => {
    expect(mixed.expectations[at + 1]).toMatchObject({ passed: false })
    expect(mixed.expectations[at + 1]?.finding).toMatch(finding)
  })

  test('nothing is lost or stale where nothing was acknowledged or read, and that is no success', async () => {
    const claims = `
  - { lost-writes: { at-most: 0 } }
  - { stale-reads: { at-most: 0 } }`
    const played = async (client: string) => {
      const text = altered('app: { host: d, rate: 20 }', client)
      const { expectations } = await runScenario(parse(text + claims), { seed: '1' })
      return expectations.slice(1).map(({ passed, finding }) => [passed, finding])
    }
    expect(await played('app: { host: d, wait: 5 }')).toEqual([
      [false, 'no write was acknowledged at all'],
      [false, 'no client of the group reads a register (operation: register)'],
    ])
    const [lost, stale] = await played('app: { host: d, rate: 20, operation: register }')
    expect([lost?.[0], stale]).toEqual([true, [true, '0 stale']])
  })

  test('it is passed if all are met, and failed if one is not', async () => {
    expect([met.verdict, mixed.expectations[0]?.passed, mixed.verdict]).toEqual([
      'passed',
      true,
      'failed',
    ])
    const [first = ''] = UNMET.map(([expectation]) => expectation)
    expect((await judged([EXPECTATION, first])).verdict).toBe('failed')
  })
})

test('a scenario without failover protection loses what a cut-off master promised', async () => {
  const cut = altered('kill: n1', 'partition: [[a, e], [b, c]]')
    .replace('app: { host: d', 'app: { host: e')
    .replace('expect:', '  - { at: 15s, as: heal, heal: true }\nexpect:')
    .replace(
      EXPECTATION,
      [
        '{ lost-writes: { at-most: 0 } }',
        '{ lost-writes: { at-least: 50, acknowledged-by: minority } }',
        '{ replica: { node: n1, of: master }, after: heal, within: 20s }',
      ].join('\n  - '),
    )
  const result = await runScenario(parse(cut), { seed: '1' })
  expect(result.expectations.slice(0, 2)).toMatchObject([
    { text: 'no write acknowledged is lost', passed: false },
    { text: 'at least 50 of the writes acknowledged by the minority side are lost', passed: true },
  ])
  const lost = result.facts.groups[0]?.lost
  expect(lost?.byCutOff).toBeGreaterThan(50)
  expect(lost?.byMajority).toBe(0)
  expect(result.verdict).toBe('failed')
})

test('a cluster that is still torn apart has not settled, and the finding says how', async () => {
  const torn = altered('kill: n1', 'partition: [[a], [b, c, d]]').replace(
    EXPECTATION,
    '{ settled: { within: 3s } }',
  )
  const { expectations } = await runScenario(parse(torn), { seed: '1' })
  expect(expectations[0]?.finding).toMatch(/s1 names n1 in config epoch 0; .*s2 names n[23]/)
})

test('a command that a process refuses is told, and one that it carries out is not', async () => {
  const step = (word: string) => `{ at: 5s, command: { to: s1, argv: [SENTINEL, ${word}] } }`
  const asked = altered('{ at: 5s, as: kill, kill: n1 }', `${step('MYIDD')}\n  - ${step('MYID')}`)
  const { timeline } = await runScenario(parse(asked.replace(/after: kill, /, '')), { seed: '1' })
  const refusals = timeline.filter(({ kind }) => kind === 'refused')
  expect(refusals.map(({ process, text }) => `${process} ${text}`)).toEqual([
    "s1 refuses SENTINEL MYIDD: ERR unknown subcommand 'MYIDD'. Try SENTINEL HELP.",
  ])
})

test('the same seed gives the same result', async () => {
  const scenario = parse(altered(EXPECTATION, EXPECTATION))
  const first = await runScenario(scenario, { seed: '3' })
  expect(await runScenario(scenario, { seed: '3' })).toEqual(first)
})

test('the timeline tells of steps that change nothing, since they name the wrong process or come too late', async () => {
  const steps = `
  - { at: 1s, resume: n2 }
  - { at: 2s, pause: [n2, n3] }
  - { at: 3s, resume: [n2, n3] }
  - { at: 5s, as: kill, kill: n1 }
  - { at: 6s, kill: n1 }`
  const file = altered('\n  - { at: 5s, as: kill, kill: n1 }', steps)
  const { timeline } = await runScenario(parse(file), { seed: '1' })
  expect(timeline.filter(({ kind }) => kind === 'fault').map(({ text }) => text)).toEqual([
    '! resume n2, which changes nothing: n2 is running',
    '! pause n2, n3',
    '! resume n2, n3',
    '! kill n1',
    '! kill n1, which changes nothing: n1 is down',
  ])
})

test.each(sized(['19ms'], ['1ms', '19ms']))(
  'a down-after of %s is played to the end',
  async (downAfter) => {
    const text = altered('down-after: 1s', `down-after: ${downAfter}`)
    const { endMs } = await runScenario(parse(text), { seed: '1' })
    expect(endMs).toBeGreaterThan(9_000)
  },
)

describe('an event in the run of two groups', () => {
  const text = `
name: Two groups
story: One of them loses its master.
topology:
  groups: { g1: { master: n1, quorum: 2, down-after: 1s }, g2: { master: m1, quorum: 2, down-after: 1s } }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, m1: { host: c }, m2: { host: b, replica-of: m1 } }
  sentinels: { s1: { host: b }, s2: { host: c }, s3: { host: d } }
timeline: [{ at: 3s, kill: n1 }STEPS]
expect:
  - { event: { name: +switch-master, at-least: 3 }, group: g1 }
  - { event: { name: +switch-master }, group: g2, never: true }
  - { event: { name: +sdown }, group: g2, never: true }
duration: 6s
`
  const verdictOf = async (change: (text: string) => string) => {
    const { verdict, expectations } = await runScenario(parse(change(text)), { seed: '1' })
    return [verdict, ...expectations.filter(({ passed }) => !passed).map((one) => one.text)]
  }

  test('is that of the group which the expectation names', async () => {
    const plain = (it: string) => it.replace('STEPS', '')
    expect(await verdictOf(plain)).toEqual(['passed'])
    const other = (it: string) => plain(it).replace('3 }, group: g1', '3 }, group: g2')
    expect(await verdictOf(other)).toEqual([
      'failed',
      '+switch-master of g2 at a Sentinel, at least 3 times',
    ])
  })

  test('is that of the group which the step names', async () => {
    const waiting =
      ', { after: { event: { name: +odown } }, group: g2, within: 2s, as: never, heal: true }'
    const [verdict, failure] = await verdictOf((it) => it.replace('STEPS', waiting))
    expect([verdict, failure]).toEqual(['failed', expect.stringContaining('+odown of g2')])
  })
})

describe('without a duration a run lasts long enough', () => {
  /** The master has no Sentinel and dies: without a failover the outage ends with the run. */
  async function endless(
    expectation: string,
    step = '{ at: 5s, as: kill, kill: [s1, s2, s3, n1] }',
  ) {
    const text = altered('duration: 9s', '')
      .replace('{ at: 5s, as: kill, kill: n1 }', step)
      .replace(EXPECTATION, expectation)
    return await runScenario(parse(text), { seed: '1' })
  }

  test('for an outage that the last step begins to become too long', async () => {
    const { verdict, expectations } = await endless('{ outage: { at-most: 10s } }')
    expect(expectations.map(({ passed }) => passed)).toEqual([false])
    expect(verdict).toBe('failed')
  })

  test('for a stall to be over', async () => {
    const stall = '{ at: 5s, as: kill, stall: { process: n1, for: 4s } }'
    const { endMs, facts } = await endless('{ failovers: { at-most: 1 } }', stall)
    expect(endMs).toBe(10_000)
    expect(facts.groups.map(({ failovers }) => failovers)).toEqual([1])
  })
})
