import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulk } from '../../support/wire.ts'

const LISTEN_ONLY =
  'only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context'

const ANSWERS: readonly (readonly [line: string, answer: string])[] = [
  ['PING', '+PONG\r\n'],
  ['PING hello', wireBulk('hello')],
  ['ping a b', "-ERR wrong number of arguments for 'ping' command\r\n"],
  ['ROLE', '*2\r\n$8\r\nsentinel\r\n*1\r\n$8\r\nmymaster\r\n'],
  ['GET', "-ERR unknown command 'GET', with args beginning with: \r\n"],
  ['GET a "b c"', "-ERR unknown command 'GET', with args beginning with: 'a' 'b c' \r\n"],
  ['GET "a\\r\\nb"', "-ERR unknown command 'GET', with args beginning with: 'a  b' \r\n"],
  ['SENTINEL', "-ERR wrong number of arguments for 'sentinel' command\r\n"],
  ['SENTINEL foo a', "-ERR unknown subcommand 'foo'. Try SENTINEL HELP.\r\n"],
  ['sentinel Masters a', "-ERR wrong number of arguments for 'sentinel|masters' command\r\n"],
  ['CLIENT PAUSE 100000', '+OK\r\n'],
  ['CLIENT PAUSE -1', '-ERR timeout is negative\r\n'],
  ['CLIENT PAUSE 1.5', '-ERR timeout is not an integer or out of range\r\n'],
  ['CLIENT PAUSE 1 SOME', '-ERR CLIENT PAUSE mode must be WRITE or ALL\r\n'],
  ['CLIENT UNPAUSE', '+OK\r\n'],
  ['CLIENT UNBLOCK 7', ':0\r\n'],
  ['CLIENT UNBLOCK x', '-ERR value is not an integer or out of range\r\n'],
  ['CLIENT UNBLOCK 7 FOO', '-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR\r\n'],
  [
    'CLIENT Unblock 7 ERROR x',
    "-ERR unknown subcommand or wrong number of arguments for 'Unblock'. Try CLIENT HELP.\r\n",
  ],
  ['CLIENT NO-EVICT maybe', '-ERR syntax error\r\n'],
  ['CLIENT NO-TOUCH ON', "-ERR unknown subcommand 'NO-TOUCH'. Try CLIENT HELP.\r\n"],
  ['SHUTDOWN FOO', '-ERR syntax error\r\n'],
  ['SHUTDOWN ABORT', '-ERR No shutdown in progress.\r\n'],
  ['SHUTDOWN ABORT NOW', '-ERR syntax error\r\n'],
]

for (const [line, answer] of ANSWERS) {
  test(`${line} is answered as C Sentinel does`, () => {
    expect(new TestSentinel().connect().ask(line)).toBe(answer)
  })
}

test('an unknown command is quoted back up to 128 bytes, however long it was', () => {
  const answer = new TestSentinel().connect().ask(`X ${'c'.repeat(5000)} d`)
  expect(answer).toBe(
    `-ERR unknown command 'X', with args beginning with: '${'c'.repeat(128)}' \r\n`,
  )
})

test('requests in one chunk, and a request in many, are answered in order', () => {
  const client = new TestSentinel().connect()
  const bytes = encodeCommand(['PING', '1']) + encodeCommand(['PING', '2'])
  expect(client.send(bytes)).toBe(wireBulk('1') + wireBulk('2'))
  expect([...bytes].map((byte) => client.send(byte)).join('')).toBe(wireBulk('1') + wireBulk('2'))
})

test('a protocol error is answered and closes that connection alone', () => {
  const sentinel = new TestSentinel()
  const [broken, other] = [sentinel.connect(), sentinel.connect()]
  const bytes = `${encodeCommand(['PING'])}*1\r\nX1\r\n${encodeCommand(['PING'])}`
  expect(broken.send(bytes)).toBe("+PONG\r\n-ERR Protocol error: expected '$', got 'X'\r\n")
  expect(broken.isClosed).toBe(true)
  expect(broken.send(encodeCommand(['PING']))).toBe('')
  expect(other.ask('PING')).toBe('+PONG\r\n')
  expect(other.isClosed).toBe(false)
})

test.each([
  [
    'a gigabyte is announced',
    '*1\r\n$1073741824\r\n',
    '-ERR Protocol error: invalid bulk length\r\n',
  ],
  ['a negative length', '*1\r\n$-5\r\n', '-ERR Protocol error: invalid bulk length\r\n'],
  ['a browser', 'POST / HTTP/1.1\r\nHost: x\r\n', ''],
  ['more arguments than anybody needs', `*2000000000\r\n${'$1\r\na\r\n'.repeat(600_000)}`, ''],
])('%s: the connection is closed', (_name, bytes, answer) => {
  const client = new TestSentinel().connect()
  expect(client.send(bytes)).toBe(answer)
  expect(client.isClosed).toBe(true)
})

test('the connection above maxclients is told so and closed, and a place freed is a place given', () => {
  const sentinel = new TestSentinel({ maxClients: 1 })
  const first = sentinel.connect()
  const second = sentinel.connect()
  expect(second.read()).toBe('-ERR max number of clients reached\r\n')
  expect(second.isClosed).toBe(true)
  first.leave()
  expect(sentinel.connect().ask('PING')).toBe('+PONG\r\n')
})

test('QUIT is answered, and what follows it is not', () => {
  const client = new TestSentinel().connect()
  expect(client.send('QUIT\r\nPING\r\n')).toBe('+OK\r\n')
  expect(client.isClosed).toBe(true)
})

test('SHUTDOWN ends the process without an answer, and nothing is answered after it', () => {
  const sentinel = new TestSentinel()
  expect(sentinel.connect().send('SHUTDOWN NOSAVE\r\nPING\r\n')).toBe('')
  expect(sentinel.effects).toContainEqual({ kind: 'exit', status: 0 })
})

test('a RESP2 connection that listens may do little else', () => {
  const client = new TestSentinel().connect()
  client.ask('SUBSCRIBE +sdown')
  expect(client.ask('SENTINEL MASTERS')).toBe(
    `-ERR Can't execute 'sentinel|masters': ${LISTEN_ONLY}\r\n`,
  )
  expect(client.ask('PING')).toBe('*2\r\n$4\r\npong\r\n$0\r\n\r\n')
  expect(client.ask('PING x')).toBe('*2\r\n$4\r\npong\r\n$1\r\nx\r\n')
  client.ask('UNSUBSCRIBE')
  expect(client.ask('PING')).toBe('+PONG\r\n')
})

test('a RESP3 connection that listens may do everything', () => {
  const client = new TestSentinel().connect()
  client.ask('HELLO 3')
  client.ask('SUBSCRIBE +sdown')
  expect(client.ask('PING')).toBe('+PONG\r\n')
  expect(client.ask('CLIENT ID')).toBe(':1\r\n')
})

test('a pause keeps nobody waiting: for its peers a Sentinel that does not answer is dead', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().ask('CLIENT PAUSE 100000 ALL')
  expect(sentinel.connect().ask('PING')).toBe('+PONG\r\n')
})
