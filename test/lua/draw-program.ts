/**
 * Programs drawn at random: values of every type under every operator and function of the libraries,
 * in locals, tables, closures and loops. Most of them end in some error, whose text must be right.
 */
import type { Rng } from '../../src/base/rng.ts'

const NAMES = ['a', 'b', 'c', 't', 'f', 's']
const BINARY = ['+', '-', '*', '/', '%', '^', '..', '==', '~=', '<', '<=', '>', '>=', 'and', 'or']
const FUNCTIONS = [
  ...[
    'tostring',
    'tonumber',
    'type',
    'select',
    'unpack',
    'rawget',
    'rawequal',
    'next',
    'assert',
    'error',
  ],
  ...[
    'string.rep',
    'string.sub',
    'string.byte',
    'string.find',
    'string.match',
    'string.gsub',
    'string.format',
  ],
  ...[
    'string.len',
    'string.upper',
    'string.reverse',
    'table.concat',
    'table.remove',
    'table.insert',
  ],
  ...[
    'table.sort',
    'table.getn',
    'table.maxn',
    'math.floor',
    'math.max',
    'math.fmod',
    'math.modf',
    'math.abs',
  ],
  ...[
    'pcall',
    'ipairs',
    'pairs',
    'getmetatable',
    'bit.band',
    'bit.lshift',
    'bit.tohex',
    'cjson.encode',
  ],
  ...[
    'cjson.decode',
    'cmsgpack.pack',
    'cmsgpack.unpack',
    'struct.pack',
    'string.char',
    'string.lower',
  ],
]
const TEXTS = [
  "''",
  "'abc'",
  "'10'",
  "'0x1f'",
  "'%d+'",
  "'(%a)(%d)'",
  "'a1b2'",
  "'%s %d'",
  "'.-'",
  "'[a-c]+'",
  "' 5 '",
  '\'{"a":[1,2]}\'',
]
const NUMBERS = ['0', '1', '-1', '2', '3.7', '10', '1e15', '-0.5', '255', '1e300', '2^31', '100']

export function drawProgram(rng: Rng): string {
  const lines = NAMES.map((name) => `local ${name} = ${drawValue(rng, 2)}`)
  for (let count = rng.below(5); count >= 0; count--) lines.push(drawStatement(rng, 2))
  return `${lines.join(' ')} return ${drawValue(rng, 3)}, ${drawValue(rng, 2)}, ${rng.pick(NAMES)}`
}

function drawStatement(rng: Rng, depth: number): string {
  const value = () => drawValue(rng, depth)
  const name = rng.pick(NAMES)
  switch (rng.below(8)) {
    case 0:
      return `${name} = ${value()}`
    case 1:
      return `t[${value()}] = ${value()}`
    case 2:
      return `if ${value()} then ${name} = ${value()} else ${rng.pick(NAMES)} = ${value()} end`
    case 3:
      return `for i = 1, ${1 + rng.below(5)} do ${name} = ${value()} end`
    case 4:
      return `for k, v in pairs({${value()}, ${value()}, x = ${value()}}) do ${name} = tostring(type(k)) .. tostring(type(v)) end`
    case 5:
      return `local ${name}, ${rng.pick(NAMES)} = ${value()}, ${value()}`
    case 6:
      return `local ok, e = pcall(function() ${depth > 0 ? drawStatement(rng, depth - 1) : ''} return ${value()} end) ${name} = type(e) == 'string' and e or ok`
    default:
      return `local function g(x, ...) ${name} = x return ... end ${rng.pick(NAMES)} = g(${value()}, ${value()})`
  }
}

function drawValue(rng: Rng, depth: number): string {
  const value = () => drawValue(rng, depth - 1)
  if (depth <= 0) return drawPlain(rng)
  switch (rng.below(12)) {
    case 0:
    case 1:
      return drawPlain(rng)
    case 2:
    case 3:
    case 4:
      return `(${value()} ${rng.pick(BINARY)} ${value()})`
    case 5:
      return `(${rng.pick(['-', 'not ', '#'])}${value()})`
    case 6:
      return `{${value()}, ${value()}, k = ${value()}}`
    case 7:
      return `(function(x) return ${value()} end)(${value()})`
    case 8:
      return `${rng.pick(NAMES)}[${value()}]`
    default:
      return `${rng.pick(FUNCTIONS)}(${[value(), value()].slice(0, 1 + rng.below(2)).join(', ')})`
  }
}

function drawPlain(rng: Rng): string {
  switch (rng.below(6)) {
    case 0:
      return rng.pick(['nil', 'true', 'false'])
    case 1:
    case 2:
      return rng.pick(NUMBERS)
    case 3:
      return rng.pick(TEXTS)
    default:
      return rng.pick(NAMES)
  }
}
