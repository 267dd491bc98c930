/**
 * Scripts drawn at random that call commands: of every type, on keys of the wrong type too, with
 * too few words, with numbers and with values that are no words; caught and not caught, nested, in RESP3.
 * What they get is returned, encoded as JSON, or becomes a word of the next command.
 */
import type { Rng } from '../../src/base/rng.ts'
import { randomCommands } from './random-commands.ts'

/** Replies of every kind; with members in an order that every server has. */
const READS: readonly (readonly string[])[] = [
  ['GET', 's1'],
  ['MGET', 's1', 'l1', 'none'],
  ['STRLEN', 's2'],
  ['GETRANGE', 's1', '0', '-2'],
  ['LRANGE', 'l1', '0', '-1'],
  ['LPOS', 'l2', 'x'],
  ['LLEN', 'e1'],
  ['ZRANGE', 'z1', '0', '-1', 'WITHSCORES'],
  ['ZRANGEBYSCORE', 'z2', '-inf', '+inf', 'LIMIT', '0', '3'],
  ['ZSCORE', 'z1', 'field1'],
  ['ZMSCORE', 'z1', 'field1', 'field2'],
  ['ZINCRBY', 'z1', '1.5', 'field1'],
  ['HGET', 'h1', 'field1'],
  ['HMGET', 'h1', 'field1', 'none'],
  ['HSTRLEN', 'h1', 'field1'],
  ['HINCRBYFLOAT', 'h2', 'field1', '0.1'],
  ['SISMEMBER', 'e1', '1'],
  ['SMISMEMBER', 'e1', '1', '2'],
  ['SCARD', 'i1'],
  ['XRANGE', 'x1', '-', '+', 'COUNT', '2'],
  ['XLEN', 'x1'],
  ['XPENDING', 'x1', 'g1'],
  ['TYPE', 'z1'],
  ['EXISTS', 's1', 'l1', 'h1'],
  ['PERSIST', 's1'],
  ['PING'],
  ['ECHO', 'a\u00e9\u0000b'],
  ['BITCOUNT', 'b1'],
  ['BITFIELD', 'b1', 'GET', 'u8', '0', 'OVERFLOW', 'FAIL', 'INCRBY', 'u2', '100', '3'],
  ['GEOPOS', 'g1', 'field1', 'none'],
  ['LCS', 's1', 's2', 'IDX'],
  ['OBJECT', 'REFCOUNT', 'none'],
  ['SORT', 'l1', 'ALPHA', 'LIMIT', '0', '5'],
]
const REFUSED: readonly (readonly string[])[] = [
  ['NO-SUCH-COMMAND', 'x'],
  ['GET'],
  ['SET', 's1', 'x', 'EX', '-1'],
  ['MULTI'],
  ['SUBSCRIBE', 'c'],
  ['EVAL', 'return 1', '0'],
  ['BLPOP', 'none', '0'],
  ['XREAD', 'BLOCK', '0', 'STREAMS', 'x1', '$'],
  ['CONFIG', 'GET', 'no-such'],
  ['CLIENT', 'SETNAME', 'x'],
  ['WAIT', '0', '0'],
  ['SELECT', '999'],
  ['INCR', 'l1'],
]
const WORDS = ['7', '-1.5', '2^53', '0.1', 'r[1]', '{}', 'nil', 'true', "'text'", '#r', '1e100']
const SHAPES = [
  'r',
  '{r, n = 1}',
  '{1.9, -1.9, true, false, r}',
  '{r[1], nil, r[2]}',
  '{map = {a = 1}}',
  '{double = 1.5}',
  "{ok = 'FINE'}",
  "{err = 'ERR on purpose'}",
  "redis.error_reply('CODE with words')",
  "redis.status_reply('STATUS')",
  '#r',
  'tostring(#r)',
  '{big_number = "123"}',
  "{verbatim_string = {string = 'text', format = 'txt'}}",
  'cjson.encode(r)',
  '{{{{r}}}}',
  'r[1]',
]

export class ScriptDrawer {
  readonly #rng: Rng
  readonly #commands: Iterator<string[], never, void>

  constructor(rng: Rng) {
    this.#rng = rng
    this.#commands = randomCommands(rng)
  }

  /** EVAL with a script of a few calls. */
  next(): string[] {
    const rng = this.#rng
    const lines = ['local r = {}']
    if (rng.chance(1, 8)) lines.push('redis.setresp(3)')
    for (let count = 1 + rng.below(5); count > 0; count--) lines.push(this.#statement())
    lines.push(`return ${rng.pick(SHAPES)}`)
    return ['EVAL', lines.join('\n'), '2', 's1', 'z1', 'an argument', String(rng.below(100))]
  }

  #statement(): string {
    const rng = this.#rng
    const words = this.#words()
    switch (rng.below(8)) {
      case 0:
        return `redis.call(${words})`
      case 1:
        return `r[#r + 1] = redis.call(${words})`
      case 2:
        return `local ok, got = pcall(redis.call, ${words}) r[#r + 1] = ok r[#r + 1] = type(got) == 'table' and got.err or type(got)`
      case 3:
        return `local got = redis.pcall(${words}) r[#r + 1] = type(got) == 'table' and (got.err or got.ok or #got) or got`
      case 4:
        return `for at = 1, 2 do r[#r + 1] = redis.pcall(${words}) end`
      case 5:
        return `r[#r + 1] = pcall(function() local x = redis.call(${words}) return x.none end)`
      default:
        return `r[#r + 1] = redis.pcall(${words})`
    }
  }

  #words(): string {
    const rng = this.#rng
    const words = this.#command().map((word) => this.#literal(word))
    if (rng.chance(1, 12)) words[rng.below(words.length)] = rng.pick(WORDS)
    if (rng.chance(1, 30)) words.push(rng.pick(WORDS))
    if (rng.chance(1, 20)) words.pop()
    return words.join(', ')
  }

  #command(): readonly string[] {
    const rng = this.#rng
    if (rng.chance(1, 3)) return rng.pick(READS)
    if (rng.chance(1, 10)) return rng.pick(REFUSED)
    for (;;) {
      const command = this.#commands.next().value
      if (!/^(MULTI|EXEC|FLUSHALL|FLUSHDB|SWAPDB)$/.test(command[0] as string)) return command
    }
  }

  #literal(word: string): string {
    if (/^\d{1,6}$/.test(word) && this.#rng.chance(1, 2)) return word
    if (this.#rng.chance(1, 20)) return this.#rng.pick(['KEYS[1]', 'ARGV[1]', 'KEYS[2]'])
    const escaped = word.replace(/[^\x20-\x7e]|['\\]/g, (character) => {
      return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`
    })
    return `'${escaped}'`
  }
}
