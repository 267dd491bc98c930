/** A voter whose disk was replaced gets its vote back by a fence that serves nothing else. */
import { expect, test } from 'vitest'
import { unmetIn } from '../../support/unmet.ts'

const EMPTIED = '  - { at: 20s, as: emptied, restart: { process: n3, disk: empty } }'

/** Returns the expectations that do not hold. */
const unmetAfter = (steps: readonly string[], expectations: readonly string[]) =>
  unmetIn(`
name: Renewal
story: The disk of a voter is replaced.
topology:
  groups:
    mymaster: { master: n1, quorum: 2, down-after: 1s, failover-timeout: 5s, replication: strict }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, n3: { host: c, replica-of: n1 } }
  sentinels: { s1: { host: d }, s2: { host: e }, s3: { host: f } }
workload: { clients: { app: { host: g, operation: keys, think: 10ms } } }
duration: 60s
timeline:
${steps.join('\n')}
expect:
  - { lost-writes: { at-most: 0 } }
${expectations.map((one) => `  - ${one}`).join('\n')}
`)

const RENEWED = '{ event: { name: +reinstated-master }, after: emptied, within: 20s }'
const NOT_RENEWED = '{ event: { name: +try-failover }, after: emptied, never: true }'

test('the master goes on, no client waits for long, and the voter counts again', async () => {
  const unmet = await unmetAfter(
    [EMPTIED, '  - { at: 45s, as: second, kill: n2 }'],
    [
      ...[RENEWED, '{ event: { name: +voter, matching: n3 }, after: emptied, within: 20s }'],
      '{ outage: { at-most: 300ms }, after: 10s }',
      '{ writes-work: true, after: second, within: 1s }',
    ],
  )
  expect(unmet).toEqual([])
})

test('not while the votes that a failover needs are missing: the fence would end the writes', async () => {
  const unmet = await unmetAfter(
    ['  - { at: 19s, pause: n2 }', EMPTIED, '  - { at: 40s, as: back, resume: n2 }'],
    [
      '{ event: { name: +try-failover }, after: emptied, until: back, never: true }',
      '{ event: { name: +reinstated-master }, after: back, within: 20s }',
    ],
  )
  expect(unmet).toEqual([])
})

test('not for a voter that has a term and gets its vote back by itself', async () => {
  const steps = ['  - { at: 20s, as: emptied, restart: n3 }']
  expect(await unmetAfter(steps, [NOT_RENEWED])).toEqual([])
})

test('not while failovers are paused', async () => {
  const paused = '  - { at: 18s, pause-failover: { at: s1, group: mymaster, for: 120s } }'
  expect(await unmetAfter([paused, EMPTIED], [NOT_RENEWED])).toEqual([])
})
