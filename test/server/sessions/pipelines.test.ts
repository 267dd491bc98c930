/**
 * What a command does to the commands behind it holds at once, also within one input: a pipeline is answered as the
 * same requests are that come one by one.
 */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

/** After some of these the gate is asked for all commands on data at once. */
const BEFORE = ['SET a 1', 'SET b 2', 'SADD s x', 'GET a', 'GET b', 'EXISTS a']
const BEHIND = ['SET a 3', 'GET a', 'LPUSH l x', 'GET', 'HGET a f', 'PING', 'GET b', 'SET c 4']

const ENOUGH = 'CONFIG SET min-replicas-to-write 0'
const LIMITED = 'ACL SETUSER limited on >p ~a +get +set +ping +auth +acl|setuser +@connection'

/** What comes between, and what it shows. */
const TURNS: readonly (readonly [name: string, ...between: readonly string[]])[] = [
  ['a transaction that is queued', 'MULTI'],
  ['a transaction that was run', 'MULTI', 'SET b 5', 'EXEC'],
  ['a transaction that was given up', 'MULTI', 'SET b 5', 'DISCARD'],
  ['replies switched off', 'CLIENT REPLY OFF'],
  ['one reply skipped', 'CLIENT REPLY SKIP'],
  ['another user', LIMITED, 'AUTH limited p'],
  ['rights taken away', 'ACL SETUSER default -get', 'GET a', 'ACL SETUSER default -set'],
  ['a password', 'CONFIG SET requirepass secret', 'RESET'],
  ['too few replicas', 'CONFIG SET min-replicas-to-write 1'],
  ['enough replicas again', 'CONFIG SET min-replicas-to-write 1', 'SET b 5', ENOUGH],
  ['the role of a replica', 'REPLICAOF 10.0.0.9 6379'],
  ['a replica that sends its clients on', 'REPLICAOF 10.0.0.9 6379', 'CLIENT CAPA redirect'],
  ['the role of a master', 'REPLICAOF 10.0.0.9 6379', 'GET a', 'REPLICAOF NO ONE'],
  ['a subscription', 'SUBSCRIBE news'],
  ['the protocol', 'HELLO 3'],
  ['a subscription that forbids nothing', 'HELLO 3', 'SUBSCRIBE news'],
  ['tracking of its own keys', 'HELLO 3', 'CLIENT TRACKING ON', 'GET a'],
  ['a monitor', 'MONITOR'],
  ['a limit of memory', 'CONFIG SET maxmemory 1'],
  ['a pause of writes', 'CLIENT PAUSE 100000 WRITE'],
  ['a pause of everything', 'CLIENT PAUSE 100000 ALL'],
  ['another database', 'SELECT 1'],
  ['a script', "EVAL return(redis.call('GET','a')) 0"],
  ['an emptied database', 'FLUSHALL'],
]

describe('the commands behind it in a pipeline are judged by', () => {
  for (const [name, ...between] of TURNS) {
    test(name, () => {
      const requests = [...BEFORE, ...between, ...BEHIND]
      const alone = new NodeHarness().client()
      const oneByOne = requests.map((request) => alone.say(request)).join('')
      expect(inOnePiece(new NodeHarness().client(), requests)).toBe(oneByOne)
    })
  }
})

test('what changes between two inputs of a pipeline without any command holds for the second', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  expect(inOnePiece(client, BEFORE)).not.toContain('-')
  harness.settings.set('min-replicas-to-write', '1')
  expect(inOnePiece(client, ['SET a 1', 'SET a 1', 'SET a 1', 'GET a'])).toBe(
    `${'-NOREPLICAS Not enough good replicas to write.\r\n'.repeat(3)}$1\r\n1\r\n`,
  )
})

test('a replica answers reads of a pipeline and refuses the writes among them', () => {
  const client = new NodeHarness({ replicaof: '10.0.0.9 6379' }).client()
  const readOnly = "-READONLY You can't write against a read only replica.\r\n"
  expect(inOnePiece(client, ['GET a', 'GET a', 'SET a 1', 'GET a', 'SET a 1', 'SET a 1'])).toBe(
    `$-1\r\n$-1\r\n${readOnly}$-1\r\n${readOnly}${readOnly}`,
  )
})

function inOnePiece(client: TestClient, requests: readonly string[]): string {
  return client.bytes(requests.map((request) => encodeCommand(request.split(' '))).join(''))
}
