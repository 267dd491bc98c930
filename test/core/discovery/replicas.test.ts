import { expect, test } from 'vitest'
import { receiveHello } from '../../../src/core/discovery/hello-receive.ts'
import { step } from '../../../src/core/step.ts'
import { REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

/** The master lists so many replicas in one network, 10.<net>.*. */
function list(sentinel: TestSentinel, net: number, count: number): void {
  const lines = Array.from(
    { length: count },
    (_, at) =>
      `slave${at}:ip=10.${net}.${at >> 8}.${at & 255},port=6379,state=online,offset=1,lag=0`,
  )
  const reply = { kind: 'bulk', bytes: ['role:master', ...lines, ''].join('\r\n') } as const
  const link = sentinel.group.master.link.command?.id ?? 0
  const event = { kind: 'reply', link, purpose: { kind: 'info' }, reply } as const
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
}

function known(sentinel: TestSentinel, net: number): number {
  return [...sentinel.group.replicas.keys()].filter((name) => name.startsWith(`10.${net}.`)).length
}

test('a master that claims any number of replicas does not fill the memory: a group has at most a thousand', () => {
  const sentinel = new TestSentinel()
  list(sentinel, 9, 20_000)
  expect(sentinel.group.replicas.size).toBe(1_000)
})

test('made-up replicas that are not listed any more make room for true ones; who has answered stays', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  list(sentinel, 9, 5_000)
  expect([known(sentinel, 0), known(sentinel, 9)]).toEqual([2, 998])
  list(sentinel, 8, 10)
  expect([known(sentinel, 0), known(sentinel, 9), known(sentinel, 8)]).toEqual([2, 988, 10])
})

test('hellos that name another master each leave no more than a thousand replicas, the true ones among them', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  list(sentinel, 9, 5_000)
  for (let at = 1; at <= 30; at++) {
    const master = `10.7.${at >> 8}.${at & 255},6379,${at}`
    const payload = `10.9.0.1,26379,${'c'.repeat(40)},${at},mymaster,${master}`
    sentinel.run((turn) => receiveHello(turn, payload))
  }
  expect(sentinel.group.replicas.size).toBe(1_000)
  expect(known(sentinel, 0)).toBe(3)
})
