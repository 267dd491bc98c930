import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import type { Argv, DataRequest } from '../../../src/history/data/requests.ts'
import type { Told } from '../../../src/history/data/told.ts'
import { findLinearOrder } from '../../../src/history/shared/linear-order.ts'
import { sharedHistories, withoutVainOnes } from '../../../src/history/shared/shared-histories.ts'
import { drawSharedRequests } from '../../../src/history/shared/shared-requests.ts'
import type { Question } from '../../../src/history/writes.ts'

let clockMs = 0

/** One request after the other, each answered before the next is asked. */
function question(words: string, told?: Told, form: DataRequest['form'] = 'command'): Question {
  const commands: Argv[] = words.split('; ').map((text) => text.split(' '))
  clockMs += 10
  return {
    ...{ client: 'app', group: 'mymaster', node: 'n1', connection: 1, write: undefined },
    ...{ request: { commands, form }, attemptedAtMs: clockMs },
    answer: told === undefined ? undefined : { atMs: clockMs + 5, told },
  }
}

const verdictOf = (questions: readonly Question[], areReadsLinear = true) =>
  sharedHistories(questions, { areReadsLinear }).map(
    ({ operations }) => findLinearOrder(operations).kind,
  )

test('each key has a history of its own, until one request touches two of them', () => {
  const apart = [question('INCR a', 1), question('INCR b', 1), question('INCR d', 1)]
  expect(sharedHistories(apart).map(({ keys }) => keys)).toEqual([['a'], ['b'], ['d']])
  const joined = [...apart, question('INCR a; INCR b', [2, 2], 'transaction')]
  expect(sharedHistories(joined).map(({ keys }) => keys)).toEqual([['a', 'b'], ['d']])
})

test('what a node refused has not happened, and what it cannot vouch for may have', () => {
  const refused = question('INCR a', { error: 'READONLY no' })
  expect(verdictOf([refused, question('GET a', null)])).toEqual(['linear'])
  expect(verdictOf([refused, question('GET a', '1')])).toEqual(['broken'])
  const doubtful = question('INCR a', { error: 'UNANSWERED it was sent' })
  expect(verdictOf([doubtful, question('GET a', null)])).toEqual(['linear'])
  expect(verdictOf([doubtful, question('GET a', '1')])).toEqual(['linear'])
})

test('of a script, the commands that were refused have not happened', () => {
  const script = question('GET a; INCR a', [null, { error: 'OOM full' }], 'script')
  expect(verdictOf([script, question('GET a', null)])).toEqual(['linear'])
  expect(verdictOf([script, question('GET a', '1')])).toEqual(['broken'])
})

test('where reads may be old, an old value is fine on another connection, and a value that is unread later is not', () => {
  const old = [question('SET a x', 'OK'), question('SET a y', 'OK'), question('GET a', 'x')]
  expect(verdictOf(old)).toEqual(['broken'])
  expect(verdictOf(old, false)).toEqual(['broken'])
  const elsewhere = old.map((one, at) => (at === 2 ? { ...one, connection: 2 } : one))
  expect(verdictOf(elsewhere)).toEqual(['broken'])
  expect(verdictOf(elsewhere, false)).toEqual(['linear'])
  const held = [question('SET a x', 'OK'), question('SET a z NX', null)]
  const gone = [question('RPUSH l x'), question('LRANGE l 0 -1', ['x']), question('RPUSH l y', 1)]
  expect(verdictOf(held, false)).toEqual(['linear'])
  expect(verdictOf(gone, false)).toEqual(['broken'])
})

test('a watch belongs to the transaction that comes of it', () => {
  const watched = { key: 'a', token: 't' }
  const under = (one: Question): Question => ({ ...one, request: { ...one.request, watched } })
  const watch = under(question('WATCH a', 'OK'))
  const read = question('GET a', null)
  const other = question('SET a y', 'OK')
  const ran = under(question('SET a x', ['OK'], 'transaction'))
  const didNotRun = under(question('SET a x', null, 'transaction'))
  expect(verdictOf([watch, read, ran])).toEqual(['linear'])
  expect(verdictOf([watch, read, other, ran])).toEqual(['broken'])
  expect(verdictOf([watch, read, other, didNotRun])).toEqual(['linear'])
  expect(verdictOf([watch, read, didNotRun])).toEqual(['broken'])
  // Nobody knows whether it was carried out.
  const lost = under(question('SET a x', undefined, 'transaction'))
  expect(verdictOf([watch, other, lost, question('GET a', 'y')])).toEqual(['linear'])
  expect(verdictOf([watch, other, lost, question('GET a', 'x')])).toEqual(['broken'])
})

test('across masters, a transaction that did not run says nothing about its key', () => {
  const watched = { key: 'a', token: 't' }
  const under = (one: Question): Question => ({ ...one, request: { ...one.request, watched } })
  const questions = [
    under(question('WATCH a', 'OK')),
    under(question('SET a x', null, 'transaction')),
    question('GET a', null),
  ]
  const kept = sharedHistories(questions).map(withoutVainOnes)
  expect(kept.map(({ operations }) => findLinearOrder(operations).kind)).toEqual(['linear'])
})

test('drawn requests never use a value twice, and together they touch keys of one span', () => {
  const rng = createRng('shared')
  const values = new Set<string>()
  for (let number = 0; number < 2_000; number++) {
    const drawing = { rng, unique: `u${number}`, nowMs: 1_000_000, isAlone: number % 2 === 0 }
    const commands = drawSharedRequests(drawing).flatMap((request) => request.commands)
    for (const [name = '', , value = ''] of commands) {
      if (name !== 'SET' && name !== 'RPUSH') continue
      expect(values.has(value)).toBe(false)
      values.add(value)
    }
    expect(new Set(commands.map(([, key = '']) => key.split(':')[1])).size).toBe(1)
  }
})
