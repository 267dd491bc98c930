/**
 * Words for arguments, valid ones and edge cases: of 64 bits, of floating-point numbers, of what may
 * precede and follow a number, of ids and patterns. Few keys, of every type, so that commands meet
 * values of their own type and of others.
 */
import type { Rng } from '../../src/base/rng.ts'
import type { Argument, Grammar } from './command-grammar.ts'

const INTEGERS = [
  '0',
  '1',
  '2',
  '3',
  '5',
  '-1',
  '-2',
  '10',
  '100',
  '4294967296',
  '2147483647',
  '2147483648',
  '-2147483648',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775806',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775807',
  '-9223372036854775808',
  '-9223372036854775809',
  '18446744073709551615',
  '18446744073709551616',
  '99999999999999999999999',
]

/** No integers for most commands, but for some. */
const NEARLY_INTEGERS = [
  '',
  ' 1',
  '1 ',
  '+1',
  '01',
  '-0',
  '00',
  '1.0',
  '1e3',
  '0x10',
  '1\0',
  'abc',
  '-',
]

const FLOATS = [
  '0',
  '1',
  '-1',
  '0.1',
  '3.14',
  '-2.5e3',
  '1e300',
  '-1e-300',
  '5e-324',
  '1.7976931348623157e308',
  '9007199254740993',
  '0.30000000000000004',
  'inf',
  '-inf',
  '100',
  '45.5',
]

const NEARLY_FLOATS = [
  'nan',
  '+inf',
  'infinity',
  'INF',
  '-Infinity',
  '1e400',
  '-1e400',
  '1e-400',
  '.5',
  '5.',
  '+.5e1',
  '0x1p3',
  '0x10',
  '1e',
  '1e+',
  ' 1',
  '1 ',
  '',
  '1,5',
  '1\0',
  '(1',
  '[1',
]

/** Nothing may expire while commands run: moments far ahead, or long past. */
const MOMENTS = [
  '-1',
  '0',
  '200000',
  '1000000',
  '4102444800',
  '4102444800000',
  '9223372036854775',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '9223372036854776',
  '9223370000000000',
  'abc',
  '',
  '1.5',
]

const IDS = [
  '0',
  '$',
  '>',
  '-',
  '+',
  '0-0',
  '0-1',
  '1-1',
  '1-*',
  '5-5',
  '3',
  '7-0',
  '999-*',
  '999999-*',
  '(1-1',
  '(5',
  '(-',
  '(+',
  '18446744073709551615-18446744073709551615',
  '18446744073709551615',
  '18446744073709551616',
  '(18446744073709551615-18446744073709551615',
  '(0-0',
  '1-',
  '-1',
  '1-1-1',
  'a-b',
  '',
  ' 1-1',
  '1-01',
]

const RANGE_ENDS = [
  '-',
  '+',
  '[a',
  '(a',
  '[m1',
  '(m3',
  '[',
  '(',
  'a',
  '',
  '-inf',
  '+inf',
  '(1',
  '(inf',
  '2',
  '(2.5',
  '1',
]
const TEXTS = [
  'a',
  'm1',
  'm2',
  'm3',
  'f1',
  'f2',
  'v',
  '',
  '5',
  '-7',
  '1.5',
  'abc\0def',
  '\r\n',
  '\xff\xfe',
  'x'.repeat(70),
]
const PATTERNS = [
  '*',
  's*',
  '?1',
  '[a-z]*',
  '\\*',
  '[',
  '',
  'h[^1]',
  'w_*',
  'w_*->f1',
  '#',
  '*->',
  'nokey',
]
const MEMBERS = ['m1', 'm2', 'm3', 'f1', 'f2', 'n1', 'Palermo', 'Catania', 'nosuch', '']
const ENCODINGS = [
  'u8',
  'i8',
  'u1',
  'i1',
  'u63',
  'i64',
  'u64',
  'i65',
  'u0',
  'i0',
  'x8',
  'u',
  'i5',
  'U8',
  'u08',
]
const OFFSETS = [
  '0',
  '#0',
  '#1',
  '7',
  '#7',
  '-1',
  '#-1',
  '#',
  '100',
  '4294967296',
  '#536870912',
  '9223372036854775807',
  '#9223372036854775807',
  'a',
  '',
]

/** Never a time that may have passed on one server and not on the other. */
const IDLE_TIMES = ['0', '0', '-1', '1000000', '9223372036854775807', '1.5', 'abc', '']

/** By the name that the documentation gives the argument. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  encoding: ENCODINGS,
  offset: OFFSETS,
  id: IDS,
  last_id: IDS,
  start: [...IDS, ...INTEGERS, ...RANGE_ENDS],
  end: [...IDS, ...INTEGERS, ...RANGE_ENDS],
  stop: [...INTEGERS, ...RANGE_ENDS],
  min: [...RANGE_ENDS, ...FLOATS],
  max: [...RANGE_ENDS, ...FLOATS],
  threshold: [...IDS, ...INTEGERS],
  group: ['g1', 'g2', 'nog', ''],
  consumer: ['c1', 'c2', 'noc', ''],
  member: MEMBERS,
  member1: MEMBERS,
  member2: MEMBERS,
  field: ['f1', 'f2', 'n1', 'nof', ''],
  longitude: ['13.361389', '15.087269', '180', '-180', '180.1', 'nan', 'abc', '0'],
  latitude: ['38.115556', '37.502669', '85.05112878', '86', '-85.05112879', 'inf', '0'],
  operation: ['AND', 'or', 'XOR', 'NOT', 'NAND', ''],
  value: [...TEXTS, ...INTEGERS],
  bit: ['0', '1', '2', '-1', '', 'a'],
  cursor: ['0', '0', '0', '+0', 'a', ' 0', '0\\0a', '18446744073709551616', ''],
  destination: [],
  index: ['0', '1', '-1', '15', '16', '-2', 'a', '9223372036854775808'],
  index1: ['0', '1', '15', '16', '-1', 'a'],
  index2: ['0', '1', '15', '16', '-1', ''],
  db: ['0', '1', '15', '16', '-1', 'a'],
  'min-idle-time': IDLE_TIMES,
  'destination-db': ['0', '1', '15', '16', '-1', 'a'],
  type: ['string', 'list', 'hash', 'zset', 'set', 'stream', 'nosuch', 'STRING'],
  'serialized-value': ['', 'abc', '\0\xc0\x01\x09\0\0\0\0\0\0\0\0\0'],
}

const MOMENT_NAMES = /^(seconds|milliseconds|unix-time.*|ttl)$/
/** No command may wait, or ask for more than a test can hold. */
const BOUNDED_NAMES: Readonly<Record<string, readonly string[]>> = {
  timeout: ['0.01', '0', '-1', 'abc', '1e400', '', 'nan', 'inf', '1e16', '0x1p-9'],
}

const KEYS_BY_GROUP: Readonly<Record<string, readonly string[]>> = {
  string: ['s1', 's2', 's3', 'n1', 'f1'],
  bitmap: ['s1', 's2', 'b1', 'n1'],
  list: ['l1', 'l2', 'l3'],
  set: ['e1', 'e2', 'e3'],
  hash: ['h1', 'h2'],
  'sorted-set': ['z1', 'z2', 'z3', 'e1'],
  stream: ['x1', 'x2', 'x3'],
  geo: ['o1', 'o2', 'z1'],
  hyperloglog: ['p1', 'p2'],
}

export const ALL_KEYS = [
  ...Object.values(KEYS_BY_GROUP).flat(),
  'none',
  '',
  'w_1',
  'gone',
  'k\0\xff',
  'v1',
]

/** Fills the server with one or more values of every type; `gone` has expired. */
export const VALUES: readonly string[][] = [
  ['SET', 's1', 'hello world'],
  ['SET', 's2', ''],
  ['SET', 's3', 'abc', 'PXAT', '4102444800000'],
  ['ZADD', 'y1', '0', 'a', '0', 'b', '0', 'm1', '0', 'm3'],
  ['SET', 'n1', '9223372036854775806'],
  ['SET', 'f1', '3.0e3'],
  ['SET', 'b1', '\xff\x0f\0'],
  ['SET', 'w_1', '5'],
  ['SET', 'w_m1', '2'],
  ['SET', 'gone', 'x', 'PXAT', '1'],
  ['RPUSH', 'l1', 'm1', 'm2', 'm3', 'm1', '', '5'],
  ['RPUSH', 'l2', '3', '1', '2', '10'],
  ['SADD', 'e1', 'm1', 'm2', 'a'],
  ['SADD', 'e2', 'm2', 'm3', 'b'],
  ['HSET', 'h1', 'f1', 'v1', 'f2', '5', 'n1', '1.5'],
  ['HSET', 'w_2', 'f1', '9'],
  ['ZADD', 'z1', '1', 'm1', '2.5', 'm2', '-inf', 'm3', '2.5', 'n1'],
  ['ZADD', 'z2', '0', 'a', '0', 'b', '0', 'm1', '0', 'm2'],
  ['XADD', 'x1', '1-1', 'f1', 'v1'],
  ['XADD', 'x1', '3-0', 'f1', 'v1', 'f2', 'v2'],
  ['XADD', 'x1', '5-5', 'f1', 'v3'],
  ['XGROUP', 'CREATE', 'x1', 'g1', '0'],
  ['XREADGROUP', 'GROUP', 'g1', 'c1', 'COUNT', '2', 'STREAMS', 'x1', '>'],
  ['XGROUP', 'CREATE', 'x2', 'g2', '$', 'MKSTREAM'],
  ['GEOADD', 'o1', '13.361389', '38.115556', 'Palermo', '15.087269', '37.502669', 'Catania'],
  ['PFADD', 'p1', 'a', 'b', 'c'],
  ['SELECT', '1'],
  ['SET', 's1', 'other'],
  ['SELECT', '0'],
]

export function oddWord(rng: Rng): string {
  return rng.pick(
    rng.pick([INTEGERS, NEARLY_INTEGERS, FLOATS, NEARLY_FLOATS, TEXTS, ALL_KEYS, IDS]),
  )
}

/** A word for an argument, as its name and its type suggest. */
export function wordFor(rng: Rng, argument: Argument, grammar: Grammar): string {
  const bounded = BOUNDED_NAMES[argument.name]
  if (bounded !== undefined) return rng.pick(bounded)
  if (rng.chance(1, 40)) return oddWord(rng)
  if (argument.type === 'key') return keyFor(rng, grammar)
  if (MOMENT_NAMES.test(argument.name)) return rng.pick(MOMENTS)
  const named = BY_NAME[argument.name]
  if (named !== undefined && named.length > 0) return rng.pick(named)
  switch (argument.type) {
    case 'integer':
      return rng.pick(rng.chance(1, 5) ? NEARLY_INTEGERS : INTEGERS)
    case 'double':
      return rng.pick(rng.chance(1, 3) ? NEARLY_FLOATS : FLOATS)
    case 'pattern':
      return rng.pick(PATTERNS)
    case 'unix-time':
      return rng.pick(MOMENTS)
    default:
      return rng.pick(rng.chance(1, 3) ? INTEGERS : TEXTS)
  }
}

function keyFor(rng: Rng, grammar: Grammar): string {
  const own = KEYS_BY_GROUP[grammar.group]
  return rng.pick(own === undefined || rng.chance(1, 6) ? ALL_KEYS : own)
}
