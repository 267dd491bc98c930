/**
 * The ways in which users of Sentinel lost writes that had been acknowledged, as timelines for three hosts with a
 * node and a Sentinel each: n1, the master, and s1 on a, and so on. Clients live on a, beside the master, and on d.
 */

const CLIENT = 'operation: keys, think: 10ms'

/** The fields are explained in ways.d.mts. */
export const WAYS = [
  {
    name: 'the master is cut off with one of its clients, and another one is promoted',
    steps: ['at: 6s, partition: [[a], [b, c, d]]', 'at: 11s, heal: true'],
  },
  {
    name: 'only the replicas hear nothing of the master, which then dies',
    steps: [
      'at: 6s, cut: { from: a, to: b }',
      'at: 6s, cut: { from: a, to: c }',
      'at: 8s, kill: n1',
      'at: 11s, heal: true',
      'at: 12s, start: n1',
    ],
  },
  {
    name: 'the master comes back empty before anybody misses it',
    settings: 'appendonly: no',
    ours: 'replica-empty-master-guard: no',
    steps: ['at: 6s, restart: { process: n1, disk: empty }'],
  },
  {
    name: 'an operator orders a failover while the replicas lag',
    steps: [
      'at: 6s, hold: { from: a, to: b }',
      'at: 6s, hold: { from: a, to: c }',
      'at: 6500ms, failover: { at: s2 }',
      'at: 9s, heal: true',
    ],
  },
  {
    name: 'a replica that lags has the better priority',
    third: 'replica-priority: 1',
    steps: [
      'at: 6s, cut: { from: a, to: c }',
      'at: 8s, kill: n1',
      'at: 11s, heal: true',
      'at: 12s, start: n1',
    ],
  },
  {
    name: 'a master that was stopped goes on when it was replaced, and hears of nobody',
    downAfter: '400ms',
    steps: [
      'at: 6s, pause: [n1, s1]',
      'at: 6200ms, partition: [[a], [b, c, d]]',
      'at: 8s, resume: [n1, s1]',
      'at: 12s, heal: true',
    ],
  },
  {
    name: 'the power fails under the master, whose file is synced every second',
    settings: 'appendonly: yes',
    steps: [
      'at: 6s, cut: { from: a, to: b }',
      'at: 6s, cut: { from: a, to: c }',
      'at: 6500ms, power-loss: a',
      'at: 6600ms, start: [n1, s1]',
      'at: 6600ms, heal: true',
    ],
  },
]

/** Who is compared. Each client writes numbered keys, one after another. */
export const CONTENDERS = [
  { id: 'async', title: 'Vedette, async', against: 'vedette', replication: '', client: CLIENT },
  {
    ...{ id: 'strict', title: 'Vedette, strict', against: 'vedette', client: CLIENT },
    replication: ', replication: strict, reads: linearizable',
  },
  {
    ...{ id: 'redis', title: 'redis-server, WAIT 1', against: 'redis', replication: '' },
    client: `${CLIENT}, wait: 1`,
  },
]

/**
 * The way as a scenario file. `replication` is added to the options of the group, and `client` says what the two
 * clients do. `isOurs`: the nodes are Vedette's.
 */
export function scenarioText(way, { replication, client, isOurs = true }) {
  const { steps, settings = 'appendonly: yes', ours, third, downAfter = '1s' } = way
  const own = isOurs && ours !== undefined ? `${settings}, ${ours}` : settings
  return `
name: A way to lose writes
story: One of those that users reported.
topology:
  settings: { ${own} }
  groups:
    mymaster: { master: n1, quorum: 2, down-after: ${downAfter}, failover-timeout: 5s${replication} }
  nodes:
    n1: { host: a }
    n2: { host: b, replica-of: n1 }
    n3: { host: c, replica-of: n1${third === undefined ? '' : `, settings: { ${third} }`} }
  sentinels: { s1: { host: a }, s2: { host: b }, s3: { host: c } }
workload:
  clients:
    app: { host: a, ${client} }
    other: { host: d, ${client} }
duration: 20s
timeline:
${steps.map((step) => `  - { ${step} }`).join('\n')}
expect:
  - { failovers: { at-most: 9 } }
`
}
