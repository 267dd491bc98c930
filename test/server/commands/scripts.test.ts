/** Scripts in a node: what runs beside them, what they may do, and what they may not take. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const ENDLESS = 'while true do end'
const WAITS_10_MS = `local function ms() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
local endMs = ms() + 10 repeat until ms() >= endMs`
const BUSY = '-BUSY Redis is busy running a script.'

function busyNode(script: string, threshold = '100') {
  const harness = new NodeHarness({ 'busy-reply-threshold': threshold })
  const [runner, other] = [harness.client(), harness.client()]
  runner.send('EVAL', script, '0')
  return { harness, runner, other }
}

describe('a script that takes long', () => {
  test('lets others be heard, and they are told once it has taken too long', () => {
    const { harness, other } = busyNode(ENDLESS)
    expect(other.say('GET a')).toBe('')
    harness.advance(150)
    expect(other.take()).toContain(BUSY)
    expect(other.say('PING')).toContain(BUSY)
  })

  test('is killed before it has written, and what others sent before is answered', () => {
    const { harness, runner, other } = busyNode(ENDLESS)
    harness.advance(150)
    expect(other.say('SCRIPT KILL')).toBe('+OK\r\n')
    harness.advance(10)
    expect(runner.take()).toMatch(
      /^-ERR Script killed by user with SCRIPT KILL.*user_script:1\.\r\n$/,
    )
    expect(other.say('PING')).toBe('+PONG\r\n')
    expect(runner.say('PING')).toBe('+PONG\r\n')
  })

  test('is no function: FUNCTION STATS is refused, FUNCTION KILL names the other way', () => {
    const { harness, other } = busyNode(ENDLESS)
    harness.advance(150)
    expect(other.say('FUNCTION STATS')).toContain(BUSY)
    expect(other.say('FUNCTION KILL')).toMatch(/^-BUSY .*SCRIPT KILL/)
    expect(other.say('SCRIPT KILL')).toBe('+OK\r\n')
    harness.advance(10)
    expect(other.say('FUNCTION STATS')).toMatch(/^\*4\r\n\$14\r\nrunning_script\r\n\$-1\r\n/)
  })

  test('cannot be kept alive by pcall', () => {
    const { harness, runner, other } = busyNode(
      'while true do pcall(function() while true do end end) end',
    )
    harness.advance(150)
    other.say('SCRIPT KILL')
    harness.advance(10)
    expect(runner.take()).toContain('Script killed by user')
  })

  test('is not killed once it has written', () => {
    const { harness, other } = busyNode(`redis.call('SET', 'a', 1) ${ENDLESS}`)
    harness.advance(150)
    expect(other.say('SCRIPT KILL')).toMatch(/^-UNKILLABLE /)
    expect(other.say('SHUTDOWN')).toContain(BUSY)
    other.say('SHUTDOWN NOSAVE')
    harness.advance(10)
    expect(harness.exitStatus).toBe(0)
  })

  test('goes on to its end, and its effects reach replicas together', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const replica = harness.replica()
    const script =
      "for i = 1, 1e6 do if i % 4e5 == 0 then redis.call('SET', 'k', i) end end return 7"
    expect(client.send('EVAL', script, '0')).toBe('')
    expect(replica.told()).toEqual([])
    harness.advance(200)
    expect(client.take()).toBe(':7\r\n')
    expect(replica.told()).toEqual(['SELECT 0', 'MULTI', 'SET k 400000', 'SET k 800000', 'EXEC'])
  })

  test('holds up the rest of its transaction, in which no key expires', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET a 1 PX 5')
    client.say('MULTI')
    client.send('EVAL', "for i = 1, 2e6 do end return redis.call('GET', 'a')", '0')
    client.send('EVAL', 'for i = 1, 1e6 do end return 2', '0')
    client.say('SET b 3')
    client.say('EXEC')
    harness.advance(500)
    expect(client.take()).toBe('$1\r\n1\r\n:2\r\n+OK\r\n')
    expect(client.say('GET b')).toBe('$1\r\n3\r\n')
  })

  test('is over before a client gets what it has pushed, whatever others send meanwhile', () => {
    const harness = new NodeHarness({ 'busy-reply-threshold': '1' })
    const [runner, waiting, other] = [harness.client(), harness.client(), harness.client()]
    const replica = harness.replica()
    waiting.say('BLPOP l 0')
    const script =
      "redis.call('RPUSH', 'l', 'x') for i = 1, 2e6 do end return redis.call('LLEN', 'l')"
    runner.send('EVAL', script, '0')
    harness.advance(5)
    // One is refused, one runs beside the script, both end with a look at who may be served.
    expect(other.say('GET a')).toContain(BUSY)
    expect(other.say('UNWATCH')).toBe('+OK\r\n')
    expect(waiting.take()).toBe('')
    harness.advance(500)
    expect(runner.take()).toBe(':1\r\n')
    expect(waiting.take()).toBe('*2\r\n$1\r\nl\r\n$1\r\nx\r\n')
    expect(replica.told()).toEqual(['SELECT 0', 'RPUSH l x', 'LPOP l'])
  })

  test('sees TIME go on, and no key expire', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET before 1 PX 5')
    client.send('EVAL', `${WAITS_10_MS} return {redis.call('EXISTS', 'before')}`, '0')
    harness.advance(300)
    expect(client.take()).toBe('*1\r\n:1\r\n')
    expect(client.say('EXISTS before')).toBe(':0\r\n')
  })

  test('sets an expiry from the moment at which it does so', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const asks = "return redis.call('PTTL', 'k') > 15"
    client.send('EVAL', `${WAITS_10_MS} redis.call('SET', 'k', 1, 'PX', 20) ${asks}`, '0')
    harness.advance(300)
    expect(client.take()).toBe(':1\r\n')
  })

  test('outlives the client that sent it', () => {
    const { harness, runner, other } = busyNode(
      "for i = 1, 1e6 do end redis.call('SET', 'done', 1)",
    )
    runner.drop()
    harness.advance(300)
    expect(other.say('GET done')).toBe('$1\r\n1\r\n')
  })

  test('is told to end with the process', () => {
    const { harness } = busyNode(ENDLESS)
    harness.node.stopRequested(harness.now)
    harness.advance(100)
    expect(harness.exitStatus).toBe(0)
  })

  const WRITES = "redis.call('SET', 'half', 1) for i = 1, 1e6 do end redis.call('SET', 'whole', 1)"

  test('is waited for before the data are saved for the end of the process', () => {
    const harness = new NodeHarness({ save: '3600 1' })
    const client = harness.client()
    client.say('SET acknowledged 1')
    client.send('EVAL', WRITES, '0')
    harness.node.stopRequested(harness.now)
    harness.advance(300)
    expect(harness.exitStatus).toBe(0)
    const dump = harness.files.read('dump.rdb')
    for (const key of ['acknowledged', 'half', 'whole']) expect(dump).toContain(key)
  })

  test.each([
    ['a second signal', '3600 1', 'default', 2],
    ['no save to come', '', 'default', 1],
    ['a signal that asks for no save', '3600 1', 'nosave', 1],
  ])('is not waited for, and nothing is saved: %s', (_why, save, words, signals) => {
    const harness = new NodeHarness({ save, 'shutdown-on-sigterm': words })
    harness.client().send('EVAL', `${WRITES} while true do end`, '0')
    for (let signal = 0; signal < signals; signal++) {
      harness.advance(100)
      expect(harness.exitStatus).toBeUndefined()
      harness.node.stopRequested(harness.now)
    }
    harness.advance(100)
    expect([harness.exitStatus, harness.files.paths()]).toEqual([0, []])
  })
})

describe('what scripts may do', () => {
  test('is under the name server as well, as in Valkey', () => {
    const client = new NodeHarness().client()
    const script =
      "server.call('SET', KEYS[1], 'v') return {server.status_reply('FINE'), server == redis}"
    expect(client.send('EVAL', script, '1', 'key')).toBe('*2\r\n+FINE\r\n:1\r\n')
    expect(client.say('GET key')).toContain('v')
    expect(client.send('EVAL', 'server.call = 1', '0')).toContain('modify a readonly table')
  })

  test('is what the user that sent them may do', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('ACL SETUSER u on nopass +eval +get ~a*')
    client.say('AUTH u x')
    expect(client.send('EVAL', "return redis.call('get', 'a')", '0')).toBe('$-1\r\n')
    const answers = ["redis.call('set', 'a', 1)", "redis.call('get', 'b')"].map((call) =>
      client.send('EVAL', `return ${call}`, '0'),
    )
    expect(answers[0]).toContain("can't run this command or subcommand")
    expect(answers[1]).toContain("can't access at least one of the keys")
  })

  test('is nothing that changes a replica', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('REPLICAOF 127.0.0.1 1')
    expect(client.send('EVAL', "return redis.call('set', 'a', 1)", '0')).toMatch(
      /^-READONLY You can't/,
    )
    expect(client.send('EVAL', "#!lua\nreturn redis.call('get', 'a')", '0')).toMatch(
      /^-READONLY You can't write/,
    )
    expect(client.say('MULTI')).toBe('+OK\r\n')
    expect(client.send('EVAL', '#!lua\nreturn 1', '0')).toMatch(/^-READONLY You can't write/)
    expect(client.say('EXEC')).toMatch(/^-EXECABORT /)
    expect(client.send('EVAL', "#!lua flags=no-writes\nreturn redis.call('get', 'a')", '0')).toBe(
      '$-1\r\n',
    )
  })

  test('is the same in every run of the simulator', () => {
    const run = () => {
      const client = new NodeHarness().client()
      return client.send(
        'EVAL',
        'return {tostring({}), math.random(1000), tostring(math.random)}',
        '0',
      )
    }
    expect(run()).toBe(run())
  })

  test('leaves nothing for the next script', () => {
    const client = new NodeHarness().client()
    for (const attack of [
      'x = 1',
      '_G.x = 1',
      'string.x = 1',
      "getmetatable('').x = 1",
      'KEYS.x = 1',
    ]) {
      client.send('EVAL', attack, '0')
    }
    expect(client.send('EVAL', 'return {KEYS.x}', '0')).toBe('*0\r\n')
    expect(client.send('EVAL', 'return x', '0')).toContain('nonexistent global variable')
  })
})

test('of the scripts that came with EVAL the oldest give way, and those that were loaded stay', () => {
  const client = new NodeHarness().client()
  const loaded = client.send('SCRIPT', 'LOAD', 'return 0').slice(5, 45)
  for (let n = 1; n <= 700; n++) client.send('EVAL', `return ${n}`, '0')
  expect(client.send('EVALSHA', loaded, '0')).toBe(':0\r\n')
  expect(client.say('INFO memory')).toContain('number_of_cached_scripts:501\r\n')
})

test('a script that has written goes on when replicas are missing meanwhile, and the next one is refused', () => {
  const client = new NodeHarness().client()
  client.say('DEBUG SET-DISABLE-DENY-SCRIPTS 1')
  const script = `redis.call('SET', 'a', '1')
    redis.call('CONFIG', 'SET', 'min-replicas-to-write', '1')
    return redis.call('SET', 'b', '2')`
  expect(client.send('EVAL', script, '0')).toBe('+OK\r\n')
  expect(client.say('GET b')).toBe('$1\r\n2\r\n')
  expect(client.send('EVAL', script, '0')).toMatch(/^-NOREPLICAS /)
})

test('SORT in a script puts a set in order even if it is told not to sort', () => {
  const client = new NodeHarness().client()
  client.say('SADD s c aa b a')
  const sorted = '*4\r\n$1\r\na\r\n$2\r\naa\r\n$1\r\nb\r\n$1\r\nc\r\n'
  for (const name of ['SORT', 'SORT_RO']) {
    const script = `return redis.call('${name}', KEYS[1], 'BY', 'nosort')`
    expect(client.send('EVAL', script, '1', 's')).toBe(sorted)
  }
  expect(client.say('SORT s BY nosort')).toContain('$1\r\nc\r\n$2\r\naa\r\n')
})

describe('used_memory_lua', () => {
  const TABLES = "local t = {} for i = 1, 999 do t['key ' .. i] = {} end return #t"

  function usedBytes(client: ReturnType<NodeHarness['client']>): string | undefined {
    return /used_memory_lua:(\S+)/.exec(client.say('INFO memory'))?.[1]
  }

  test('is a whole number, also of what scripts still reach', () => {
    const client = new NodeHarness().client()
    for (const word of ['a', 'ab', 'abc']) {
      client.send('EVAL', `collectgarbage() return '${word}'`, '0')
      expect(usedBytes(client)).toMatch(/^[1-9]\d*$/)
    }
  })

  test('falls with SCRIPT FLUSH', () => {
    const client = new NodeHarness().client()
    client.send('EVAL', 'return 0', '0')
    const atFirst = Number(usedBytes(client))
    for (let count = 0; count < 20; count++) client.send('EVAL', TABLES, '0')
    expect(Number(usedBytes(client))).toBeGreaterThan(atFirst + 1_000_000)
    client.say('SCRIPT FLUSH')
    expect(Number(usedBytes(client))).toBeLessThanOrEqual(2 * atFirst)
  })
})
