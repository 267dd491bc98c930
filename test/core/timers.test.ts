import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TimerName, type TimerOwner, Timers } from '../../src/core/timers.ts'

const owner = (): TimerOwner => ({ deadlines: new Map() })

test('a deadline that was moved fires once, at its last moment', () => {
  const timers = new Timers<TimerOwner>()
  const one = owner()
  timers.set(one, 'ping', 10)
  timers.set(one, 'ping', 30)
  expect(timers.nextMs()).toBe(30)
  expect(timers.takeDue(29)).toBeUndefined()
  expect(timers.takeDue(30)?.name).toBe('ping')
  expect(timers.takeDue(1_000)).toBeUndefined()
})

test('a cleared deadline never fires', () => {
  const timers = new Timers<TimerOwner>()
  const one = owner()
  timers.set(one, 'ping', 10)
  timers.set(one, 'info', 20)
  timers.clearAll(one)
  expect(timers.nextMs()).toBeUndefined()
})

test('deadlines that were moved or cleared are not kept until they would have been due', () => {
  const timers = new Timers<TimerOwner>()
  const one = owner()
  timers.set(one, 'tilt', 1)
  for (let atMs = 2 ** 31; atMs < 2 ** 31 + 10_000; atMs++) {
    timers.set(one, 'ping', atMs)
    timers.set(one, 'down', atMs)
    timers.clear(one, 'down')
  }
  expect(timers.size).toBeLessThan(200)
  expect(timers.takeDue(2 ** 32)?.name).toBe('tilt')
  expect(timers.takeDue(2 ** 32)).toMatchObject({ name: 'ping', atMs: 2 ** 31 + 9_999 })
  expect(timers.takeDue(2 ** 32)).toBeUndefined()
})

test('deadlines fire in the order of their moments, ties in the order they were set', () => {
  const names: TimerName[] = ['ping', 'down', 'info', 'hello', 'ask', 'start']
  const moments = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(moments, (atMs) => {
      const timers = new Timers<TimerOwner>()
      const one = owner()
      const set = names.map((name, i) => ({ name, atMs: atMs[i] ?? 0, i }))
      for (const { name, atMs } of set) timers.set(one, name, atMs)
      const fired: (string | undefined)[] = set.map(() => timers.takeDue(10)?.name)
      const expected = [...set].sort((a, b) => a.atMs - b.atMs || a.i - b.i)
      expect(fired).toEqual(expected.map(({ name }) => name))
    }),
  )
})
