import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { savedBy } from '../../support/frozen-save.ts'
import { PEERS, TestSentinel } from '../../support/sentinel-builder.ts'
import { wireMap } from '../../support/wire.ts'

const WRONG_SHAPE =
  '-ERR Only SENTINEL CONFIG GET <param> [<param> <param> ...] / ' +
  'SET <param> <value> [<param> <value> ...] are supported.\r\n'

const DEFAULTS = wireMap(
  ...['resolve-hostnames', 'no', 'announce-hostnames', 'no', 'announce-ip', ''],
  ...['announce-port', '0', 'sentinel-user', '', 'sentinel-pass', '', 'loglevel', 'notice'],
)

const ANSWERS: readonly (readonly [line: string, answer: string])[] = [
  ['CONFIG GET *', DEFAULTS],
  ['CONFIG GET nothing', '*0\r\n'],
  ['CONFIG', "-ERR wrong number of arguments for 'sentinel|config' command\r\n"],
  ['CONFIG GET', "-ERR wrong number of arguments for 'sentinel|config' command\r\n"],
  ['CONFIG SET announce-ip', WRONG_SHAPE],
  ['CONFIG FOO announce-ip 1.2.3.4', WRONG_SHAPE],
  ['CONFIG SET Foo bar', "-ERR Invalid argument 'Foo' to SENTINEL CONFIG SET\r\n"],
  [
    'CONFIG SET announce-port 1 ANNOUNCE-PORT 2',
    "-ERR Duplicate argument 'ANNOUNCE-PORT' to SENTINEL CONFIG SET\r\n",
  ],
  ['CONFIG SET announce-port 1 announce-ip', "-ERR Missing argument 'announce-ip' value\r\n"],
  ...(
    [
      ['announce-port', '65536'],
      ['announce-port', '-1'],
      ['announce-port', 'x'],
      ['announce-port', '99999999999999999999'],
      ['resolve-hostnames', '1'],
      ['announce-hostnames', 'true'],
      ['loglevel', 'loud'],
      ['announce-ip', '1,2'],
    ] as const
  ).map(
    ([name, value]) =>
      [
        `CONFIG SET ${name} ${value}`,
        `-ERR Invalid value '${value}' to SENTINEL CONFIG SET '${name}'\r\n`,
      ] as const,
  ),
]

for (const [line, answer] of ANSWERS) {
  test(`SENTINEL ${line} is answered as C Sentinel does`, () => {
    const sentinel = new TestSentinel()
    expect(sentinel.connect().ask(`SENTINEL ${line}`)).toBe(answer)
    expect(sentinel.effects).toEqual([])
  })
}

test('several patterns give each setting once, in the order of the patterns', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('SENTINEL CONFIG GET LOGLEVEL announce-* *ip loglevel')).toBe(
    wireMap(
      ...['loglevel', 'notice', 'announce-hostnames', 'no', 'announce-ip', ''],
      ...['announce-port', '0'],
    ),
  )
})

test('settings that were set are shown, passwords in clear, and saved before the answer', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  expect(
    client.ask('SENTINEL CONFIG SET announce-ip 1.2.3.4 announce-port 7 sentinel-pass x'),
  ).toBe('+OK\r\n')
  expect(client.ask('SENTINEL CONFIG GET announce-ip announce-port sentinel-pass')).toBe(
    wireMap('announce-ip', '1.2.3.4', 'announce-port', '7', 'sentinel-pass', 'x'),
  )
  const [save] = sentinel.effects.filter(({ kind }) => kind === 'save')
  expect(savedBy(save)?.settings).toMatchObject({
    file: { announceIp: '' },
    current: { announceIp: '1.2.3.4' },
  })
  sentinel.savesFail = true
  expect(client.ask('SENTINEL CONFIG SET announce-port 8')).toBe(
    '-ERR Failed to save config file. Check server logs.\r\n',
  )
})

test('one value that is not valid keeps all others out', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().ask('SENTINEL CONFIG SET announce-ip 1.2.3.4 announce-port x')
  expect(sentinel.state.config.announceIp).toBe('')
})

test('a control character is refused with its place', () => {
  const sentinel = new TestSentinel()
  const argv = ['SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'a\nport 1']
  expect(sentinel.connect().send(encodeCommand(argv))).toBe(
    '-ERR Invalid argument at index 4 for SENTINEL CONFIG SET: control characters are not allowed\r\n',
  )
  expect(sentinel.state.config.sentinelPass).toBe('')
})

test('the log level is told to whoever writes the log, once', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SENTINEL CONFIG SET loglevel DEBUG')
  client.ask('SENTINEL CONFIG SET loglevel debug')
  expect(sentinel.effects.filter(({ kind }) => kind === 'setLogLevel')).toEqual([
    { kind: 'setLogLevel', level: 'debug' },
  ])
})

test('other credentials close the links to peers, other settings and the same ones do not', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const client = sentinel.connect()
  const links = [...sentinel.group.peers.values()].map(({ link }) => link.command?.id)
  client.ask('SENTINEL CONFIG SET announce-port 5 sentinel-user ""')
  expect(sentinel.effects.filter(({ kind }) => kind === 'closeLink')).toEqual([])
  client.ask('SENTINEL CONFIG SET sentinel-user bob')
  expect(sentinel.effects.filter(({ kind }) => kind === 'closeLink')).toEqual(
    links.map((link) => ({ kind: 'closeLink', link })),
  )
})
