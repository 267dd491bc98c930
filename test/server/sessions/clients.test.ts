import { describe, expect, test } from 'vitest'
import type { Reply } from '../../../src/resp/reply.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'

describe('CLIENT LIST', () => {
  test('has one line per connection, in the order Redis gives the fields', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    a.bytes('CLIENT SETNAME me\r\nSELECT 2\r\n')
    harness.monoMs += 2500
    const [first, second] = b.say('CLIENT LIST').split('\n').slice(1)
    expect(first).toMatch(
      /^id=1 addr=127\.0\.0\.1:50001 laddr=127\.0\.0\.1:6379 fd=\d+ name=me age=2 idle=2 flags=N db=2 sub=0 psub=0 ssub=0 multi=-1 .* cmd=select user=default redir=-1 resp=2 /,
    )
    expect(second).toMatch(/^id=2 .* idle=0 .* cmd=client\|list /)
  })

  test('tells what waits for a client that does not read, and the request that asks', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    b.queuedBytes = 40_000
    const [asking, slow] = a.say('CLIENT LIST').split('\n').slice(1)
    expect(asking).toMatch(/ qbuf=26 .* oll=0 omem=0 /)
    expect(slow).toMatch(/ qbuf=0 qbuf-free=0 argv-mem=0 .* oll=3 omem=40000 tot-mem=[4-9]\d{4} /)
    expect(a.say('CLIENT INFO')).toContain(' qbuf=26 ')
  })

  test('can be limited to a type or to ids', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    b.say('SUBSCRIBE c')
    expect(a.say('CLIENT LIST TYPE pubsub')).toMatch(/id=2 .* flags=P /)
    expect(a.say('CLIENT LIST ID 1 99')).not.toContain('id=2')
  })

  test('of a replica shows the link to the master, and CLIENT KILL has it made anew', () => {
    const world = new ReplicationWorld()
    const master = world.node()
    const replica = world.replicaOf(master)
    const [line, ...others] = textOf(replica.call('CLIENT', 'LIST', 'TYPE', 'master')).split('\n')
    expect(line).toMatch(/^id=\d+ addr=10\.0\.0\.1:6379 .* flags=M .* user=\(superuser\) /)
    expect(others).toEqual([''])
    expect(textOf(replica.call('CLIENT', 'LIST'))).toContain(line?.split(' ')[0])
    expect(replica.call('CLIENT', 'KILL', 'TYPE', 'master')).toMatchObject({ value: 1 })
    expect(textOf(replica.call('INFO', 'replication'))).toContain('master_link_status:down')
    expect(textOf(replica.call('CLIENT', 'LIST', 'TYPE', 'master'))).toBe('')
    world.run(1000)
    expect(textOf(replica.call('INFO', 'replication'))).toContain('master_link_status:up')
  })

  test('says x of a client whose transaction runs, with the number of its commands', () => {
    const client = new NodeHarness().client()
    client.say('MULTI')
    client.say('PING')
    client.say('CLIENT INFO')
    expect(client.say('EXEC')).toMatch(/ flags=x .* multi=2 .* cmd=exec /)
    expect(client.say('CLIENT INFO')).toMatch(/ flags=N .* multi=-1 /)
  })
})

function textOf(reply: Reply): string {
  if (reply.kind === 'verbatim') return reply.text
  return reply.kind === 'bulk' ? reply.bytes : reply.kind
}

describe('CLIENT KILL', () => {
  test('by address may hit the caller, who still gets the reply', () => {
    const client = new NodeHarness().client()
    expect(client.say('CLIENT KILL 127.0.0.1:50001')).toBe('+OK\r\n')
    expect(client.isClosed).toBe(true)
  })

  test('by type spares the caller unless told otherwise', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    expect(a.say('CLIENT KILL TYPE normal')).toBe(':1\r\n')
    expect([a.isClosed, b.isClosed]).toEqual([false, true])
    expect(a.say('CLIENT KILL TYPE normal SKIPME no')).toBe(':1\r\n')
    expect(a.isClosed).toBe(true)
  })

  test('needs all filters to match', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    expect(a.say('CLIENT KILL ID 2 TYPE pubsub')).toBe(':0\r\n')
    expect(a.say('CLIENT KILL ID 2 TYPE normal')).toBe(':1\r\n')
    expect(b.isClosed).toBe(true)
  })

  test('ends the wait of a blocked client without serving it', () => {
    const harness = new NodeHarness()
    const [a, b] = [harness.client(), harness.client()]
    b.say('BLPOP l 0')
    a.bytes('CLIENT KILL ID 2\r\nRPUSH l x\r\n')
    expect(a.say('LLEN l')).toBe(':1\r\n')
    expect(a.say('INFO clients')).toContain('blocked_clients:0')
  })
})

describe('CLIENT REPLY', () => {
  test('SKIP silences exactly the next command', () => {
    const client = new NodeHarness().client()
    expect(client.bytes('CLIENT REPLY SKIP\r\nPING\r\nECHO heard\r\n')).toBe('$5\r\nheard\r\n')
  })

  test('SKIP silences RESET, too, and OFF does not', () => {
    const client = new NodeHarness().client()
    expect(client.bytes('CLIENT REPLY SKIP\r\nRESET\r\nECHO heard\r\n')).toBe('$5\r\nheard\r\n')
    expect(client.bytes('CLIENT REPLY OFF\r\nRESET\r\n')).toBe('+RESET\r\n')
  })

  test('OFF silences all commands, errors included, until ON', () => {
    const client = new NodeHarness().client()
    expect(client.bytes('CLIENT REPLY OFF\r\nPING\r\nNOSUCH\r\nGET\r\n')).toBe('')
    expect(client.bytes('MULTI\r\nPING\r\nEXEC\r\n')).toBe('')
    expect(client.say('CLIENT REPLY ON')).toBe('+OK\r\n')
  })
})

describe('INFO', () => {
  test('counts what happened, and starts again with CONFIG RESETSTAT', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.bytes('SET k v\r\nGET k\r\nGET missing\r\nINCR k\r\nNOSUCH\r\nGET\r\n')
    const text = client.say('INFO all')
    for (const line of [
      'keyspace_hits:1',
      'keyspace_misses:1',
      'cmdstat_get:calls=2,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0',
      'cmdstat_incr:calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1',
      'errorstat_ERR:count=3',
      'db0:keys=1,expires=0,avg_ttl=0',
    ]) {
      expect(text).toContain(`${line}\r\n`)
    }
    client.say('CONFIG RESETSTAT')
    expect(client.say('INFO errorstats commandstats')).not.toContain('errorstat_')
  })

  test('counts the errors inside of an answer of a script, and the command that it ran as failed', () => {
    const client = new NodeHarness().client()
    client.say('SET text v')
    const inner = "{redis.error_reply('ARR y'), redis.pcall('lpush','text','v')}"
    client.send('EVAL', `return {redis.error_reply('ARR x'), ${inner}}`, '0')
    const text = client.say('INFO all')
    for (const line of [
      'cmdstat_eval:calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=2',
      'errorstat_ARR:count=2',
      'errorstat_WRONGTYPE:count=1',
      'total_error_replies:3',
    ]) {
      expect(text).toContain(`${line}\r\n`)
    }
  })

  test('gives the sections asked for, in any case, and nothing for unknown ones', () => {
    const client = new NodeHarness().client()
    expect(client.say('INFO CPU keyspace')).toMatch(/# CPU\r\n[^#]*\r\n\r\n# Keyspace\r\n/)
    expect(client.say('INFO nosuch')).toBe('$0\r\n\r\n')
  })
})

describe('SHUTDOWN', () => {
  test('ends the process without a reply', () => {
    const harness = new NodeHarness()
    expect(harness.client().say('SHUTDOWN NOSAVE')).toBe('')
    expect(harness.exitStatus).toBe(0)
  })
})

describe('CLIENT PAUSE', () => {
  test('whose end would be no moment of 64 bits is refused, and pauses nobody', () => {
    const client = new NodeHarness().client()
    const longest = 2n ** 63n - 1n
    for (const ms of [longest, longest - 1_000_000n]) {
      expect(client.say(`CLIENT PAUSE ${ms}`)).toBe('-ERR timeout is out of range\r\n')
    }
    const notAnInteger = '-ERR timeout is not an integer or out of range\r\n'
    expect(client.say(`CLIENT PAUSE ${longest + 1n}`)).toBe(notAnInteger)
    expect(client.say('PING')).toBe('+PONG\r\n')
    // Two hundred million years are a pause that somebody may want to end.
    expect(client.say('CLIENT PAUSE 6300000000000000000 WRITE')).toBe('+OK\r\n')
    expect(client.say('CLIENT UNPAUSE')).toBe('+OK\r\n')
    expect(client.say('SET k v')).toBe('+OK\r\n')
  })
})
