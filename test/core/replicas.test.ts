import { expect, test } from 'vitest'
import { step } from '../../src/core/step.ts'
import { TestSentinel } from '../support/sentinel-builder.ts'

test('a master that claims any number of replicas does not fill the memory: a group has at most a thousand', () => {
  const sentinel = new TestSentinel()
  const lines = Array.from(
    { length: 1_200 },
    (_, at) => `slave${at}:ip=10.9.${at >> 8}.${at & 255},port=6379,state=online,offset=1,lag=0`,
  )
  const reply = { kind: 'bulk', bytes: ['role:master', ...lines, ''].join('\r\n') } as const
  const link = sentinel.group.master.link.command?.id ?? 0
  sentinel.run((turn) => {
    turn.effects.push(
      ...step(turn.state, turn.now, { kind: 'reply', link, purpose: { kind: 'info' }, reply }),
    )
  })
  expect(sentinel.group.replicas.size).toBe(1_000)
})
