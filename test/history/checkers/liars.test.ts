/** What the checkers make of liars: some things everybody can do who may publish, others nobody must be able to. */
import { expect, test } from 'vitest'
import { Troubles } from '../../../src/history/checkers/troubles.ts'
import type { Lie } from '../../../src/history/lie.ts'
import { createTopology } from '../../sim/topology.ts'
import { Stage } from './support.ts'

const HELLO: Lie & { readonly kind: 'hello' } = {
  ...{
    kind: 'hello' as const,
    id: 'made-up',
    at: 'self',
    epoch: '7',
    group: 'mymaster',
    master: undefined,
  },
  ...{ configEpoch: 'config', times: 11, everyMs: 100 },
}

function lie(what: Lie) {
  return { kind: 'lie', process: 'mallory', audience: ['n1'], lie: what } as const
}

test.each([
  [{ peers: 1_200, replicas: 2 }, false],
  [{ peers: 1_201, replicas: 2 }, true],
  [{ peers: 2, replicas: 1_201 }, true],
])('a crowd of %o is too many: %s', (crowd, isTooMany) => {
  const stage = new Stage().tell('s1', { kind: 'crowd', group: 'mymaster', ...crowd })
  expect(stage.violations).toEqual(isTooMany ? ['made-up instances are bounded'] : [])
})

test('a liar that named a master excuses an epoch with two; one that only raised epochs does not', () => {
  const found = (told: Partial<typeof HELLO>) =>
    new Stage()
      .does(lie({ ...HELLO, ...told }))
      .hello('s1', 7, 'n1')
      .hello('s2', 7, 'n2').violations
  expect(found({})).toEqual(['a config epoch names one master'])
  expect(found({ master: 'nowhere' })).toEqual([])
})

test('so does one that gave a later epoch to the master it had heard of, which another failover took (liar, seed 5400)', () => {
  const stage = new Stage().does(lie({ ...HELLO, configEpoch: 'config + 1' }))
  expect(stage.hello('s1', 7, 'n1').hello('s2', 7, 'n2').violations).toEqual([])
})

function troubled(): Troubles {
  const troubles = new Troubles({
    ...createTopology(),
    liars: [{ name: 'mallory', host: 'evil', port: 26_379, knowsPassword: false }],
  })
  troubles.note({ atMs: 0, process: 'n1', kind: 'status', status: 'running' })
  return troubles
}

test('nobody is calm while somebody lies, and for two failover-timeouts after that', () => {
  const troubles = troubled()
  troubles.note({ atMs: 10_000, process: undefined, kind: 'fault', text: '', action: lie(HELLO) })
  // A second of lies, twice ten seconds, and reconnecting.
  expect(troubles.isCalm('n1', 33_000)).toBe(false)
  expect(troubles.isCalm('n1', 33_001)).toBe(true)
  expect(troubles.hasFalseOpinions).toBe(false)
})

test('how a liar answers is felt as long as it lives', () => {
  const troubles = troubled()
  const answer = {
    ...{
      kind: 'answer' as const,
      isDown: true,
      leader: 'nobody' as const,
      epoch: 'asked',
      replicas: 0,
    },
  } as const
  troubles.note({ atMs: 10_000, process: undefined, kind: 'fault', text: '', action: lie(answer) })
  expect(troubles.isCalm('n1', 100_000)).toBe(false)
  troubles.note({ atMs: 50_000, process: 'mallory', kind: 'status', status: 'down' })
  expect(troubles.isCalm('n1', 72_000)).toBe(false)
  expect(troubles.isCalm('n1', 72_001)).toBe(true)
  expect(troubles.hasFalseOpinions).toBe(true)
})
