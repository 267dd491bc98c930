/** Libraries of functions: loaded by clients and masters, kept, handed on and called. */
import { describe, expect, test } from 'vitest'
import { functionPayload } from '../../../src/server/commands/scripting/functions.ts'
import { FunctionStore } from '../../../src/server/functions.ts'
import { withFooter } from '../../../src/server/rdb/dump-payload.ts'
import { FunctionLibraries } from '../../../src/server/scripting/function-libraries.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const ONE = "#!lua name=one\nredis.register_function('f', function() return 1 end)"
const TWO = '#!LUA  NAME="two"\nredis.register_function("g", function() return 2 end)'

const newStore = () => new FunctionStore(new FunctionLibraries(16 * 1024 * 1024, () => undefined))

/** A node whose master sends what `fromMaster` is given. */
function nodeWith(...sources: readonly string[]) {
  const harness = new NodeHarness()
  const client = harness.client()
  const fromMaster = (...argv: readonly string[]) => harness.node.services.streamTarget.apply(argv)
  for (const source of sources) fromMaster('FUNCTION', 'LOAD', source)
  return { harness, client, fromMaster }
}

describe('the first line of a library', () => {
  // The errors are what redis-server 7.0.15 answered.
  const NAMES =
    'Library names can only contain letters, numbers, or underscores(_) and must be at least one ' +
    'character long'
  const REFUSED: Readonly<Record<string, string>> = {
    x: 'Missing library metadata',
    '#!lua': 'Invalid library metadata',
    '#!lua name="a\nreturn 1': 'Invalid library metadata',
    '#!lua\n': 'Library name was not given',
    '#!\nreturn 1': 'Library name was not given',
    '#!lua name=\n': NAMES,
    '#!lua name=a-b\n': NAMES,
    '#!lua name="quo ted"\n': NAMES,
    '#!lua name=a name=b\n': 'Invalid metadata value, name argument was given multiple times',
    '#!lua foo=a name=b\n': 'Invalid metadata value given: foo=a',
    '#!lua foo\n': 'Invalid metadata value given: foo',
  }
  for (const [source, error] of Object.entries(REFUSED)) {
    test(`${JSON.stringify(source)} is refused`, () => {
      expect(newStore().add(source)).toEqual({ ok: false, error })
    })
  }

  test('names it, in any spelling', () => {
    const name = (source: string) => {
      const added = newStore().add(source)
      return added.ok ? `${added.library.engine} ${added.library.name}` : added.error
    }
    expect([name(ONE), name(TWO), name('#!js name=x\n')]).toEqual([
      'LUA one',
      'LUA two',
      "Engine 'js' not found",
    ])
  })
})

test('a store keeps one library of each name, in the order they came', () => {
  const store = newStore()
  for (const source of [ONE, TWO, `${ONE} -- newer`, 'no library']) store.add(source)
  expect([...store.all()]).toEqual([`${ONE} -- newer`, TWO])
  store.remove('one')
  expect([...store.all()]).toEqual([TWO])
  store.clear()
  expect([...store.all()]).toEqual([])
})

describe('what a master sends', () => {
  test('of Valkey, whose functions say server for redis, loads and runs', () => {
    const source = `#!lua name=named
      server.register_function('f', function(keys) return server.call('SET', keys[1], 'v') end)
      server.log(server.LOG_DEBUG, 'loaded')`
    const { client } = nodeWith(source)
    expect(client.say('FUNCTION LIST')).toContain('named')
    expect(client.say('FCALL f 1 key')).toBe('+OK\r\n')
  })

  test('is kept and shown', () => {
    const { client } = nodeWith(ONE, TWO)
    const listed = client.say('FUNCTION LIST WITHCODE')
    for (const text of ['one', 'two', 'LUA', ONE, TWO]) expect(listed).toContain(text)
    expect(client.say('FUNCTION LIST LIBRARYNAME T*')).not.toContain('one')
    expect(client.say('FUNCTION LIST')).not.toContain('redis.register_function')
    expect(client.say('FUNCTION STATS')).toContain('$15\r\nlibraries_count\r\n:2\r\n')
  })

  test('replaces only if it says so', () => {
    const { client, fromMaster } = nodeWith(ONE)
    fromMaster('FUNCTION', 'LOAD', `${ONE} -- other`)
    expect(client.say('FUNCTION LIST WITHCODE')).not.toContain('other')
    fromMaster('FUNCTION', 'LOAD', 'REPLACE', `${ONE} -- other`)
    expect(client.say('FUNCTION LIST WITHCODE')).toContain('other')
  })

  test('can be deleted one by one and all at once', () => {
    const { client, fromMaster } = nodeWith(ONE, TWO)
    fromMaster('FUNCTION', 'DELETE', 'one')
    expect(client.say('FUNCTION LIST')).not.toContain('one')
    fromMaster('FUNCTION', 'FLUSH')
    expect(client.say('FUNCTION LIST')).toBe('*0\r\n')
  })

  test('outlives FLUSHALL', () => {
    const { client } = nodeWith(ONE)
    client.say('FLUSHALL')
    expect(client.say('FUNCTION LIST')).toContain('one')
  })

  test('goes on as a payload, all of it or nothing', () => {
    const { client, fromMaster } = nodeWith(ONE)
    const payload = functionPayload([`${ONE} -- newer`, TWO])
    fromMaster('FUNCTION', 'RESTORE', payload)
    expect(client.say('FUNCTION LIST')).not.toContain('two')
    fromMaster('FUNCTION', 'RESTORE', payload, 'REPLACE')
    expect(client.say('FUNCTION LIST WITHCODE')).toContain('newer')
    fromMaster('FUNCTION', 'RESTORE', functionPayload([TWO]), 'FLUSH')
    expect(client.say('FUNCTION LIST')).not.toContain('one')
    const dumped = client.say('FUNCTION DUMP')
    expect(dumped).toContain(functionPayload([TWO]))
  })

  test('is refused without a trace in the libraries there are', () => {
    const counting =
      "#!lua name=counting\nlocal n = 0\nredis.register_function('count', function() n = n + 1 return n end)"
    const { client, fromMaster } = nodeWith(counting)
    client.say('FCALL count 0')
    const clashing = TWO.replace('"g"', '"COUNT"')
    const refused = [[counting], [ONE, clashing], [ONE, ONE], [ONE, '#!lua name=x\nreturn 1']]
    for (const sources of refused) {
      fromMaster('FUNCTION', 'RESTORE', functionPayload(sources))
      if (sources[1] !== clashing) continue
      fromMaster('FUNCTION', 'RESTORE', functionPayload(sources), 'REPLACE')
    }
    fromMaster('FUNCTION', 'RESTORE', functionPayload([ONE, ONE]), 'FLUSH')
    expect(client.say('FCALL count 0')).toBe(':2\r\n')
    expect(client.say('FUNCTION STATS')).toContain('$15\r\nlibraries_count\r\n:1\r\n')
    fromMaster('FUNCTION', 'RESTORE', functionPayload([counting]), 'FLUSH')
    expect(client.say('FCALL count 0')).toBe(':1\r\n')
  })

  test('is refused when it is damaged', () => {
    const { harness, client, fromMaster } = nodeWith(ONE)
    for (const payload of ['', 'x', withFooter('\0\x01a', 10), withFooter('\xf5\x05abc', 10)]) {
      fromMaster('FUNCTION', 'RESTORE', payload, 'FLUSH')
    }
    expect(harness.logs.filter((line) => line.includes('function|restore failed'))).toHaveLength(4)
    expect(client.say('FUNCTION LIST')).toContain('one')
  })
})

describe('a client', () => {
  test('loads and calls, and replicas are told of the library', () => {
    const { harness, client } = nodeWith()
    const replica = harness.replica()
    expect(client.send('FUNCTION', 'LOAD', ONE)).toBe('$3\r\none\r\n')
    expect(client.say('FCALL f 0')).toBe(':1\r\n')
    expect(client.send('FUNCTION', 'RESTORE', functionPayload([TWO]))).toBe('+OK\r\n')
    expect(client.say('FCALL_RO G 0')).toContain('*_ro command')
    expect(client.say('FCALL G 0')).toBe(':2\r\n')
    expect(
      replica
        .told()
        .slice(1)
        .map((line) => line.slice(0, 16)),
    ).toEqual(['FUNCTION LOAD #!', 'FUNCTION RESTORE'])
  })

  test('that replaces a library with a broken one keeps the old one', () => {
    const { client } = nodeWith(ONE)
    expect(client.send('FUNCTION', 'LOAD', 'REPLACE', '#!lua name=one\nnonsense(')).toContain(
      '-ERR',
    )
    expect(client.say('FCALL f 0')).toBe(':1\r\n')
  })

  test('can delete, and replicas are told', () => {
    const { harness, client } = nodeWith(ONE, TWO)
    const replica = harness.replica()
    client.say('FUNCTION DELETE one')
    client.say('FUNCTION DELETE one')
    client.say('FUNCTION FLUSH ASYNC')
    expect(replica.told().slice(1)).toEqual(['FUNCTION DELETE one', 'FUNCTION FLUSH ASYNC'])
  })

  const ANSWERS: Readonly<Record<string, string>> = {
    'FUNCTION DELETE nosuch': '-ERR Library not found',
    'FUNCTION FLUSH FOO': '-ERR FUNCTION FLUSH only supports SYNC|ASYNC option',
    'FUNCTION FLUSH ASYNC x':
      "-ERR unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP.",
    'FUNCTION LIST LIBRARYNAME': '-ERR library name argument was not given',
    'FUNCTION LIST LIBRARYNAME a LIBRARYNAME b': '-ERR Unknown argument LIBRARYNAME',
    'FUNCTION LIST WITHCODE WITHCODE': '-ERR Unknown argument WITHCODE',
    'FUNCTION KILL': '-NOTBUSY No scripts in execution right now.',
    'FUNCTION FOO': "-ERR unknown subcommand 'FOO'. Try FUNCTION HELP.",
  }
  for (const [line, answer] of Object.entries(ANSWERS)) {
    test(`is answered as by Redis: ${line}`, () => {
      expect(nodeWith().client.say(line)).toBe(`${answer}\r\n`)
    })
  }
})

describe('a command of the master that is unknown here', () => {
  test('is counted and logged, for a while by name', () => {
    const { harness, client, fromMaster } = nodeWith()
    client.say('REPLICAOF 127.0.0.1 1')
    expect(client.say('INFO replication')).not.toContain('vedette_unapplied_commands')
    for (let n = 0; n < 150; n++) fromMaster(`MODULE.SET\n${'x'.repeat(1000)}`, 'k', 'v')
    expect(client.say('INFO replication')).toContain('vedette_unapplied_commands:150\r\n')
    const logged = harness.logs.filter((line) => line.includes('do not know'))
    expect(logged).toHaveLength(100)
    expect(logged[0]).toMatch(/: MODULE\.SET\?x{53}$/)
    client.say('CONFIG RESETSTAT')
    expect(client.say('INFO replication')).toContain('vedette_unapplied_commands:150\r\n')
  })

  test('is so too with the wrong number of words', () => {
    const { harness, fromMaster } = nodeWith()
    fromMaster('SET', 'k')
    expect(harness.node.services.stats.unappliedCommands).toBe(1)
  })
})
