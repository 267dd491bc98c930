import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'

const NO_PASSWORD_SET =
  '-ERR AUTH <password> called without any password configured for the default user. ' +
  'Are you sure your configuration is correct?\r\n'
const WRONG = '-WRONGPASS invalid username-password pair or user is disabled.\r\n'
const NOAUTH = '-NOAUTH Authentication required.\r\n'

const OPEN: readonly (readonly [line: string, answer: string])[] = [
  ['AUTH x', NO_PASSWORD_SET],
  ['AUTH default x', '+OK\r\n'],
  ['AUTH nobody x', WRONG],
  ['AUTH a b c', '-ERR syntax error\r\n'],
  ['HELLO x', '-ERR Protocol version is not an integer or out of range\r\n'],
  ['HELLO 4', '-NOPROTO unsupported protocol version\r\n'],
  ['HELLO 2 FOO', "-ERR Syntax error in HELLO option 'FOO'\r\n"],
  ['HELLO 2 SETNAME', "-ERR Syntax error in HELLO option 'SETNAME'\r\n"],
  ['HELLO 2 AUTH a', "-ERR Syntax error in HELLO option 'AUTH'\r\n"],
  ['HELLO 2 AUTH nobody b', WRONG],
]

for (const [line, answer] of OPEN) {
  test(`without a password set, ${line} is answered as C Sentinel does`, () => {
    expect(new TestSentinel().connect().ask(line)).toBe(answer)
  })
}

test('HELLO gives six pairs and no role, flat in RESP2 and a map in RESP3', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('HELLO')).toMatch(
    /^\*12\r\n\$6\r\nserver\r\n\$5\r\nredis\r\n\$7\r\nversion\r\n/,
  )
  expect(client.ask('HELLO 3')).toMatch(
    /^%6\r\n.*\r\nproto\r\n:3\r\n\$2\r\nid\r\n:1\r\n\$4\r\nmode\r\n\$8\r\nsentinel\r\n\$7\r\nmodules\r\n\*0\r\n$/s,
  )
})

test('HELLO that fails changes neither protocol nor name', () => {
  const client = new TestSentinel().connect()
  client.ask('HELLO 3 SETNAME app AUTH nobody x')
  expect(client.session).toMatchObject({ protocol: 2, name: '' })
  client.ask('HELLO 3 SETNAME app')
  expect(client.session).toMatchObject({ protocol: 3, name: 'app' })
})

test('with requirepass, only AUTH, HELLO and QUIT are heard before the password', () => {
  const client = new TestSentinel({ requirepass: 'secret' }).connect()
  for (const line of ['PING', 'SENTINEL MASTERS', 'SUBSCRIBE a', 'INFO', 'SHUTDOWN']) {
    expect(client.ask(line)).toBe(NOAUTH)
  }
  expect(client.ask('HELLO 3')).toMatch(/^-NOAUTH HELLO must be called with the client already/)
  expect(client.ask('AUTH wrong')).toBe(WRONG)
  expect(client.ask('AUTH secretsecret')).toBe(WRONG)
  expect(client.ask('AUTH ""')).toBe(WRONG)
  expect(client.ask('AUTH secret')).toBe('+OK\r\n')
  expect(client.ask('PING')).toBe('+PONG\r\n')
})

test('AUTH with a user name and HELLO AUTH open the connection too', () => {
  const sentinel = new TestSentinel({ requirepass: 'secret' })
  const [byAuth, byHello] = [sentinel.connect(), sentinel.connect()]
  expect(byAuth.ask('AUTH default secret')).toBe('+OK\r\n')
  expect(byHello.ask('HELLO 2 AUTH default secret')).toMatch(/^\*12/)
  expect(byHello.ask('PING')).toBe('+PONG\r\n')
})

test('a wrong AUTH later takes nothing away', () => {
  const client = new TestSentinel({ requirepass: 'secret' }).connect()
  client.ask('AUTH secret')
  expect(client.ask('AUTH wrong')).toBe(WRONG)
  expect(client.ask('PING')).toBe('+PONG\r\n')
})

test('a stranger may not send many or long arguments', () => {
  const client = new TestSentinel({ requirepass: 'secret' }).connect()
  const many = encodeCommand(new Array(11).fill('x'))
  expect(client.send(many)).toBe('-ERR Protocol error: unauthenticated multibulk length\r\n')
  expect(client.isClosed).toBe(true)
})

test('whoever has shown the password may send many arguments', () => {
  const client = new TestSentinel({ requirepass: 'secret' }).connect()
  client.ask('AUTH secret')
  expect(client.send(encodeCommand(['SUBSCRIBE', ...'abcdefghijk']))).toMatch(/:11\r\n$/)
})
