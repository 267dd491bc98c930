import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { History, NO_REPLICATION_ID } from '../../../src/server/replication/history/history.ts'

function historyAt(offset: number): History {
  const history = new History(createRng('history'), 16 * 1024)
  history.createBacklog()
  history.append('x'.repeat(offset))
  return history
}

test('without a backlog nobody can continue', () => {
  const history = new History(createRng('history'), 16 * 1024)
  expect(history.canContinue(history.id, 1)).toBe(false)
})

test('a replica continues from any byte kept and from the next one, in either case of the id', () => {
  const history = historyAt(100)
  expect(history.canContinue(history.id, 1)).toBe(true)
  expect(history.canContinue(history.id.toUpperCase(), 101)).toBe(true)
  expect(history.canContinue(history.id, 102)).toBe(false)
  expect(history.canContinue('?', -1)).toBe(false)
})

test('after a promotion at 100 the old id is good up to and including 101', () => {
  const history = historyAt(100)
  const old = history.id
  history.fork()
  history.append('more')
  expect([1, 100, 101, 102].map((offset) => history.canContinue(old, offset))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(history.canContinue(history.id, 101)).toBe(true)
})

test('a node that follows its master into a new history still serves the old one', () => {
  const history = historyAt(100)
  const old = history.id
  history.continueAs('b'.repeat(40))
  expect([history.previousId, history.secondOffset]).toEqual([old, 101])
  expect(history.canContinue(old, 101)).toBe(true)
})

test('a full copy leaves nothing of earlier histories', () => {
  const history = historyAt(100)
  history.fork()
  history.adopt('b'.repeat(40), 5000)
  expect([history.id, history.offset, history.previousId, history.secondOffset]).toEqual([
    'b'.repeat(40),
    5000,
    NO_REPLICATION_ID,
    -1,
  ])
  expect(history.canContinue('b'.repeat(40), 5001)).toBe(true)
  expect(history.canContinue('b'.repeat(40), 5000)).toBe(false)
})

test('the name of our own promotion is offered once a master has called the history by it', () => {
  const history = historyAt(100)
  const old = history.id
  history.fork()
  expect(history.knownId).toBe(old)
  expect(history.goOn(history.id, history.id)).toBe(false)
  expect(history.knownId).toBe(history.id)
})

test('who goes on under the previous name keeps the one it leaves for those below', () => {
  const history = historyAt(100)
  const old = history.id
  history.fork()
  const left = history.id
  expect(history.goOn(old, old)).toBe(true)
  expect([history.id, history.previousId, history.secondOffset]).toEqual([old, left, 101])
  expect([history.canContinue(left, 101), history.canContinue(left, 102)]).toEqual([true, false])
})
