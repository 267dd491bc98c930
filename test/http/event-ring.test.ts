import { expect, test } from 'vitest'
import type { AnnouncedEvent } from '../../src/core/announced-event.ts'
import type { EventName } from '../../src/core/event-table.ts'
import { EventRing } from '../../src/http/event-ring.ts'
import { FailoverHistory } from '../../src/http/failover-history.ts'

const NOW = 1_700_000_000_000

function filled(count: number, payload = 'master g 10.0.0.1 6379'): EventRing {
  const ring = new EventRing(NOW)
  for (let at = 0; at < count; at++) ring.add('+sdown', payload, NOW + at)
  return ring
}

function idOf(ring: EventRing, number: number): string {
  const [life] = (ring.after('').events[0]?.id ?? '').split('-')
  return `${life}-${number}`
}

test('a reader that comes back gets what came since, and nothing twice', () => {
  const ring = filled(5)
  const { isGap, events } = ring.after(idOf(ring, 3))
  expect(isGap).toBe(false)
  expect(events.map(({ atMs }) => atMs - NOW)).toEqual([3, 4])
})

test('a reader that has seen everything gets nothing', () => {
  const ring = filled(5)
  expect(ring.after(idOf(ring, 5))).toEqual({ isGap: false, events: [] })
})

test('a new reader gets only what is to come', () => {
  expect(filled(5).after(undefined)).toEqual({ isGap: false, events: [] })
})

test('a reader that was away for too long, or knows another life, is told of the gap', () => {
  const ring = filled(1_500)
  expect(ring.after(idOf(ring, 10))).toMatchObject({ isGap: true })
  expect(ring.after(idOf(ring, 500)).isGap).toBe(false)
  for (const strange of ['abc-3', 'nonsense', '', idOf(ring, 1_501), `${idOf(ring, 1)}x`]) {
    expect(ring.after(strange).isGap, strange).toBe(true)
  }
})

test('the ring is bounded in number and in bytes', () => {
  expect(filled(5_000).after('').events).toHaveLength(1_000)
  expect(filled(500, 'x'.repeat(10_000)).after('').events.length).toBeLessThan(110)
})

test('an event names its group, wherever its payload has it', () => {
  const ring = new EventRing(NOW)
  const group = (name: string, payload: string) => ring.add(name, payload, NOW).group
  expect(group('+sdown', 'master g 10.0.0.1 6379')).toBe('g')
  expect(group('+sdown', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ g 10.0.0.1 6379')).toBe('g')
  expect(group('+switch-master', 'g 10.0.0.1 6379 10.0.0.2 6379')).toBe('g')
  expect(group('+tilt', '')).toBeNull()
})

function historyOf(events: readonly (readonly [string, string])[]): FailoverHistory {
  const ring = new EventRing(NOW)
  const history = new FailoverHistory()
  for (const [at, [name, payload]] of events.entries()) history.see(ring.add(name, payload, at))
  return history
}

const MASTER = 'master g 10.0.0.1 6379'

test('a failover is one incident with the moment of each of its steps', () => {
  const { incidents } = historyOf([
    ['+sdown', MASTER],
    ['+odown', `${MASTER} #quorum 2/2`],
    ['+elected-leader', MASTER],
    ['+promoted-slave', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ g 10.0.0.1 6379'],
    ['+switch-master', 'g 10.0.0.1 6379 10.0.0.2 6379'],
  ])
  expect(incidents).toEqual([
    {
      group: 'g',
      incident: null,
      startedMs: 0,
      endedMs: 4,
      outcome: 'switched',
      noticedMs: 0,
      agreedMs: 1,
      electedMs: 2,
      promotedMs: 3,
      switchedMs: 4,
      from: '10.0.0.1:6379',
      to: '10.0.0.2:6379',
      reason: null,
    },
  ])
})

test('if the clock is set back, the moments of an incident move along and stay in order', () => {
  const [ring, history] = [new EventRing(NOW), new FailoverHistory()]
  const see = (name: string, monoMs: number, wallMs: number) => {
    history.followClock({ monoMs, wallMs })
    history.see(ring.add(name, MASTER, wallMs))
  }
  see('+sdown', 1_000, NOW)
  see('+odown', 2_000, NOW + 1_000)
  see('+elected-leader', 3_000, NOW - 3_598_000)
  const set = NOW - 3_600_000
  const moments = { startedMs: set, noticedMs: set, agreedMs: set + 1_000, electedMs: set + 2_000 }
  expect(history.incidents[0]).toMatchObject(moments)
  history.followClock({ monoMs: 4_000, wallMs: set - 7_000 })
  expect(history.incidents[0]).toMatchObject({ startedMs: set - 10_000, electedMs: set - 8_000 })
})

test('an alarm that came to nothing is withdrawn; a replica that is down is no incident', () => {
  const { incidents } = historyOf([
    ['+sdown', 'slave 10.0.0.2:6379 10.0.0.2 6379 @ g 10.0.0.1 6379'],
    ['+sdown', MASTER],
    ['-sdown', MASTER],
  ])
  expect(incidents.map(({ outcome, endedMs }) => [outcome, endedMs])).toEqual([['withdrawn', 2]])
})

test('a failover that was given up stays open as long as the master is missed', () => {
  const { incidents } = historyOf([
    ['+sdown', MASTER],
    ['-failover-abort-not-elected', MASTER],
  ])
  expect(incidents).toMatchObject([{ outcome: 'aborted', reason: 'not-elected', endedMs: null }])
})

test('the last hundred incidents are kept, the newest first', () => {
  const flapping = Array.from({ length: 150 }, (): [string, string][] => [
    ['+sdown', MASTER],
    ['-sdown', MASTER],
  ]).flat()
  const { incidents } = historyOf(flapping)
  expect(incidents).toHaveLength(100)
  expect(incidents[0]?.startedMs).toBe(298)
})

test('an incident has the id of its last attempt, which another group does not take', () => {
  const [ring, history] = [new EventRing(NOW), new FailoverHistory()]
  const say = (name: EventName, payload: string, epoch: number, group = 'g') => {
    history.announced(announcement(name, group, epoch))
    history.see(ring.add(name, payload, NOW))
    return history.incidents.map(({ incident }) => incident)
  }
  expect(say('+sdown', MASTER, 6)).toEqual([null])
  expect(say('-failover-abort-not-elected', MASTER, 7)).toEqual(['g-7'])
  say('+failover-end', MASTER, 8)
  expect(say('+switch-master', 'g 10.0.0.1 6379 10.0.0.2 6379', 8)).toEqual(['g-8'])
  expect(say('+sdown', 'master h 10.0.0.9 6379', 8, 'h')).toEqual([null, 'g-8'])
  say('-sdown', 'master h 10.0.0.9 6379', 8, 'h')
  const payload = 'Gr\xc3\xbcn 10.0.0.1 6379 10.0.0.2 6379'
  expect(say('+switch-master', payload, 2, 'Gr\xc3\xbcn')[0]).toBe('Gr\xc3\xbcn-2')
})

function announcement(name: EventName, group: string, epoch: number): AnnouncedEvent {
  const master = { host: '10.0.0.1', port: 6379 }
  return {
    ...{ name, level: 'warning', payload: '', instance: undefined, epoch, evidence: '' },
    ...{ group: { name: group, configEpoch: epoch, master, failover: undefined } },
    ...{ details: {}, by: '', atMs: NOW },
  }
}
