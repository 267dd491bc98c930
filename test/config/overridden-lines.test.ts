import { expect, test } from 'vitest'
import { readConfLines } from '../../src/config/conf-lines.ts'
import { overriddenLines } from '../../src/config/overridden-lines.ts'
import { formatProblem } from '../../src/config/problem.ts'

function toldOf(...lines: readonly string[]): readonly string[] {
  return overriddenLines(readConfLines(lines.join('\n'), 'f.conf').lines).map(formatProblem)
}

test('a line that a later one of the same file undoes is told with both places', () => {
  expect(toldOf('port 6379', '# port 6380', 'maxmemory 1gb', 'PORT 7000')).toEqual([
    'f.conf:1:1  port  has no effect: line 4 sets it again  (remove one of the two)',
  ])
})

test('of a group each option counts by itself, and of the whole Sentinel the directive', () => {
  const lines = [
    'sentinel monitor a 10.0.0.1 6379 2',
    'sentinel monitor b 10.0.0.2 6379 2',
    'sentinel down-after-milliseconds a 1000',
    'sentinel down-after-milliseconds b 2000',
    'sentinel announce-ip 10.0.0.8',
    'sentinel DOWN-AFTER-MILLISECONDS a 3000',
    'sentinel announce-ip 10.0.0.9',
  ]
  expect(toldOf(...lines)).toEqual([
    'f.conf:3:1  sentinel down-after-milliseconds a  has no effect: line 6 sets it again  (remove one of the two)',
    'f.conf:5:1  sentinel announce-ip  has no effect: line 7 sets it again  (remove one of the two)',
  ])
})

test.each([
  ['the same once more', ['maxmemory 1gb', 'maxmemory 1gb']],
  ['save points', ['save 900 1', 'save 60 10000']],
  ['users', ['user a on', 'user b on']],
  [
    'limits of two classes',
    ['client-output-buffer-limit replica 0 0 0', 'client-output-buffer-limit pubsub 1mb 0 0'],
  ],
  ['names of commands', ['rename-command KEYS x', 'rename-command DEBUG y']],
  [
    'what was learnt',
    ['sentinel known-replica a 10.0.0.2 1', 'sentinel known-replica a 10.0.0.3 1'],
  ],
  [
    'other names of commands',
    ['sentinel rename-command a config x', 'sentinel rename-command a slaveof y'],
  ],
])('%s may stand twice', (_what, lines) => {
  expect(toldOf(...lines)).toEqual([])
})

test('a file may set again what it includes, and lines that cannot be read are told elsewhere', () => {
  const included = readConfLines('port 6379', 'base.conf').lines
  const own = readConfLines('port 6380\nx "\ny "', 'f.conf').lines
  expect(own.filter(({ fault }) => fault !== undefined)).toHaveLength(2)
  expect(overriddenLines([...included, ...own])).toEqual([])
})
