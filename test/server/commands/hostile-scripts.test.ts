/**
 * Scripts that want all there is: time, memory, depth. Each ends in an error that says which, or is
 * interrupted and killed; the node answers others and runs the next script. VEDETTE_LONG draws more
 * mutations of them.
 */
import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

/** Those that take seconds until they have taken all memory they may have. */
const SLOW: readonly (readonly [script: string, end: RegExp])[] = [
  ["local t = {} for i = 1, 1e9 do t['k' .. i] = {i} end", /not enough memory/],
  ['local t = {} while true do t[#t + 1] = function() return t end end', /not enough memory/],
  [
    'local t = {} while true do t[#t + 1] = coroutine.create(function() end) end',
    /not enough memory/,
  ],
  [
    "local t = {} for i = 1, 1e5 do t[i] = ('x'):rep(1e4) end return table.concat(t)",
    /not enough memory/,
  ],
]

/** With what they are to end; undefined: never by themselves. */
const HOSTILE: readonly (readonly [script: string, end: RegExp | undefined])[] = [
  ['while true do end', undefined],
  ['repeat local a = 1 until false', undefined],
  ['local function f() return f() end return f()', undefined],
  ['while true do pcall(error) end', undefined],
  ["while true do redis.pcall('get', 'a') end", undefined],
  ["for w in function() return 'x' end do end", undefined],
  [
    'local t = setmetatable({}, {__index = function() while true do end end}) return t.x',
    undefined,
  ],
  ['table.sort({3, 2, 1, 4}, function() while true do end end)', undefined],
  ["('x'):gsub('x', function() while true do end end)", undefined],
  ['coroutine.wrap(function() while true do end end)()', undefined],
  [
    'local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end',
    undefined,
  ],
  ['load(function() return " " end)', undefined],
  ["return (('a'):rep(2000)):find(('a?'):rep(2000) .. ('a'):rep(2000))", undefined],
  ["return (('a'):rep(20000)):find('.-.-.-.-b')", undefined],
  ["return (('a'):rep(20000)):match('(.*)(.*)(.*)(.*)%1b')", undefined],
  ["return (('a'):rep(30000)):gsub('a*a*a*a*b', 'x')", undefined],
  ['local function f() return 1 + f() end return f()', /stack overflow/],
  ['local function f() return pcall(f) end return tostring(f())', /true|C stack overflow/],
  [
    'local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x',
    /C stack overflow/,
  ],
  ['local function f() return coroutine.wrap(f)() end return f()', /C stack overflow/],
  ["return ('x'):rep(1e9)", /not enough memory/],
  ["return ('x'):rep(2^31 - 1):rep(2^31 - 1)", /not enough memory/],
  ["local s = 'x' while true do s = s .. s end", /not enough memory/],
  ['local t = {} for i = 1, 1e9 do t[i] = i end', /not enough memory/],
  ['local t = {} while true do t = {t, {}} end', /not enough memory/],
  ["return (('x'):rep(1e6)):gsub('x', ('y'):rep(1e5))", /not enough memory/],
  ["return string.format(('%99d'):rep(2000), unpack({}, 1, 2000))", /number expected/],
  ['return unpack({}, 1, 1e8)', /too many results to unpack/],
  ['return table.concat({}, "x", 1, 1e9)', /invalid value/],
  ["return loadstring(('('):rep(1e5))", /./],
  ["return loadstring('return ' .. ('{'):rep(1e5))", /./],
  ["return loadstring('local a = ' .. ('a .. '):rep(1e4) .. 'a')", /./],
  ["return cjson.decode(('['):rep(1e6))", /too many nested/],
  [
    'return cjson.encode((function() local t = {} for i = 1, 1e4 do t = {t} end return t end)())',
    /excessive nesting/,
  ],
  ["return cmsgpack.unpack(('\\145'):rep(1e5))", /Bad data format/],
  ["return cmsgpack.unpack('\\221\\255\\255\\255\\255')", /Missing bytes/],
  ["return struct.pack('I' .. ('9'):rep(50), 1)", /integral size/],
  ['local a = {} a[1] = a return a', /lua stack limit/],
  ['local t = {} for i = 1, 2e4 do t = {t} end return t', /lua stack limit/],
  ...sized([], SLOW),
]

const WAIT_MS = 2000

function answerOf(harness: NodeHarness, client: TestClient, script: string): string {
  let answer = client.send('EVAL', script, '0')
  for (let ms = 0; ms < WAIT_MS && answer === ''; ms += 50) {
    harness.advance(50)
    answer = client.take()
  }
  return answer
}

/** Ends the script if it runs, and sees whether the node is as before. */
function recovers(harness: NodeHarness, client: TestClient): void {
  const other = harness.client()
  harness.advance(3)
  other.say('SCRIPT KILL')
  harness.advance(3)
  client.take()
  expect(other.say('PING')).toBe('+PONG\r\n')
  expect(client.send('EVAL', "return redis.call('ECHO', 'fine')", '0')).toBe('$4\r\nfine\r\n')
  other.drop()
}

function node() {
  const harness = new NodeHarness({ 'busy-reply-threshold': '1' })
  return { harness, client: harness.client() }
}

describe('a hostile script', () => {
  const { harness, client } = node()
  for (const [script, end] of HOSTILE) {
    test(`${script.slice(0, 90)}: ${end === undefined ? 'is killed' : end.source}`, () => {
      if (end === undefined) expect(client.send('EVAL', script, '0')).toBe('')
      else expect(answerOf(harness, client, script)).toMatch(end)
      recovers(harness, client)
    })
  }
})

test('mutations of them end in an answer, or are killed', () => {
  const rng = createRng('hostile scripts')
  const { harness, client } = node()
  for (let count = 0; count < sized(40, 300); count++) {
    const [script] = rng.pick(HOSTILE)
    const answer = client.send('EVAL', mutated(rng, script), '0')
    if (answer !== '') expect(answer).toMatch(/^[-+:$*_]/)
    if (count % 10 === 0 || answer === '') recovers(harness, client)
  }
})

/** Numbers become others, words change places, a piece is doubled or dropped. */
function mutated(rng: Rng, script: string): string {
  const words = script.split(/(?<=[ ,(){}])/)
  const at = rng.below(words.length)
  switch (rng.below(4)) {
    case 0:
      return script.replace(/\d+(e\d+)?/g, () =>
        rng.pick(['0', '1', '7', '1e3', '1e5', '-1', '2^31', '1e15']),
      )
    case 1:
      words.splice(at, 1)
      break
    case 2:
      words.splice(at, 0, words[rng.below(words.length)] as string)
      break
    default:
      words[at] = rng.pick(['nil ', 'f() ', '{} ', "'' ", 'end ', 'pcall(f) ', 'while true do '])
  }
  return words.join('')
}
