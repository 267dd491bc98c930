/** What operators are told of the voters of a strict group, as they subscribe to it. */
import { expect, test } from 'vitest'
import { unmetIn } from '../../support/unmet.ts'

const play = (timeline: string, expectations: string) =>
  unmetIn(`
name: Voters
story: What happens to them is announced.
topology:
  groups:
    mymaster: { master: n1, quorum: 2, down-after: 30s, failover-timeout: 60s, replication: strict }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, n3: { host: c, replica-of: n1 } }
  sentinels: { s1: { host: d }, s2: { host: e }, s3: { host: f } }
workload: { clients: { app: { host: g, operation: keys, think: 10ms } } }
duration: 60s
timeline:
${timeline}
expect:
${expectations}
`)

test('every Sentinel says which nodes are voters when a group has begun', async () => {
  const unmet = await play(
    '  - { at: 1s, start: n1 }',
    ['n1', 'n2', 'n3']
      .map(
        (node) =>
          `  - { event: { name: +voter, at: [s1, s2, s3], matching: ${node} }, within: 30s }`,
      )
      .join('\n'),
  )
  expect(unmet).toEqual([])
})

test('a voter that comes back without its memory has lost its vote, and gets it again', async () => {
  const unmet = await play(
    '  - { at: 35s, restart: { process: n2, disk: empty }, as: restarted }',
    '  - { event: { name: -voter, at: s1, matching: n2 }, after: restarted, within: 12s }',
  )
  expect(unmet).toEqual([])
})

test('writes that wait for voters are announced with the voters, and when they go on', async () => {
  const unmet = await play(
    [
      '  - { at: 15s, cut: { between: [a, b] } }',
      '  - { at: 15s, cut: { between: [a, c] }, as: cut }',
      '  - { at: 35s, heal: true, as: healed }',
    ].join('\n'),
    [
      '  - { event: { name: +writes-stalled, at: s1, matching: n1 }, after: cut, within: 15s }',
      '  - { event: { name: -writes-stalled, at: s1, matching: n1 }, after: healed, within: 15s }',
    ].join('\n'),
  )
  expect(unmet).toEqual([])
})
