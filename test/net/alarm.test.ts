import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { Alarm } from '../../src/io/process/alarm.ts'
import { readClock } from '../../src/io/process/clock.ts'

/** Rings once and says when, on the floored monotonic clock. */
function ring(set: (alarm: Alarm, nowMs: number) => void): Promise<number> {
  return new Promise((resolve) => {
    const alarm = new Alarm(() => resolve(readClock().monoMs))
    set(alarm, readClock().monoMs)
  })
}

test('an alarm never comes early, not by a millisecond', async () => {
  const earlyMs = await Promise.all(
    Array.from({ length: 50 }, async (_, delayMs) => {
      const setAtMs = readClock().monoMs
      return setAtMs + delayMs - (await ring((alarm) => alarm.set(setAtMs + delayMs)))
    }),
  )
  expect(Math.max(...earlyMs)).toBeLessThanOrEqual(0)
})

test('an alarm can be moved in both directions', async () => {
  let setAtMs = 0
  const later = await ring((alarm, nowMs) => {
    setAtMs = nowMs
    alarm.set(nowMs + 1)
    alarm.set(nowMs + 40)
  })
  expect(later - setAtMs).toBeGreaterThanOrEqual(40)
  const earlier = await ring((alarm, nowMs) => {
    setAtMs = nowMs
    alarm.set(nowMs + 60_000)
    alarm.set(nowMs + 5)
  })
  expect(earlier - setAtMs).toBeLessThan(1_000)
})

test('an alarm that was called off does not ring', async () => {
  let hasRung = false
  const alarm = new Alarm(() => {
    hasRung = true
  })
  alarm.set(readClock().monoMs + 5)
  alarm.set(undefined)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(hasRung).toBe(false)
})

test('what came in while the process was busy is taken in before a late alarm rings', async () => {
  const order: string[] = []
  const server = createServer((socket) => socket.once('data', () => order.push('came in')))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await Promise.all([once(server, 'connection'), once(socket, 'connect')])
  await ring((alarm, nowMs) => {
    alarm.set(nowMs + 5)
    socket.write('answer')
    const busyUntilMs = performance.now() + 60
    while (performance.now() < busyUntilMs);
  }).then(() => order.push('rang'))
  socket.destroy()
  server.close()
  expect(order).toEqual(['came in', 'rang'])
})
