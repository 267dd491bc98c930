import { expect, test } from 'vitest'
import { printable, type ReplyValue } from '../../src/cli/status/asking.ts'
import {
  namesAsked,
  readAddress,
  readMasters,
  readMyid,
  readOthers,
  readText,
} from '../../src/cli/status/shapes.ts'

const MASTER = ['name', 'm', 'ip', '10.0.0.1', 'port', '6379', 'quorum', '2']

test('an honest Sentinel is understood', () => {
  expect(readMasters([MASTER])).toEqual([{ name: 'm', ip: '10.0.0.1', port: '6379', quorum: '2' }])
  expect(readOthers('SENTINEL REPLICAS', [])).toEqual([])
  expect(readAddress(['10.0.0.1', '6379'])).toEqual(['10.0.0.1', '6379'])
  expect(readAddress(null)).toBeUndefined()
})

test('each number has its bounds', () => {
  for (const [name, value] of [
    ['quorum', '-9'],
    ['quorum', '0'],
    ['quorum', '2.5'],
    ['quorum', ''],
    ['port', '65536'],
    ['config-epoch', '9223372036854775808'],
    ['slave-priority', '1e9'],
    ['gray-after', 'NaN'],
  ]) {
    expect(() => readMasters([[...MASTER, name as string, value as string]])).toThrow(
      `it answers SENTINEL MASTERS with what no Sentinel says: ${name} '${value}'`,
    )
  }
})

test.each<[string, ReplyValue]>([
  ['a number', 5],
  ['nothing', null],
  ['a text', 'OK'],
  ['a list of numbers', [1]],
  ['a list of texts', ['a']],
  ['an odd map', [['name']]],
  ['an empty map', [[]]],
  ['a map of lists', [['name', ['m']]]],
  ['a group without a name', [['quorum', '2']]],
  ['a group without a quorum', [['name', 'm']]],
  ['more groups than there can be', Array.from({ length: 10_001 }, () => MASTER)],
  ['more fields than there can be', [Array.from({ length: 402 }, () => 'x')]],
])('%s is no list of groups', (_name, answer) => {
  expect(() => readMasters(answer)).toThrow(
    'it answers SENTINEL MASTERS with what no Sentinel says',
  )
})

test('ids, texts and addresses have one shape', () => {
  expect(() => readMyid('me')).toThrow("SENTINEL MYID with what no Sentinel says: 'me'")
  expect(() => readText('INFO', [])).toThrow('INFO with what no Sentinel says: a list of 0')
  for (const odd of [5, [], ['h'], ['h', '70000'], ['h', '1', 'x'], ['h', ['1']]] as ReplyValue[]) {
    expect(() => readAddress(odd)).toThrow('what no Sentinel says')
  }
})

test('nothing that reaches a terminal can move its cursor or turn its writing round', () => {
  expect(printable('\u001b[2J\u0007\r\n')).toBe('\\x1b[2J\\x07\\x0d\\x0a')
  expect(printable('\xc2\x9b31m')).toBe('\\x9b31m')
  expect(printable('\xe2\x80\xaeabc')).toBe('\\u{202e}abc')
  expect(printable('Gr\xc3\xbc\xc3\x9fe')).toBe('Grüße')
  expect(printable('x'.repeat(5_000))).toHaveLength(301)
})

test('fields are printable before anybody sees them', () => {
  const [master] = readMasters([[...MASTER, 'flags', '\u001b]0;x\u0007']])
  expect(master?.flags).toBe('\\x1b]0;x\\x07')
})

test('a group is asked for by the bytes of its name, whatever is shown of it', () => {
  const odd = MASTER.map((word) => (word === 'm' ? 'gr\xf6sse' : word))
  const masters = [MASTER, odd]
  expect(readMasters(masters).map(({ name }) => name)).toEqual(['m', 'grösse'])
  expect(namesAsked(masters)).toEqual(['m', 'gr\xf6sse'])
})
