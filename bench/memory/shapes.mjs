/** The data: some megabytes of each type, in the sizes that applications keep. */

const text = (bytes, at) => `${at}:`.padEnd(bytes, 'x')

function* times(count, make) {
  for (let at = 0; at < count; at++) yield make(at)
}

/** `count` collections, each written by one command from its elements. */
function collections(count, name, elementsOf) {
  return times(count, (at) => [name, `key:${at}`, ...elementsOf(at)])
}

function elements(count, make) {
  return Array.from({ length: count }, (_, at) => make(at)).flat()
}

/** One collection of many elements, written a hundred at a time. */
function* large(name, count, make) {
  for (let from = 0; from < count; from += 100) {
    yield [name, 'large', ...elements(100, (at) => make(from + at))]
  }
}

function* groups(count) {
  for (let at = 0; at < count; at++) {
    const key = `stream:${at % 50}`
    if (at < 50) yield ['XGROUP', 'CREATE', key, 'group', '0', 'MKSTREAM']
    yield ['XADD', key, '*', 'field', text(10, at), 'other', text(30, at)]
    if (at >= 50) yield ['XREADGROUP', 'GROUP', 'group', `consumer${at % 3}`, 'STREAMS', key, '>']
  }
}

/** Fields that expire by themselves, each at a moment of its own. redis-server refuses the second command. */
function* expiring(count, fields) {
  const names = elements(fields, (at) => `field:${at}`)
  for (let at = 0; at < count; at++) {
    yield ['HSET', `key:${at}`, ...names.flatMap((name) => [name, text(10, at)])]
    for (const [place, name] of names.entries()) {
      yield ['HEXPIRE', `key:${at}`, `${100_000 + place}`, 'FIELDS', '1', name]
    }
  }
}

/** A string of bytes to which single bits are set later. */
function* bits(count) {
  for (let at = 0; at < count; at++) yield ['SETBIT', `bits:${at}`, '1599999', '1']
}

export const SHAPES = [
  {
    id: 'strings-8',
    title: 'strings of 8 bytes',
    commands: () => times(100_000, (at) => ['SET', `key:${at}`, text(8, at)]),
  },
  {
    id: 'strings-100',
    title: 'strings of 100 bytes',
    commands: () => times(100_000, (at) => ['SET', `key:${at}`, text(100, at)]),
  },
  {
    id: 'strings-10k',
    title: 'strings of 10 KB',
    commands: () => times(2_500, (at) => ['SET', `key:${at}`, text(10_000, at)]),
  },
  {
    id: 'expiring',
    title: 'strings of 30 bytes that expire',
    commands: () => times(100_000, (at) => ['SET', `key:${at}`, text(30, at), 'EX', '100000']),
  },
  {
    id: 'bits',
    title: 'strings of 200 KB, set bit by bit',
    commands: () => bits(100),
  },
  {
    id: 'lists-10',
    title: 'lists of 10',
    commands: () => collections(20_000, 'RPUSH', () => elements(10, (at) => text(20, at))),
  },
  {
    id: 'list-large',
    title: 'a list of 200 000',
    commands: () => large('RPUSH', 200_000, (at) => text(20, at)),
  },
  {
    id: 'sets-10',
    title: 'sets of 10',
    commands: () => collections(20_000, 'SADD', () => elements(10, (at) => text(20, at))),
  },
  {
    id: 'set-large',
    title: 'a set of 200 000 numbers',
    commands: () => large('SADD', 200_000, (at) => `${at}`),
  },
  {
    id: 'hashes-8',
    title: 'hashes of 8 fields',
    commands: () =>
      collections(20_000, 'HSET', () => elements(8, (at) => [`field${at}`, text(25, at)])),
  },
  {
    id: 'hashes-expiring',
    title: 'hashes of 8 fields that expire',
    commands: () => expiring(20_000, 8),
  },
  {
    id: 'hash-large',
    title: 'a hash of 200 000 fields',
    commands: () => large('HSET', 200_000, (at) => [`field${at}`, text(25, at)]),
  },
  {
    id: 'zsets-10',
    title: 'sorted sets of 10',
    commands: () =>
      collections(20_000, 'ZADD', () => elements(10, (at) => [`${at}`, text(20, at)])),
  },
  {
    id: 'zset-large',
    title: 'a sorted set of 200 000',
    commands: () => large('ZADD', 200_000, (at) => [`${(at * 7919) % 200_003}.5`, text(20, at)]),
  },
  {
    id: 'streams',
    title: 'streams with 100 000 entries',
    commands: () =>
      times(100_000, (at) => [
        'XADD',
        `stream:${at % 50}`,
        '*',
        'field',
        text(10, at),
        'other',
        text(30, at),
      ]),
  },
  {
    id: 'groups',
    title: 'streams with 50 000 entries, all pending',
    commands: () => groups(50_000),
  },
]
