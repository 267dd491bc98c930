import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/core/commands/table.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulks } from '../../support/wire.ts'

const COUNT = 15

const ANSWERS: readonly (readonly [line: string, answer: string])[] = [
  ['COMMAND COUNT', `:${COUNT}\r\n`],
  ['COMMAND FOO', "-ERR unknown subcommand 'FOO'. Try COMMAND HELP.\r\n"],
  ['COMMAND LIST FOO', '-ERR syntax error\r\n'],
  ['COMMAND LIST FILTERBY FOO x', '-ERR syntax error\r\n'],
  ['COMMAND LIST FILTERBY MODULE x', '*0\r\n'],
  [
    'COMMAND LIST FILTERBY ACLCAT pubsub',
    wireBulks('subscribe', 'psubscribe', 'unsubscribe', 'punsubscribe', 'publish'),
  ],
  ['COMMAND LIST FILTERBY PATTERN *|MASTER*', wireBulks('sentinel|masters', 'sentinel|master')],
  ['COMMAND INFO nosuch', '*1\r\n$-1\r\n'],
  [
    'COMMAND INFO publish',
    '*1\r\n*10\r\n$7\r\npublish\r\n:3\r\n*4\r\n+pubsub\r\n+loading\r\n+stale\r\n+fast\r\n' +
      ':0\r\n:0\r\n:0\r\n*2\r\n+@pubsub\r\n+@fast\r\n*0\r\n*0\r\n*0\r\n',
  ],
  ['COMMAND DOCS nosuch', '*0\r\n'],
]

for (const [line, answer] of ANSWERS) {
  test(`${line} is answered as Redis does`, () => {
    expect(new TestSentinel().connect().ask(line)).toBe(answer)
  })
}

test('COMMAND alone describes every command', () => {
  const client = new TestSentinel().connect()
  const all = client.ask('COMMAND')
  expect(all.startsWith(`*${COUNT}\r\n*10\r\n`)).toBe(true)
  expect(client.ask('COMMAND INFO')).toBe(all)
})

test('COMMAND INFO of a subcommand goes by its full name', () => {
  const answer = new TestSentinel().connect().ask('COMMAND INFO sentinel|SET')
  expect(answer).toMatch(/^\*1\r\n\*10\r\n\$12\r\nsentinel\|set\r\n:-5\r\n/)
})

test('COMMAND DOCS gives maps in RESP3, subcommands included', () => {
  const client = new TestSentinel().connect()
  client.ask('HELLO 3')
  expect(client.ask('COMMAND DOCS client nosuch')).toMatch(/^%1\r\n\$6\r\nclient\r\n%4\r\n/)
})

test('every command can be refused for its number of words without having run', () => {
  const all = [...COMMANDS.values()].flatMap((one) => [one, ...one.subcommands.values()])
  const exact = all.filter(({ arity }) => arity > 0)
  for (const { name, arity } of exact) {
    const client = new TestSentinel().connect()
    const words = [...name.split('|'), ...new Array<string>(arity).fill('x')]
    expect(client.ask(words.join(' '))).toBe(
      `-ERR wrong number of arguments for '${name}' command\r\n`,
    )
  }
})

test('HELP lists, as status replies, what exists and no synonyms', () => {
  const help = new TestSentinel().connect().ask('SENTINEL HELP')
  const lines = help.split('\r\n').slice(1, -1)
  expect(help.startsWith(`*${lines.length}\r\n`)).toBe(true)
  expect(lines.every((line) => line.startsWith('+'))).toBe(true)
  expect(lines[0]).toBe('+SENTINEL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:')
  expect(lines.filter((line) => /^\+[A-Z]/.test(line)).map((line) => line.split(' ')[0])).toEqual([
    '+SENTINEL',
    '+MASTERS',
    '+MASTER',
    '+REPLICAS',
    '+GET-MASTER-ADDR-BY-NAME',
    '+SENTINELS',
    '+MYID',
    '+CKQUORUM',
    '+INFO-CACHE',
    '+PENDING-SCRIPTS',
    '+MONITOR',
    '+SET',
    '+REMOVE',
    '+RESET',
    '+FAILOVER',
    '+FLUSHCONFIG',
    '+IS-MASTER-DOWN-BY-ADDR',
    '+HELP',
  ])
})

test.each(['CLIENT', 'COMMAND'])('%s HELP explains each subcommand in one line', (name) => {
  const lines = new TestSentinel().connect().ask(`${name} HELP`).split('\r\n').slice(2, -1)
  expect(lines.length % 2).toBe(0)
  expect(lines.filter((_, index) => index % 2 === 1).every((line) => /^\+ {4}\S/.test(line))).toBe(
    true,
  )
})
