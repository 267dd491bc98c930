import { expect, test } from 'vitest'
import { Scheduler } from '../../src/sim/scheduler.ts'

test('tasks of one millisecond run in the order in which they were asked for', () => {
  const scheduler = new Scheduler()
  const ran: string[] = []
  scheduler.at(5, () => ran.push('first'))
  scheduler.at(3, () => ran.push('earlier'))
  scheduler.at(5, () => ran.push('second'))
  scheduler.runUntil(5)
  expect(ran).toEqual(['earlier', 'first', 'second'])
})

test('a task may add to the millisecond it runs in', () => {
  const scheduler = new Scheduler()
  const ran: number[] = []
  scheduler.at(2, () => scheduler.after(0, () => ran.push(scheduler.nowMs)))
  scheduler.runUntil(2)
  expect(ran).toEqual([2])
})

test('what is asked for in the past happens now', () => {
  const scheduler = new Scheduler()
  const ran: number[] = []
  scheduler.runUntil(10)
  scheduler.at(4, () => ran.push(scheduler.nowMs))
  scheduler.runUntil(10)
  expect(ran).toEqual([10])
})

test('time stands where it was asked to run to, also when nothing happened', () => {
  const scheduler = new Scheduler()
  scheduler.at(20, () => {})
  scheduler.runUntil(7)
  expect([scheduler.nowMs, scheduler.nextMs]).toEqual([7, 20])
})

test('a world that never gets past a millisecond is stopped', () => {
  const scheduler = new Scheduler()
  const again = (): void => scheduler.after(0, again)
  again()
  expect(() => scheduler.runUntil(1)).toThrow('virtual time advances')
})
