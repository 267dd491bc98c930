/**
 * Random commands on values of all types, the same for the same seed. They have the same effect on every
 * server: nothing is left to chance or to the clock, so two servers that ran them hold the same data. Few
 * keys, so that commands meet each other's values, of the wrong type as well.
 */
import type { Rng } from '../../src/base/rng.ts'

type Make = (rng: Rng) => readonly (string | number)[]

/** Nothing expires while a test runs: the moment would differ. */
const FAR_SECONDS = 100_000

const COMMON: readonly Make[] = [
  (rng) => ['DEL', anyKey(rng)],
  (rng) => ['UNLINK', anyKey(rng), anyKey(rng)],
  (rng) => ['RENAME', anyKey(rng), anyKey(rng)],
  (rng) => ['COPY', anyKey(rng), anyKey(rng), 'REPLACE'],
  (rng) => ['MOVE', anyKey(rng), rng.below(2)],
  (rng) => ['EXPIRE', anyKey(rng), FAR_SECONDS + rng.below(1000)],
  (rng) => ['PEXPIREAT', anyKey(rng), 2_000_000_000_000 + rng.below(1000)],
  (rng) => ['PERSIST', anyKey(rng)],
  (rng) => ['EXPIRE', anyKey(rng), -1],
  (rng) => ['SELECT', rng.below(3)],
  (rng) => ['SORT', anyKey(rng), 'ALPHA', 'STORE', key(rng, 'l')],
]

const STRINGS: readonly Make[] = [
  (rng) => ['SET', key(rng, 's'), value(rng)],
  (rng) => ['SET', key(rng, 's'), value(rng), 'EX', FAR_SECONDS],
  (rng) => ['SET', key(rng, 's'), value(rng), 'KEEPTTL'],
  (rng) => ['SETNX', key(rng, 's'), value(rng)],
  (rng) => ['MSET', key(rng, 's'), value(rng), key(rng, 's'), value(rng)],
  (rng) => ['APPEND', key(rng, 's'), value(rng)],
  (rng) => ['SETRANGE', key(rng, 's'), rng.below(40), value(rng)],
  (rng) => ['INCRBY', key(rng, 'n'), integer(rng)],
  (rng) => ['DECRBY', key(rng, 'n'), integer(rng)],
  (rng) => ['INCRBYFLOAT', key(rng, 'f'), (rng.below(2000) - 1000) / 8],
  (rng) => ['GETDEL', key(rng, 's')],
  (rng) => ['GETEX', key(rng, 's'), 'EX', FAR_SECONDS],
  (rng) => ['SETBIT', key(rng, 'b'), rng.below(300), rng.below(2)],
  (rng) => ['BITFIELD', key(rng, 'b'), 'INCRBY', 'u8', `#${rng.below(20)}`, rng.below(100)],
  (rng) => ['BITOP', pick(rng, ['AND', 'OR', 'XOR']), key(rng, 'b'), key(rng, 'b'), key(rng, 's')],
  (rng) => ['PFADD', key(rng, 'p'), value(rng), value(rng)],
  (rng) => ['PFCOUNT', key(rng, 'p')],
  (rng) => ['PFMERGE', key(rng, 'p'), key(rng, 'p'), key(rng, 'p')],
]

const LISTS: readonly Make[] = [
  (rng) => ['RPUSH', key(rng, 'l'), value(rng), value(rng)],
  (rng) => ['LPUSH', key(rng, 'l'), value(rng)],
  (rng) => ['LPUSHX', key(rng, 'l'), value(rng)],
  (rng) => ['LPOP', key(rng, 'l'), rng.below(4)],
  (rng) => ['RPOP', key(rng, 'l')],
  (rng) => ['LSET', key(rng, 'l'), rng.below(8) - 4, value(rng)],
  (rng) => ['LINSERT', key(rng, 'l'), pick(rng, ['BEFORE', 'AFTER']), value(rng), value(rng)],
  (rng) => ['LREM', key(rng, 'l'), rng.below(5) - 2, value(rng)],
  (rng) => ['LTRIM', key(rng, 'l'), rng.below(3), 20 + rng.below(20)],
  (rng) => ['LMOVE', key(rng, 'l'), key(rng, 'l'), 'LEFT', pick(rng, ['LEFT', 'RIGHT'])],
  (rng) => ['LMPOP', 2, key(rng, 'l'), key(rng, 'l'), 'RIGHT', 'COUNT', 1 + rng.below(3)],
]

const SETS: readonly Make[] = [
  (rng) => ['SADD', key(rng, 'e'), value(rng), integer(rng)],
  (rng) => ['SADD', key(rng, 'i'), rng.below(500), rng.below(500)],
  (rng) => ['SREM', key(rng, 'e'), value(rng), integer(rng)],
  (rng) => ['SMOVE', key(rng, 'e'), key(rng, 'e'), value(rng)],
  (rng) => [pick(rng, ['SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE']), ...three(rng, 'e')],
]

const HASHES: readonly Make[] = [
  (rng) => ['HSET', key(rng, 'h'), field(rng), value(rng), field(rng), value(rng)],
  (rng) => ['HSETNX', key(rng, 'h'), field(rng), value(rng)],
  (rng) => ['HDEL', key(rng, 'h'), field(rng), field(rng)],
  (rng) => ['HINCRBY', key(rng, 'h'), `n${rng.below(3)}`, integer(rng)],
  (rng) => ['HINCRBYFLOAT', key(rng, 'h'), `f${rng.below(3)}`, rng.below(1000) / 4],
]

const SORTED_SETS: readonly Make[] = [
  (rng) => ['ZADD', key(rng, 'z'), score(rng), value(rng), score(rng), field(rng)],
  (rng) => ['ZADD', key(rng, 'z'), pick(rng, ['NX', 'XX', 'GT', 'LT']), score(rng), field(rng)],
  (rng) => ['ZINCRBY', key(rng, 'z'), rng.below(100) - 50, field(rng)],
  (rng) => ['ZREM', key(rng, 'z'), field(rng), value(rng)],
  (rng) => ['ZPOPMIN', key(rng, 'z'), rng.below(3)],
  (rng) => ['ZMPOP', 1, key(rng, 'z'), 'MAX', 'COUNT', 1 + rng.below(3)],
  (rng) => ['ZREMRANGEBYRANK', key(rng, 'z'), 0, rng.below(2)],
  (rng) => ['ZREMRANGEBYSCORE', key(rng, 'z'), rng.below(20), 20],
  (rng) => ['ZUNIONSTORE', key(rng, 'z'), 2, key(rng, 'z'), key(rng, 'e'), 'WEIGHTS', 2, 3],
  (rng) => ['ZINTERSTORE', key(rng, 'z'), 2, key(rng, 'z'), key(rng, 'z'), 'AGGREGATE', 'MAX'],
  (rng) => ['ZDIFFSTORE', key(rng, 'z'), 2, key(rng, 'z'), key(rng, 'z')],
  (rng) => ['ZRANGESTORE', key(rng, 'z'), key(rng, 'z'), 0, 10 + rng.below(30)],
  (rng) => ['GEOADD', key(rng, 'g'), (rng.below(3400) - 1700) / 10, rng.below(80), field(rng)],
]

const STREAMS: readonly Make[] = [
  (rng) => ['XADD', key(rng, 'x'), `${1 + rng.below(10 ** 6)}-*`, field(rng), value(rng)],
  (rng) => [
    'XADD',
    key(rng, 'x'),
    'MAXLEN',
    50,
    `${10 ** 6 + rng.below(10 ** 6)}-*`,
    'a',
    value(rng),
  ],
  (rng) => ['XDEL', key(rng, 'x'), `${rng.below(10 ** 6)}-0`],
  (rng) => ['XTRIM', key(rng, 'x'), 'MAXLEN', 20 + rng.below(40)],
  (rng) => ['XGROUP', 'CREATE', key(rng, 'x'), `g${rng.below(3)}`, '0', 'MKSTREAM'],
  (rng) => ['XGROUP', 'SETID', key(rng, 'x'), `g${rng.below(3)}`, '0'],
  (rng) => ['XGROUP', 'DESTROY', key(rng, 'x'), `g${rng.below(8)}`],
  (rng) => ['XGROUP', 'DELCONSUMER', key(rng, 'x'), `g${rng.below(3)}`, `c${rng.below(3)}`],
  readGroup,
  readGroup,
]

const FAMILIES: readonly (readonly Make[])[] = [
  COMMON,
  STRINGS,
  LISTS,
  SETS,
  HASHES,
  SORTED_SETS,
  STREAMS,
]

/** The next command. One in two thousand empties everything, one in a hundred is a small transaction. */
export function* randomCommands(rng: Rng): Generator<string[], never, void> {
  for (;;) {
    if (rng.chance(1, 2000)) yield [pick(rng, ['FLUSHDB', 'FLUSHALL'])]
    else if (rng.chance(1, 500)) yield ['SWAPDB', '0', '1']
    else if (rng.chance(1, 100)) yield* transaction(rng)
    else yield one(rng)
  }
}

function* transaction(rng: Rng): Generator<string[], void, void> {
  yield ['MULTI']
  for (let count = rng.below(5); count > 0; count--) yield one(rng)
  yield ['EXEC']
}

function one(rng: Rng): string[] {
  const family = rng.pick(FAMILIES)
  return rng.pick(family)(rng).map(String)
}

function readGroup(rng: Rng): readonly (string | number)[] {
  const [group, consumer] = [`g${rng.below(3)}`, `c${rng.below(3)}`]
  const count = 1 + rng.below(5)
  const noAck = rng.chance(1, 4) ? ['NOACK'] : []
  const tail = ['STREAMS', key(rng, 'x'), '>']
  return ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, ...noAck, ...tail]
}

function key(rng: Rng, type: string): string {
  return `${type}${rng.below(6)}`
}

function anyKey(rng: Rng): string {
  return key(rng, rng.pick(['s', 'n', 'l', 'e', 'i', 'h', 'z', 'x', 'p', 'b']))
}

function three(rng: Rng, type: string): string[] {
  return [key(rng, type), key(rng, type), key(rng, type)]
}

function field(rng: Rng): string {
  return `field${rng.below(30)}`
}

/** Short and long, text and numbers, and bytes with a meaning in protocols. */
function value(rng: Rng): string {
  switch (rng.below(8)) {
    case 0:
      return integer(rng)
    case 1:
      return ''
    case 2:
      return 'long'.repeat(10 + rng.below(40))
    case 3:
      return `\r\n\0\xff${rng.below(10)}`
    default:
      return `value${rng.below(20)}`
  }
}

/** Also beyond the exact range of doubles, and at the limits of every packed form. */
function integer(rng: Rng): string {
  const exponent = BigInt(rng.below(63))
  const sign = rng.chance(1, 2) ? 1n : -1n
  return String(sign * (2n ** exponent - BigInt(rng.below(3))))
}

function score(rng: Rng): string {
  switch (rng.below(6)) {
    case 0:
      return String((rng.below(2000) - 1000) / 7)
    case 1:
      // Not -0: whether Redis keeps its sign depends on how large the set has been, see docs/compatibility-server.md.
      return rng.pick(['inf', '-inf', '1e300', '0.1', '9007199254740993'])
    default:
      return String(rng.below(40))
  }
}

function pick(rng: Rng, words: readonly string[]): string {
  return rng.pick(words)
}
