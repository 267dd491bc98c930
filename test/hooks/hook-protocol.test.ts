import { expect, test } from 'vitest'
import {
  answerOfExit,
  answerOfResponse,
  hookArguments,
  hookDocument,
} from '../../src/hooks/hook-protocol.ts'

const YES = { kind: 'preFailover', allows: true, reason: '' }
const no = (reason: string) => ({ kind: 'preFailover', allows: false, reason })
const nothing = (reason: string) => ({ kind: 'failed', reason })

test.each([
  [200, '', YES],
  [204, '', YES],
  [200, 'OK', YES],
  [200, '{"allow": true}', YES],
  [200, '{"allow": false, "reason": "maintenance\\nuntil 5"}', no('maintenance')],
  [200, '{"allow": "no"}', nothing('the "allow" of its answer is neither true nor false')],
  [200, '[]', YES],
  [403, 'not today\nreally', no('not today')],
  [409, '{"reason": "frozen"}', no('frozen')],
  [403, '', no('it answers 403')],
  [302, '', nothing('it answers 302')],
  [404, '', nothing('it answers 404')],
  [500, '{"allow": false}', nothing('it answers 500')],
])('a service that answers %i %s', (status, body, answer) => {
  expect(answerOfResponse(status, body)).toEqual(answer)
})

test.each([
  [0, null, 'whatever', YES],
  [1, null, '\nmaintenance\nmore', no('maintenance')],
  [2, null, '', no('exit status 2')],
  [127, null, '', nothing('it ended with exit status 127')],
  [0, 'SIGSEGV', '', nothing('it was ended by SIGSEGV')],
])('a program that ends with status %i and signal %s', (status, signal, output, answer) => {
  expect(answerOfExit(status, signal, output)).toEqual(answer)
})

test('a program is told group, host, port, epoch and how long the master is down; a service more', () => {
  const request = {
    ...{ group: 'g\xc3\xa9', master: { host: '10.0.0.1', port: 6379 }, epoch: 5, quorum: 2 },
    ...{ downForMs: 30_100, replicas: [{ host: '10.0.0.2', port: 6379 }], by: 'a'.repeat(40) },
  }
  expect(hookArguments(request)).toEqual(['g\xc3\xa9', '10.0.0.1', '6379', '5', '30100'])
  expect(JSON.parse(hookDocument(request, 5_000, '2026-11-23T00:00:00.000Z'))).toEqual({
    ...{ type: 'vedette.pre-failover', time: '2026-11-23T00:00:00.000Z', ...request },
    ...{ group: 'gé', timeoutMs: 5_000 },
  })
})
