import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/core/commands/table.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulks } from '../../support/wire.ts'

const COUNT = 16

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
  ['COMMAND LIST FILTERBY PATTERN *|MASTER*', wireBulks('sentinel|master', 'sentinel|masters')],
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

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  SENTINEL: [
    'BLACK-BOX LIST | READ <segment> <offset> [<bytes>]',
    'BY-HAND <master-name> <epoch> <runid>',
    ...['CKQUORUM <master-name>', 'CONFER <ip> <port> <epoch> <runid>'],
    ...['CONFIG SET <param> <value> [<param> <value> ...]'],
    ...['CONFIG GET <param> [<param> ...]', 'DEBUG [<param> <value> ...]'],
    'EPOCHS [FREEZE <token> | LOWER <token> <epoch> <runid>... | RELEASE <token> | CANCEL <token>]',
    ...[
      'GET-MASTER-ADDR-BY-NAME <master-name>',
      'FAILOVER <master-name> [COORDINATED] [TO <host> <port>] [DRYRUN]',
    ],
    ...['FLUSHCONFIG', 'FORGET <master-name> <ip> <port> [CHECK | LOCAL]'],
    'INFO-CACHE <master-name>',
    'IS-MASTER-DOWN-BY-ADDR <ip> <port> <current-epoch> <runid>',
    'LAST-SWITCH <master-name>',
    ...['MASTER <master-name>', 'MASTERS', 'MONITOR <name> <ip> <port> <quorum>', 'MYID'],
    'PAUSE <master-name> <seconds> [reason]',
    ...['PENDING-SCRIPTS', 'REMOVE <master-name>', 'REPLICAS <master-name>', 'RESET <pattern>'],
    'RESUME <master-name>',
    'SENTINELS <master-name>',
    'SET <master-name> <option> <value> [<option> <value> ...]',
    'SHARE-PAUSE <master-name> <number> <kind> <runid> <left-ms> <sure> <by> <reason>',
    'SIMULATE-FAILURE [CRASH-AFTER-ELECTION] [CRASH-AFTER-PROMOTION] [HELP]',
  ],
  CLIENT: [
    ...['CACHING (YES|NO)', 'GETREDIR', 'GETNAME', 'ID', 'INFO', 'KILL <ip:port>'],
    ...['KILL <option> <value> [<option> <value> [...]]', 'LIST [options ...]', 'UNPAUSE'],
    ...['PAUSE <timeout> [WRITE|ALL]', 'REPLY (ON|OFF|SKIP)', 'SETNAME <name>'],
    ...['SETINFO <LIB-NAME|LIB-VER> <value>', 'UNBLOCK <clientid> [TIMEOUT|ERROR]'],
    'TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
    ...['TRACKINGINFO', 'NO-EVICT (ON|OFF)'],
  ],
  COMMAND: [
    ...['(no subcommand)', 'COUNT', 'LIST', 'INFO [<command-name> ...]'],
    ...['DOCS [<command-name> ...]', 'GETKEYS <full-command>', 'GETKEYSANDFLAGS <full-command>'],
  ],
}

for (const [name, headings] of Object.entries(HEADINGS)) {
  test(`${name} HELP lists, as status replies and in Redis’ order, what exists and no synonyms`, () => {
    const help = new TestSentinel().connect().ask(`${name} HELP`)
    const lines = help.split('\r\n').slice(1, -1)
    expect(help.startsWith(`*${lines.length}\r\n`)).toBe(true)
    expect(lines.filter((line) => !line.startsWith('+    '))).toEqual(
      [`${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`, ...headings, 'HELP'].map(
        (line) => `+${line}`,
      ),
    )
    const unexplained = lines.slice(1).filter((line, index) => {
      const next = lines[index + 2] ?? '+'
      return !line.startsWith('+    ') && !next.startsWith('+    ')
    })
    expect(unexplained).toEqual([])
  })
}

test('no command of a Sentinel has keys', () => {
  const client = new TestSentinel().connect()
  const none = '-ERR The command has no key arguments\r\n'
  const unknown = '-ERR Invalid command specified\r\n'
  expect(client.ask('COMMAND GETKEYS PING a')).toBe(none)
  expect(client.ask('COMMAND GETKEYSANDFLAGS sentinel MASTERS')).toBe(none)
  expect(client.ask('COMMAND GETKEYS GET a')).toBe(unknown)
  expect(client.ask('COMMAND GETKEYS CLIENT foo')).toBe(unknown)
})
