import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { DeliveryQueue, RETRY_MAX_MS } from '../../src/hooks/delivery-queue.ts'

const FAILED = { kind: 'failed', retryAfterMs: undefined } as const
const TAKEN = { kind: 'taken' } as const

function queueOf(queue = 3, giveUpAfterMs = 600_000): DeliveryQueue<string> {
  return new DeliveryQueue({ queue, giveUpAfterMs }, createRng('queue'))
}

test('one is under way at a time, and they leave in the order they came', () => {
  const queue = queueOf()
  for (const item of ['a', 'b', 'c']) queue.offer(item)
  const sent: string[] = []
  for (let at = 0; at < 3; at++) {
    const delivery = queue.take(at)
    expect(queue.take(at)).toBeUndefined()
    sent.push(`${delivery?.sequence}${delivery?.item}`)
    expect(queue.conclude(at, TAKEN)).toBe('taken')
  }
  expect(sent).toEqual(['1a', '2b', '3c'])
  expect([queue.size, queue.dueAtMs()]).toEqual([0, undefined])
})

test('one that fails is tried again before those behind it, with pauses that double up to a minute', () => {
  const queue = queueOf()
  queue.offer('a')
  queue.offer('b')
  let nowMs = 0
  const pauses: number[] = []
  for (let at = 0; at < 9; at++) {
    expect(queue.take(nowMs)).toMatchObject({ item: 'a', attempt: at + 1 })
    const result = queue.conclude(nowMs, FAILED)
    const waitMs = typeof result === 'object' ? result.againInMs : 0
    pauses.push(waitMs)
    expect(queue.take(nowMs + waitMs - 1)).toBeUndefined()
    nowMs += waitMs
    expect(queue.dueAtMs()).toBe(nowMs)
  }
  for (const [at, waitMs] of pauses.entries()) {
    const fullMs = Math.min(RETRY_MAX_MS, 1_000 * 2 ** at)
    expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2)
    expect(waitMs).toBeLessThan(fullMs)
  }
})

test('the jitter differs from webhook to webhook', () => {
  const pauses = ['one', 'two'].map((seed) => {
    const queue = new DeliveryQueue({ queue: 1, giveUpAfterMs: 600_000 }, createRng(seed))
    queue.offer('a')
    queue.take(0)
    return queue.conclude(0, FAILED)
  })
  expect(pauses[0]).not.toEqual(pauses[1])
})

test('what the receiver asks for is waited for, but no longer than a minute', () => {
  const queue = queueOf()
  queue.offer('a')
  const after = (retryAfterMs: number) => {
    queue.take(queue.dueAtMs() ?? 0)
    return queue.conclude(0, { kind: 'failed', retryAfterMs })
  }
  expect(after(20_000)).toEqual({ againInMs: 20_000 })
  expect(after(3_600_000)).toEqual({ againInMs: RETRY_MAX_MS })
})

test('a full queue drops the oldest that waits, never the one under way, and the next one tells how many', () => {
  const queue = queueOf(2)
  queue.offer('under way')
  queue.take(0)
  const drops = ['b', 'c', 'd', 'e'].map((item) => queue.offer(item))
  expect(drops).toEqual([false, false, true, true])
  expect(queue.conclude(0, TAKEN)).toBe('taken')
  expect(queue.take(0)).toMatchObject({ item: 'd', sequence: 4, dropped: 2 })
  queue.conclude(0, TAKEN)
  expect(queue.take(0)).toMatchObject({ item: 'e', sequence: 5, dropped: 0 })
  expect(queue.dropped).toBe(2)
})

test('one that fails for too long is given up, and so is one that the receiver will never take', () => {
  const queue = queueOf(3, 10_000)
  for (const item of ['a', 'b', 'c']) queue.offer(item)
  let nowMs = 0
  let attempts = 0
  for (;;) {
    expect(queue.take(nowMs)).toMatchObject({ item: 'a' })
    attempts++
    const result = queue.conclude(nowMs, FAILED)
    if (typeof result !== 'object') break
    nowMs += result.againInMs
  }
  expect(attempts).toBeGreaterThan(3)
  expect(nowMs).toBeLessThanOrEqual(10_000)
  expect(queue.take(nowMs)).toMatchObject({ item: 'b', dropped: 1 })
  expect(queue.conclude(nowMs, { kind: 'unwanted' })).toBe('dropped')
  expect(queue.take(nowMs)).toMatchObject({ item: 'c', dropped: 2 })
  expect(queue.dropped).toBe(2)
})
