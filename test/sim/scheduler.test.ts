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

test('what was asked for when it was far comes before what was asked for later', () => {
  const scheduler = new Scheduler()
  const ran: string[] = []
  scheduler.at(5_000, () => ran.push('asked for at 0'))
  scheduler.at(4_500, () => scheduler.at(5_000, () => ran.push('asked for at 4500')))
  scheduler.at(3_000, () => scheduler.at(5_000, () => ran.push('asked for at 3000')))
  scheduler.runUntil(5_000)
  expect(ran).toEqual(['asked for at 0', 'asked for at 3000', 'asked for at 4500'])
})

test('a task a second and more away runs at its time and not a round earlier', () => {
  const scheduler = new Scheduler()
  const ran: number[] = []
  const delaysMs = [1, 1_023, 1_024, 1_025, 2_048, 2_049, 100_000]
  for (const delayMs of delaysMs) scheduler.after(delayMs, () => ran.push(scheduler.nowMs))
  expect(scheduler.nextMs).toBe(1)
  scheduler.runUntil(200_000)
  expect(ran).toEqual(delaysMs)
  expect(scheduler.nextMs).toBeUndefined()
})

test('what is left of a millisecond after a stop runs when time goes on, far and near alike', () => {
  const scheduler = new Scheduler()
  const ran: string[] = []
  scheduler.at(5_000, () => scheduler.stop())
  scheduler.at(5_000, () => ran.push('far'))
  scheduler.at(4_999, () => {
    scheduler.at(5_000, () => scheduler.stop())
    scheduler.at(5_000, () => ran.push('near'))
  })
  scheduler.runUntil(6_000)
  expect([scheduler.nowMs, scheduler.nextMs, ran]).toEqual([5_000, 5_000, []])
  scheduler.runUntil(6_000)
  expect([scheduler.nowMs, ran]).toEqual([5_000, ['far']])
  scheduler.runUntil(6_000)
  expect([scheduler.nowMs, ran]).toEqual([6_000, ['far', 'near']])
})
