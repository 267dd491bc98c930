import { expect, test } from 'vitest'
import { type ClientLife, ClientLog } from '../../../src/engine/process/client-log.ts'
import { type ClientReport, Reporter } from '../../../src/engine/process/client-report.ts'

const NODE = { host: '10.208.0.1', port: 6379 }
const BY = { client: 'app', group: 'mymaster', node: '10.208.0.1:6379' }

/** A reporter whose lines go through JSON into a log, as they do between processes. */
function connect(): { reporter: Reporter; log: ClientLog; life: ClientLife; at(ms: number): void } {
  let nowMs = 0
  const names = new Map([['10.208.0.1:6379', 'n1']])
  const log = new ClientLog({ nameOf: (at) => names.get(at) ?? at, isWithMajority: () => true })
  const life: ClientLife = { client: 'app', group: 'mymaster', open: new Map(), asked: new Map() }
  const tell = (report: ClientReport): void => log.take(life, JSON.parse(JSON.stringify(report)))
  const at = (ms: number): void => {
    nowMs = ms
  }
  return { reporter: new Reporter(() => nowMs, tell), log, life, at }
}

test('each write gets its own outcome, with the time at the client', () => {
  const { reporter, log, at } = connect()
  expect(reporter.nameOf(NODE)).toBe('10.208.0.1:6379')
  at(10)
  const first = reporter.attempted(BY, { kind: 'key', key: 'k1' })
  const second = reporter.attempted(BY, { kind: 'increment', counter: 'c' })
  at(12)
  reporter.refused(first, 'NOREPLICAS Not enough good replicas')
  reporter.acknowledged(second, 5)
  expect(
    log.writes.map(({ node, attemptedAtMs, outcome }) => ({ node, attemptedAtMs, outcome })),
  ).toEqual([
    {
      node: 'n1',
      attemptedAtMs: 10,
      outcome: { kind: 'refused', atMs: 12, text: 'NOREPLICAS Not enough good replicas' },
    },
    {
      node: 'n1',
      attemptedAtMs: 10,
      outcome: { kind: 'acknowledged', atMs: 12, withMajority: true, value: 5 },
    },
  ])
})

test('what a proxy was answered came from the node behind it', () => {
  const { reporter, log } = connect()
  const write = reporter.attempted({ ...BY, node: '*proxy*:6400' }, { kind: 'key', key: 'k1' })
  const refused = reporter.attempted({ ...BY, node: '*proxy*:6400' }, { kind: 'key', key: 'k2' })
  const own = reporter.attempted({ ...BY, node: '*proxy*:6400' }, { kind: 'key', key: 'k3' })
  reporter.acknowledged(write, undefined, BY.node)
  reporter.refused(refused, 'OOM', BY.node)
  reporter.refused(own, 'UNANSWERED')
  expect(log.writes.map(({ node }) => node)).toEqual(['n1', 'n1', '*proxy*:6400'])
})

test('what a client was waiting for when it died, nobody knows', () => {
  const { reporter, log, life, at } = connect()
  at(10)
  reporter.attempted(BY, { kind: 'key', key: 'k1' })
  log.ended(life, 20)
  expect(log.writes[0]?.outcome).toEqual({ kind: 'unknown', atMs: 20 })
})

test('writes of several clients stand in the order of their attempts', () => {
  const { reporter, log, at } = connect()
  at(20)
  reporter.attempted(BY, { kind: 'key', key: 'late' })
  const other: ClientLife = {
    client: 'other',
    group: 'mymaster',
    open: new Map(),
    asked: new Map(),
  }
  const operation = { kind: 'key', key: 'early' } as const
  log.take(other, { kind: 'attempted', write: 1, atMs: 15, node: '', operation })
  expect(log.writes.map(({ client }) => client)).toEqual(['other', 'app'])
})

test('a read that found nothing is told without a value', () => {
  const { reporter, log, at } = connect()
  at(3)
  const read = reporter.readAttempted(BY, 'r')
  at(4)
  reporter.readAnswered(read, undefined)
  expect(log.reads).toEqual([
    {
      ...{ client: 'app', group: 'mymaster', node: 'n1', key: 'r' },
      ...{ attemptedAtMs: 3, atMs: 4, value: undefined },
    },
  ])
})
