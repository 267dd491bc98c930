import { expect, test } from 'vitest'
import type { Purpose } from '../../../src/core/purpose.ts'
import { step } from '../../../src/core/step.ts'
import type { Reply } from '../../../src/resp/reply.ts'
import { MYMASTER, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

function remarks(sentinel: TestSentinel): readonly string[] {
  return sentinel
    .connect()
    .ask('INFO vedette')
    .split('\r\n')
    .filter((line) => line.startsWith('remark'))
}

function replyFromReplica(sentinel: TestSentinel, purpose: Purpose, reply: Reply): void {
  const [replica] = sentinel.group.replicas.values()
  const link = replica?.link.command?.id ?? 0
  sentinel.run((turn) => step(turn.state, turn.now, { kind: 'reply', link, purpose, reply }))
}

test('a Sentinel that has nothing to complain of makes no remark', () => {
  expect(remarks(new TestSentinel({ replicas: REPLICAS }))).toEqual([])
})

test('an instance that refuses our password is named with its reason until it lets us in', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const noauth: Reply = { kind: 'error', text: 'NOAUTH Authentication required.' }
  replyFromReplica(sentinel, { kind: 'ping' }, noauth)
  const [remark] = remarks(sentinel)
  expect(remark).toMatch(/^remark0:group=mymaster,instance=replica 10\.0\.0\.2:6380,text=.*NOAUTH/)
  replyFromReplica(sentinel, { kind: 'ping' }, { kind: 'simple', text: 'PONG' })
  expect(remarks(sentinel)).toEqual([])
})

test('a state that cannot be saved is a remark on every group', () => {
  const sentinel = new TestSentinel()
  sentinel.savesFail = true
  sentinel.connect().ask('SENTINEL FLUSHCONFIG')
  expect(remarks(sentinel)).toEqual([
    'remark0:group=mymaster,instance=,text=its state cannot be saved, so it gives no vote and enters no election',
  ])
})

test('INFO without a name, and INFO everything, show no section of ours', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('INFO')).not.toContain('edette')
  expect(client.ask('INFO everything')).not.toContain('edette')
})

test('INFO vedette says of each group by what its master is judged', () => {
  const other = { ...MYMASTER, name: 'other', host: '10.0.0.9', grayAfterMs: 5_000 }
  const groups = [MYMASTER, { ...other, detection: 'ping' as const }]
  expect(new TestSentinel({ groups }).connect().ask('INFO vedette')).toContain(
    '# Vedette\r\nvedette:1\r\nepochs:current=0,refused=0,frozen=0\r\n' +
      'group0:name=mymaster,detection=evidence,refused-after=250,gray-after=0,forget-after=0\r\n' +
      'group1:name=other,detection=ping,refused-after=250,gray-after=5000,forget-after=0\r\n',
  )
})
