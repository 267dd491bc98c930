/** What each kind of work proves, played on the simulated cluster. */
import { describe, expect, test } from 'vitest'
import type { GroupFacts } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'
import { SIM_ENGINE } from '../../src/scenario/sim-engine.ts'
import type { Engine } from '../../src/scenario/world.ts'
import { altered, parse } from './support.ts'

const CLIENT = 'app: { host: d, rate: 20 }'
const STEP = '- { at: 5s, as: kill, kill: n1 }'
const EXPECTATION = '{ master: { not: n1 }, after: kill, within: 2s }'

/** Runs the small scenario with another client and other steps, expecting nothing. */
async function factsOf(
  client: string,
  steps: string,
  change: (text: string) => string = (text) => text,
): Promise<GroupFacts> {
  const text = altered(CLIENT, `app: ${client}`)
    .replace(STEP, steps)
    .replace(EXPECTATION, '{ failovers: { at-most: 9 } }')
  const result = await runScenario(parse(change(text)), { seed: '1' })
  const [facts] = result.facts.groups
  if (facts === undefined) throw new Error('there is a group')
  return facts
}

const KINDS = ['keys', 'set', 'counter', 'register', 'data']
/** These read as well, or are sometimes answered with an error. */
const WRITING_LESS = ['register', 'data']
const MARK = '- { at: 5s, as: mark, command: { to: n1, argv: [PING] } }'
const NO_GUARD = 'settings: { replica-empty-master-guard: no, '
const RESTART = '- { at: 5s, restart: { process: n1, disk: empty } }'

describe.each(KINDS)('%s', (kind) => {
  test.each(['rate: 50', 'think: 20ms'])('loses nothing in peace, with %s', async (pace) => {
    const facts = await factsOf(`{ host: d, ${pace}, operation: ${kind} }`, MARK)
    expect(facts.writes.acknowledged).toBeGreaterThan(WRITING_LESS.includes(kind) ? 120 : 240)
    expect(facts.lost).toEqual({
      ...{ byMajority: 0, byCutOff: 0, byDeposed: 0 },
      ...{ asynchronous: 0, splitBrain: 0, emptyRestart: 0 },
    })
    expect([facts.staleReads, facts.outages]).toEqual([{ fromDeposed: 0, afterLoss: 0 }, []])
  })
})

describe.each(['keys', 'set', 'counter', 'data'])('%s', (kind) => {
  const share = kind === 'data' ? 0.4 : 1

  test('are lost by a master that comes back empty, and by nothing else', async () => {
    // Replicas that guard their data would not let it come to that.
    const change = (text: string): string => text.replace('settings: { ', NO_GUARD)
    const { lost } = await factsOf(`{ host: d, rate: 50, operation: ${kind} }`, RESTART, change)
    expect(lost?.emptyRestart).toBeGreaterThan(150 * share)
    expect([lost?.asynchronous, lost?.splitBrain]).toEqual([0, 0])
  })

  test('are lost by a master that is cut off with its client', async () => {
    const steps = '- { at: 5s, partition: [[a, e], [b, c]] }\n  - { at: 12s, heal: true }'
    const client = `{ host: e, rate: 50, operation: ${kind} }`
    const { lost } = await factsOf(client, steps, (text) => text.replace('9s', '20s'))
    expect(lost?.splitBrain).toBeGreaterThan(100 * share)
    expect([lost?.asynchronous, lost?.emptyRestart]).toEqual([0, 0])
  })

  test('are lost for want of replication when only the replicas hear nothing of the master', async () => {
    const steps = `- { at: 5s, cut: { from: a, to: b } }
  - { at: 5s, cut: { from: a, to: c } }
  - { at: 7s, kill: n1 }`
    // The Sentinels sit elsewhere, and reach everybody.
    const change = (text: string): string =>
      text.replace(
        /s([123]): \{ host: [abc] \}/g,
        (_, number) => `s${number}: { host: e${number} }`,
      )
    const client = `{ host: d, rate: 50, operation: ${kind} }`
    const { lost } = await factsOf(client, steps, change)
    expect(lost?.asynchronous).toBeGreaterThan(80 * share)
    expect([lost?.splitBrain, lost?.emptyRestart]).toEqual([0, 0])
  })
})

describe('a client behind its own proxy', () => {
  const BEHIND = '{ host: d, rate: 50, proxy: true }'

  test('is answered by the node, and not by another one than its neighbour without a proxy', async () => {
    const pair = `${BEHIND}\n    other: { host: e, rate: 50 }`
    const { dualWritesMs, writes } = await factsOf(pair, MARK)
    expect([dualWritesMs, writes.refused]).toEqual([0, {}])
  })

  test('loses for want of replication what the master could not replicate', async () => {
    const cuts = '- { at: 5s, cut: { from: a, to: b } }\n  - { at: 5s, cut: { from: a, to: c } }'
    const change = (text: string): string =>
      text.replace(/s([123]): \{ host: [abc] \}/g, 's$1: { host: e$1 }')
    const { lost } = await factsOf(BEHIND, `${cuts}\n  - { at: 7s, kill: n1 }`, change)
    expect(lost).toMatchObject({ byCutOff: 0, byDeposed: 0, splitBrain: 0, emptyRestart: 0 })
    expect(lost?.asynchronous).toBeGreaterThan(80)
  })

  test('loses in a split brain what a deposed master acknowledged', async () => {
    const steps = '- { at: 5s, partition: [[a], [b, c]] }\n  - { at: 12s, heal: true }'
    const longer = (text: string): string => text.replace('9s', '20s')
    const { lost } = await factsOf(BEHIND.replace('d,', 'a,'), steps, longer)
    expect(lost?.splitBrain).toBeGreaterThan(10)
    expect([lost?.asynchronous, lost?.emptyRestart]).toEqual([0, 0])
  })
})

test('a register is read back older than promised after a split brain', async () => {
  const steps = '- { at: 5s, partition: [[a, e], [b, c]] }\n  - { at: 12s, heal: true }'
  const client = '{ host: e, rate: 50, operation: register }'
  const facts = await factsOf(client, steps, (text) => text.replace('9s', '20s'))
  expect(facts.staleReads).toEqual({ fromDeposed: 0, afterLoss: expect.any(Number) })
  expect(facts.staleReads.afterLoss).toBeGreaterThan(0)
  expect(facts.lost?.splitBrain).toBe(0)
})

describe('shared keys', () => {
  const pair = (here: string, there: string): string =>
    `{ host: ${here}, think: 10ms, operation: shared }\n    other: { host: ${there}, think: 10ms, operation: shared }`
  const longer = (text: string): string => text.replace('9s', '20s')

  test('have a linear history while one node answers', async () => {
    const { shared } = await factsOf(pair('d', 'e'), MARK)
    expect(shared).toEqual({ histories: expect.any(Number), anomalies: 0, undecided: 0 })
    expect(shared?.histories).toBeGreaterThan(15)
  })

  test('have none after a split brain, whatever became of the writes', async () => {
    const steps = '- { at: 5s, partition: [[a, e], [b, c, d]] }\n  - { at: 12s, heal: true }'
    const { shared } = await factsOf(pair('d', 'e'), steps, longer)
    expect(shared?.anomalies).toBeGreaterThan(2)
    expect(shared?.undecided).toBe(0)
  })
})

/** Virtual time in which a process takes a moment to end, as in real time. */
const SLOW_TO_END: Engine = {
  ...SIM_ENGINE,
  create: async (file, seed) => {
    const world = await SIM_ENGINE.create(file, seed)
    return {
      ...world,
      apply: async (action) => {
        if (action.kind === 'kill') await world.runUntil((await world.runUntil(0)) + 300)
        await world.apply(action)
      },
    }
  },
}

// Seed 9 on real processes, one run in twenty.
test.each(['data', 'shared'])(
  '%s of a client that wrote until it was gone is no violation',
  async (kind) => {
    const text = altered(CLIENT, `app: { host: d, rate: 50, operation: ${kind} }`)
      .replace(STEP, MARK)
      .replace(EXPECTATION, '{ failovers: { at-most: 0 } }')
    const { violations } = await runScenario(parse(text), { seed: '1', engine: SLOW_TO_END })
    expect(violations).toEqual([])
  },
)
