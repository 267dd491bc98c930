import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function twoClients() {
  const harness = new NodeHarness()
  return { harness, a: harness.client(), b: harness.client() }
}

describe('a transaction', () => {
  test('runs its commands at EXEC and answers each', () => {
    const { a } = twoClients()
    expect(a.say('MULTI')).toBe('+OK\r\n')
    expect(a.say('SET k 1')).toBe('+QUEUED\r\n')
    expect(a.say('INCR k')).toBe('+QUEUED\r\n')
    expect(a.say('EXEC')).toBe('*2\r\n+OK\r\n:2\r\n')
  })

  test('is not seen by anybody before EXEC', () => {
    const { a, b } = twoClients()
    a.bytes('MULTI\r\nSET k 1\r\n')
    expect(b.say('EXISTS k')).toBe(':0\r\n')
  })

  test('goes on after a command that fails', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nSET k v\r\nINCR k\r\nGET k\r\n')
    const failed = '-ERR value is not an integer or out of range\r\n'
    expect(a.say('EXEC')).toBe(`*3\r\n+OK\r\n${failed}$1\r\nv\r\n`)
  })

  test('runs nothing if a command was refused when it was queued', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nSET k v\r\nNOSUCH\r\n')
    expect(a.say('EXEC')).toMatch(/^-EXECABORT Transaction discarded because of previous errors\./)
    expect(a.say('EXISTS k')).toBe(':0\r\n')
  })

  test('forgets its commands at DISCARD', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nSET k v\r\nDISCARD\r\n')
    expect(a.say('EXISTS k')).toBe(':0\r\n')
    expect(a.say('EXEC')).toBe('-ERR EXEC without MULTI\r\n')
  })

  test('does not nest, and survives the attempt', () => {
    const { a } = twoClients()
    a.say('MULTI')
    expect(a.say('MULTI')).toBe('-ERR MULTI calls can not be nested\r\n')
    expect(a.say('WATCH k')).toBe('-ERR WATCH inside MULTI is not allowed\r\n')
    expect(a.say('EXEC')).toBe('*0\r\n')
  })

  test('may change the database, for good', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nSELECT 3\r\nSET k v\r\nEXEC\r\n')
    expect(a.say('GET k')).toBe('$1\r\nv\r\n')
    expect(a.say('DBSIZE')).toBe(':1\r\n')
  })

  test('never waits', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nBLPOP l 0\r\nBLMOVE l m LEFT LEFT 0\r\nBLMPOP 0 1 l LEFT\r\n')
    expect(a.say('EXEC')).toBe('*3\r\n*-1\r\n$-1\r\n*-1\r\n')
    expect(a.say('PING')).toBe('+PONG\r\n')
  })

  test('contains every frame of a subscription made in it', () => {
    const { a } = twoClients()
    a.bytes('MULTI\r\nSUBSCRIBE c\r\n')
    expect(a.say('EXEC')).toBe('*1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n')
  })

  test('contains what a Sentinel reconfigures a node with, and spares the one who sent it', () => {
    const { harness, a, b } = twoClients()
    const subscriber = harness.client()
    subscriber.say('SUBSCRIBE c')
    a.bytes('MULTI\r\nSLAVEOF NO ONE\r\nCONFIG REWRITE\r\n')
    a.bytes('CLIENT KILL TYPE normal\r\nCLIENT KILL TYPE pubsub\r\n')
    const noFile = '-ERR The server is running without a config file\r\n'
    expect(a.say('EXEC')).toBe(`*4\r\n+OK\r\n${noFile}:1\r\n:1\r\n`)
    expect([a.isClosed, b.isClosed, subscriber.isClosed]).toEqual([false, true, true])
  })
})

describe('WATCH', () => {
  test('lets EXEC run if nothing was changed', () => {
    const { a, b } = twoClients()
    a.bytes('SET k 1\r\nWATCH k\r\n')
    b.bytes('GET k\r\nSADD other x\r\nDEL missing\r\n')
    a.bytes('MULTI\r\nGET k\r\n')
    expect(a.say('EXEC')).toBe('*1\r\n$1\r\n1\r\n')
  })

  for (const change of [
    'SET k 2',
    'DEL k',
    'EXPIRE k 100',
    'RENAME k x',
    'FLUSHALL',
    'SWAPDB 0 1',
  ]) {
    test(`stops EXEC after another client's ${change}`, () => {
      const { a, b } = twoClients()
      a.bytes('SET k 1\r\nWATCH k\r\n')
      b.say(change)
      a.bytes('MULTI\r\nSET k 9\r\n')
      expect(a.say('EXEC')).toBe('*-1\r\n')
    })
  }

  test('stops EXEC after a change of its own', () => {
    const { a } = twoClients()
    a.bytes('WATCH k\r\nSET k 1\r\nMULTI\r\nPING\r\n')
    expect(a.say('EXEC')).toBe('*-1\r\n')
  })

  test('is not broken by a flush of keys that were not there', () => {
    const { a, b } = twoClients()
    a.say('WATCH missing')
    b.say('FLUSHALL')
    a.bytes('MULTI\r\nPING\r\n')
    expect(a.say('EXEC')).toBe('*1\r\n+PONG\r\n')
  })

  test('is broken by a key that runs out of time', () => {
    const { harness, a } = twoClients()
    a.bytes('SET k v PX 10\r\nWATCH k\r\n')
    harness.monoMs += 20
    a.bytes('MULTI\r\nPING\r\n')
    expect(a.say('EXEC')).toBe('*-1\r\n')
  })

  test('is not broken by the deletion of a key that had run out of time before', () => {
    const { harness, a, b } = twoClients()
    a.say('SET k v PX 10')
    harness.monoMs += 20
    a.say('WATCH k')
    expect(b.say('GET k')).toBe('$-1\r\n')
    a.bytes('MULTI\r\nPING\r\n')
    expect(a.say('EXEC')).toBe('*1\r\n+PONG\r\n')
  })

  test('ends with UNWATCH', () => {
    const { a, b } = twoClients()
    a.bytes('WATCH k\r\nUNWATCH\r\n')
    b.say('SET k 1')
    a.bytes('MULTI\r\nPING\r\n')
    expect(a.say('EXEC')).toBe('*1\r\n+PONG\r\n')
  })

  test('leaves nothing behind when the client is gone', () => {
    const { harness, a } = twoClients()
    a.say('WATCH k')
    a.drop()
    expect(harness.node.keyspace.dbs[0]?.watchers.size).toBe(0)
  })
})
