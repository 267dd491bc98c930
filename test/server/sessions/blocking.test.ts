import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function clients() {
  const harness = new NodeHarness()
  return { harness, waiting: harness.client(), other: harness.client(), third: harness.client() }
}

describe('a client that waits for a list', () => {
  test('is served by the next push', () => {
    const { waiting, other } = clients()
    expect(waiting.say('BLPOP a l 0')).toBe('')
    expect(other.say('RPUSH l x y')).toBe(':2\r\n')
    expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\nx\r\n')
    expect(other.say('LRANGE l 0 -1')).toBe('*1\r\n$1\r\ny\r\n')
  })

  test('is served in the order of arrival', () => {
    const { waiting, other, third } = clients()
    waiting.say('BLPOP l 0')
    third.say('BRPOP l 0')
    other.say('RPUSH l 1 2 3')
    expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\n1\r\n')
    expect(third.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\n3\r\n')
  })

  test('leaves nothing behind when it is served, although another one still waits', () => {
    const { harness, waiting, other, third } = clients()
    third.say('BLPOP idle 100000')
    for (let i = 0; i < 1_000; i++) {
      waiting.say('BLPOP l 200000')
      other.say('RPUSH l x')
    }
    expect(harness.node.services.blocking.deadlines).toBeLessThan(200)
    harness.advance(100_000_000)
    expect(third.take()).toBe('*-1\r\n')
  })

  test('gets null when its time is up', () => {
    const { harness, waiting } = clients()
    waiting.say('BLPOP l 0.5')
    harness.advance(499)
    expect(waiting.take()).toBe('')
    harness.advance(1)
    expect(waiting.take()).toBe('*-1\r\n')
  })

  test('reads its next commands only afterwards', () => {
    const { waiting, other } = clients()
    expect(waiting.bytes('BLPOP l 0\r\nPING\r\n')).toBe('')
    expect(waiting.bytes('ECHO hi\r\n')).toBe('')
    other.say('RPUSH l x')
    expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\nx\r\n+PONG\r\n$2\r\nhi\r\n')
  })

  test('that is gone is not served', () => {
    const { waiting, other } = clients()
    waiting.say('BLPOP l 0')
    waiting.drop()
    other.say('RPUSH l x')
    expect(other.say('LLEN l')).toBe(':1\r\n')
  })

  test('is not served by a key of another type', () => {
    const { waiting, other } = clients()
    waiting.say('BLPOP l 0')
    other.bytes('SADD l x\r\nDEL l\r\n')
    expect(waiting.take()).toBe('')
    other.say('RPUSH l x')
    expect(waiting.take()).toContain('x')
  })

  for (const way of ['RENAME src l', 'COPY src l', 'LMOVE src l LEFT LEFT']) {
    test(`is served by ${way}`, () => {
      const { waiting, other } = clients()
      other.say('RPUSH src x')
      waiting.say('BLPOP l 0')
      other.say(way)
      expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\nx\r\n')
    })
  }

  test('is served by SWAPDB and by MOVE', () => {
    const { waiting, other, third } = clients()
    other.bytes('SELECT 1\r\nRPUSH l x\r\nRPUSH m y\r\n')
    waiting.say('BLPOP l 0')
    third.say('BLPOP m 0')
    other.say('MOVE m 0')
    expect(third.take()).toContain('y')
    other.say('SWAPDB 0 1')
    expect(waiting.take()).toContain('x')
  })

  test('is served after the transaction that pushes, not in it', () => {
    const { waiting, other } = clients()
    waiting.say('BLPOP l 0')
    other.bytes('MULTI\r\nRPUSH l x\r\nLPOP l\r\n')
    expect(other.say('EXEC')).toBe('*2\r\n:1\r\n$1\r\nx\r\n')
    expect(waiting.take()).toBe('')
  })

  test('is served without a lookup that counts, whatever command came before', () => {
    const { harness, waiting, other, third } = clients()
    const listener = harness.client()
    waiting.say('BLPOP l 0')
    third.say('XREAD BLOCK 0 STREAMS x 5')
    other.say('CONFIG SET notify-keyspace-events KEAm')
    listener.say('PSUBSCRIBE *:keymiss')
    other.say('CONFIG RESETSTAT')
    other.bytes('SELECT 1\r\nXADD x 1-1 f v\r\nSWAPDB 0 1\r\nSWAPDB 0 1\r\nSELECT 0\r\n')
    other.bytes('MULTI\r\nRPUSH l x\r\nTYPE l\r\nEXEC\r\n')
    expect(waiting.take()).toContain('x')
    expect(listener.take()).toBe('')
    // TYPE is the one that hits.
    expect(other.say('INFO stats')).toMatch(/keyspace_hits:1\r\nkeyspace_misses:0/)
  })

  test('can be a link in a chain of moves', () => {
    const { waiting, other, third } = clients()
    waiting.say('BLMOVE a b LEFT RIGHT 0')
    third.say('BLPOP b 0')
    other.say('RPUSH a x')
    expect(waiting.take()).toBe('$1\r\nx\r\n')
    expect(third.take()).toBe('*2\r\n$1\r\nb\r\n$1\r\nx\r\n')
    expect(other.say('EXISTS a b')).toBe(':0\r\n')
  })

  test('learns that its destination is no list, and takes nothing', () => {
    const { waiting, other } = clients()
    waiting.say('BLMOVE a b LEFT RIGHT 0')
    other.bytes('SET b v\r\nRPUSH a x\r\n')
    expect(waiting.take()).toMatch(/^-WRONGTYPE/)
    expect(other.say('LLEN a')).toBe(':1\r\n')
  })

  test('can take several elements at once', () => {
    const { waiting, other } = clients()
    waiting.say('BLMPOP 0 2 a b RIGHT COUNT 2')
    other.say('RPUSH b 1 2 3')
    expect(waiting.take()).toBe('*2\r\n$1\r\nb\r\n*2\r\n$1\r\n3\r\n$1\r\n2\r\n')
  })

  test('can be released by CLIENT UNBLOCK', () => {
    const { waiting, other } = clients()
    waiting.say('BLPOP l 0')
    expect(other.say('CLIENT UNBLOCK 1')).toBe(':1\r\n')
    expect(waiting.take()).toBe('*-1\r\n')
    waiting.say('BLPOP l 0')
    other.say('CLIENT UNBLOCK 1 ERROR')
    expect(waiting.take()).toBe('-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n')
    expect(other.say('CLIENT UNBLOCK 1')).toBe(':0\r\n')
  })

  test('is refused as a write when the node becomes a replica, and thrown out', () => {
    const { waiting, other } = clients()
    waiting.say('BLPOP l 0')
    other.say('REPLICAOF 10.0.0.9 6379')
    expect(waiting.take()).toBe("-READONLY You can't write against a read only replica.\r\n")
    expect(waiting.isClosed).toBe(true)
  })

  test('is told that it waits no longer if it only reads, or where demotion closes no clients', () => {
    const node = new NodeHarness({ 'demotion-closes-clients': 'no' })
    const [popping, operator] = [node.client(), node.client()]
    popping.say('BLPOP l 0')
    operator.say('REPLICAOF 10.0.0.9 6379')
    const { waiting, other } = clients()
    waiting.say('XREAD BLOCK 0 STREAMS s 0')
    other.say('REPLICAOF 10.0.0.9 6379')
    for (const one of [popping, waiting]) expect(one.take()).toMatch(/^-UNBLOCKED force unblock/)
  })
})

describe('while a replica listens', () => {
  test('a push and the pop it feeds are told one after the other', () => {
    const { harness, waiting, other } = clients()
    const replica = harness.replica()
    waiting.say('BLPOP l 0')
    other.say('RPUSH l x')
    expect(replica.told()).toEqual(['SELECT 0', 'RPUSH l x', 'LPOP l'])
  })
})

describe('failed_calls of a command that waited', () => {
  const statsOf = (client: { say: (line: string) => string }, name: string) =>
    new RegExp(`cmdstat_${name}:calls=(\\d+).*failed_calls=(\\d+)`)
      .exec(client.say('INFO commandstats'))
      ?.slice(1)

  test('counts an error with which it was served', () => {
    const { waiting, other } = clients()
    waiting.say('BLMOVE from to LEFT LEFT 0')
    other.say('SET to text')
    other.say('RPUSH from 1')
    expect(waiting.take()).toMatch(/^-WRONGTYPE/)
    expect(statsOf(other, 'blmove')).toEqual(['1', '1'])
  })

  test.each(['ERROR', 'TIMEOUT'])('counts CLIENT UNBLOCK %s', (reason) => {
    const { waiting, other } = clients()
    const id = waiting.say('CLIENT ID').trim().slice(1)
    waiting.say('BLPOP list 0')
    other.say(`CLIENT UNBLOCK ${id} ${reason}`)
    expect(statsOf(other, 'blpop')).toEqual(['1', '1'])
  })

  test('counts neither a reply nor a time-out', () => {
    const { harness, waiting, other } = clients()
    waiting.say('BLPOP list 0')
    other.say('RPUSH list 1')
    waiting.say('BLPOP list 0.5')
    harness.advance(500)
    expect(statsOf(other, 'blpop')).toEqual(['2', '0'])
  })
})
