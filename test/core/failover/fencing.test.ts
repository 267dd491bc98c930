/** select_slave in a strict group: which voters the leader waits for. */
import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/scenario/parse.ts'
import { runScenario } from '../../../src/scenario/run.ts'

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
