/** select_slave in a strict group: which voters the leader waits for. */
import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { playScenario, runScenario } from '../../../src/scenario/run.ts'

const HUNG_MASTER = `
name: A strict master hangs
story: Its connections stay open and it answers nothing.
topology:
  latency: 1ms
  groups:
    mymaster: { master: n1, quorum: 2, down-after: 1s, failover-timeout: 5s, replication: strict }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, n3: { host: c, replica-of: n1 } }
  sentinels: { s1: { host: a }, s2: { host: b }, s3: { host: c } }
duration: 15s
timeline:
  - { at: 6s, pause: n1 }
  - { after: { event: { name: +odown } }, as: odown }
expect:
  - { event: { name: +switch-master }, after: odown, within: 40ms }
`

test('a leader does not wait for the answer of a master that hangs', async () => {
  const parsed = parseScenario(HUNG_MASTER, 'hung')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { expectations } = await runScenario(parsed.value, { seed: '1' })
  expect(expectations).toMatchObject([{ passed: true }])
})

const ORDERED = `
name: An operator moves a strict master
story: It has time to send its clients ahead.
topology:
  latency: 5ms
  groups:
    mymaster: { master: n1, quorum: 2, down-after: 1s, failover-timeout: 5s, replication: strict }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, n3: { host: c, replica-of: n1 } }
  sentinels: { s1: { host: d }, s2: { host: e }, s3: { host: f } }
workload: { clients: { app: { host: g, rate: 200 } } }
duration: 15s
`

async function order(timeline: string, expectations: readonly string[]) {
  const listed = expectations.map((one) => `  - ${one}\n`).join('')
  const parsed = parseScenario(`${ORDERED}timeline:\n${timeline}expect:\n${listed}`, 'ordered')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { result, history } = await playScenario(parsed.value, { seed: '1' })
  const logged = history.happenings.flatMap((one) => (one.kind === 'log' ? one.text : []))
  const isPrepared = logged.some((text) => text.endsWith(': the target has everything'))
  const failed = result.expectations.flatMap(({ passed, finding }) => (passed ? [] : finding))
  return { failed, isPrepared }
}

const NOTHING_LOST = '{ lost-writes: { at-most: 0 } }'

const MET = { failed: [], isPrepared: true }
const MET_WITHOUT = { failed: [], isPrepared: false }

test('on an order the master prepares to hand over to the named replica before it is fenced', async () => {
  const timeline = '  - { at: 6s, as: order, failover: { at: s1, to: n3 } }\n'
  const named = '{ master: n3, after: order, within: 2s }'
  expect(await order(timeline, [named, NOTHING_LOST])).toEqual(MET)
})

test('COORDINATED is the same order in a strict group', async () => {
  const timeline = '  - { at: 6s, as: order, failover: { at: s1, coordinated: true } }\n'
  const other = '{ master: { not: n1 }, after: order, within: 2s }'
  expect(await order(timeline, [other, NOTHING_LOST])).toEqual(MET)
})

test('a master that hangs when it is told its heir is waited for no longer than half of down-after', async () => {
  const timeline =
    '  - { at: 5990ms, pause: n1 }\n  - { at: 6s, as: order, failover: { at: s1 } }\n'
  const soon = '{ master: { not: n1 }, after: order, within: 1s }'
  expect(await order(timeline, [soon, NOTHING_LOST])).toEqual(MET_WITHOUT)
})

test('an heir that is cut off from the master is none: the order ends, writes go on, and nothing is lost', async () => {
  const timeline = [
    '  - { at: 5900ms, cut: { between: [a, c] } }\n',
    '  - { at: 6s, as: order, failover: { at: s1, to: n3 } }\n',
  ].join('')
  const goesOn = '{ writes-work: true, after: order, within: 3s }'
  expect(await order(timeline, [goesOn, NOTHING_LOST])).toEqual(MET_WITHOUT)
})
