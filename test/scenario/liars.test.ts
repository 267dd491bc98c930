/** Liars in scenario files: what a file may say, and which worlds can play it. */
import { describe, expect, test } from 'vitest'
import { createTcpEngine } from '../../src/engine/tcp/engine.ts'
import type { Action } from '../../src/history/action.ts'
import { altered, parse, problemsOf } from './support.ts'

const WITH_LIAR = altered('timeline:', 'timeline:\n  - LIE').replace(
  '  sentinels:',
  '  liars: { mallory: {} }\n  sentinels:',
)

function lying(words: string): string {
  return WITH_LIAR.replace('LIE', `{ at: 4s, lie: { by: mallory, ${words} } }`)
}

function lieIn(words: string): Action | undefined {
  return parse(lying(words)).steps[0]?.actions[0]
}

describe('a lie', () => {
  test('is true but for what it says', () => {
    expect(lieIn('to: n1, hello: { epoch: 2^48 }')).toEqual({
      ...{ kind: 'lie', process: 'mallory', audience: ['n1'] },
      lie: {
        ...{ kind: 'hello', id: 'made-up', at: 'self', epoch: '2^48', configEpoch: 'config' },
        ...{ group: 'mymaster', master: undefined, times: 1, everyMs: 100 },
      },
    })
  })

  test('may be said again and again, of a Sentinel that is true, about a group nobody watches', () => {
    const words = 'to: [s1, n2], hello: { id: s2, at: n3, group: nobodys }, times: 5, every: 1s'
    expect(lieIn(words)).toMatchObject({
      audience: ['s1', 'n2'],
      lie: { id: 's2', at: 'n3', group: 'nobodys', times: 5, everyMs: 1_000 },
    })
  })

  test('asks, confers, is a replica, and answers', () => {
    const kinds = [
      'to: s1, vote: { epoch: current + 1 }',
      'to: s1, confer: {}',
      'to: the-master, replica: { at: new }',
      'answer: { epoch: 2^63 - 1, down: true, replicas: 3 }',
    ].map((words) => lieIn(words))
    expect(kinds.map((one) => one?.kind === 'lie' && one.lie.kind)).toEqual([
      ...['vote', 'confer', 'replica', 'answer'],
    ])
    expect(kinds[3]).toMatchObject({ audience: [], lie: { isDown: true, leader: 'nobody' } })
  })
})

describe('a file says what is wrong with it', () => {
  test.each([
    ['to: n1, hello: { epoch: soon }', 'must be an epoch'],
    ['hello: {}', 'must say to whom'],
    ['to: n1, answer: {}', 'has answer and to'],
    ['to: app, hello: {}', 'no node or Sentinel is called app'],
    ['to: n1, hello: { at: elsewhere }', 'no process is called elsewhere'],
    ['to: n1', 'must have exactly one of hello, vote, confer, replica, answer'],
    ['to: n1, hello: {}, times: 0', 'must be at least 1'],
  ])('%s', (words, problem) => {
    expect(problemsOf(lying(words)).join('\n')).toContain(problem)
  })

  test('nobody lies who is no liar, and no liar lives with others or knows a password there is not', () => {
    const lie = '{ at: 4s, lie: { by: s1, to: n1, hello: {} } }'
    expect(problemsOf(WITH_LIAR.replace('LIE', lie)).join()).toContain('no liar is called s1')
    const shared = lying('to: n1, hello: {}').replace('mallory: {}', 'mallory: { host: a }')
    expect(problemsOf(shared).join()).toContain('n1 lives there already')
    const vain = shared.replace('mallory: { host: a }', 'mallory: { knows-password: true }')
    expect(problemsOf(vain).join()).toContain('there is no password to know')
  })
})

test('real sockets do not lie, and say which step that is', () => {
  const refusal = createTcpEngine().refusal(parse(lying('to: n1, hello: {}')))
  expect(refusal).toBe('step 1 (lie): liars live in the simulated world only')
})

test('a liar dies as others do, and can be told apart by its name', () => {
  const text = WITH_LIAR.replace('LIE', '{ at: 4s, kill: mallory }')
  expect(parse(text).steps[0]?.actions).toEqual([{ kind: 'kill', processes: ['mallory'] }])
})
