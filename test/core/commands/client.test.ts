import { expect, test } from 'vitest'
import { TestSentinel } from '../../support/sentinel-builder.ts'

const ANSWERS: readonly (readonly [line: string, answer: string])[] = [
  ['CLIENT', "-ERR wrong number of arguments for 'client' command\r\n"],
  ['CLIENT ID', ':1\r\n'],
  ['CLIENT GETNAME', '$-1\r\n'],
  ['CLIENT SETNAME', "-ERR wrong number of arguments for 'client|setname' command\r\n"],
  [
    'CLIENT SETNAME "a b"',
    '-ERR Client names cannot contain spaces, newlines or special characters.\r\n',
  ],
  ['CLIENT SETINFO lib-name ioredis', '+OK\r\n'],
  ['CLIENT SETINFO foo x', "-ERR Unrecognized option 'foo'\r\n"],
  [
    'CLIENT SETINFO LIB-NAME "a b"',
    '-ERR LIB-NAME cannot contain spaces, newlines or special characters.\r\n',
  ],
  ['CLIENT LIST FOO', '-ERR syntax error\r\n'],
  ['CLIENT LIST TYPE x', "-ERR Unknown client type 'x'\r\n"],
  ['CLIENT LIST TYPE master', '$0\r\n\r\n'],
  ['CLIENT LIST TYPE primary', '$0\r\n\r\n'],
  ['CLIENT KILL TYPE primary', ':0\r\n'],
  ['CLIENT LIST ID x', '-ERR Invalid client ID\r\n'],
  ['CLIENT LIST ID 99', '$0\r\n\r\n'],
  ['CLIENT KILL', "-ERR wrong number of arguments for 'client|kill' command\r\n"],
  ['CLIENT KILL 1.2.3.4:5', '-ERR No such client\r\n'],
  ['CLIENT KILL ID x', '-ERR client-id should be greater than 0\r\n'],
  ['CLIENT KILL TYPE foo', "-ERR Unknown client type 'foo'\r\n"],
  ['CLIENT KILL USER nobody', "-ERR No such user 'nobody'\r\n"],
  ['CLIENT KILL a b', '-ERR syntax error\r\n'],
  ['CLIENT KILL ID 1 TYPE', '-ERR syntax error\r\n'],
  ['CLIENT KILL SKIPME maybe', '-ERR syntax error\r\n'],
  ['CLIENT REPLY x', '-ERR syntax error\r\n'],
]

for (const [line, answer] of ANSWERS) {
  test(`${line} is answered as Redis does`, () => {
    expect(new TestSentinel().connect().ask(line)).toBe(answer)
  })
}

test('a name is kept, shown, and cleared by an empty one', () => {
  const client = new TestSentinel().connect()
  client.ask('CLIENT SETNAME sentinel-00000000-cmd')
  expect(client.ask('CLIENT GETNAME')).toBe('$21\r\nsentinel-00000000-cmd\r\n')
  client.ask('CLIENT SETNAME ""')
  expect(client.ask('CLIENT GETNAME')).toBe('$-1\r\n')
})

test('CLIENT INFO is one line with the fields of Redis 7.2 in their order', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('CLIENT SETNAME app')
  client.ask('CLIENT SETINFO LIB-VER 1.2')
  client.ask('HELLO 3')
  client.ask('SUBSCRIBE a')
  sentinel.advance(2500)
  const line =
    'id=1 addr=192.168.0.1:1001 laddr=192.168.0.9:26379 fd=-1 name=app age=2 idle=0 flags=P ' +
    'db=0 sub=1 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 ' +
    'obl=0 oll=0 omem=0 tot-mem=0 events=r cmd=client|info user=default redir=-1 resp=3 ' +
    'lib-name= lib-ver=1.2\n'
  expect(client.ask('CLIENT INFO')).toBe(`=${line.length + 4}\r\ntxt:${line}\r\n`)
})

test('CLIENT LIST shows all, those of a type, or those asked for in that order', () => {
  const sentinel = new TestSentinel()
  const [first, second] = [sentinel.connect(), sentinel.connect()]
  second.ask('SUBSCRIBE a')
  const ids = (line: string) => [...first.ask(line).matchAll(/\bid=(\d+)/g)].map(([, id]) => id)
  expect(ids('CLIENT LIST')).toEqual(['1', '2'])
  expect(ids('CLIENT LIST TYPE normal')).toEqual(['1'])
  expect(ids('CLIENT LIST TYPE pubsub')).toEqual(['2'])
  expect(ids('CLIENT LIST ID 2 99 1')).toEqual(['2', '1'])
})

test('KILL by address hits one connection', () => {
  const sentinel = new TestSentinel()
  const [operator, victim] = [sentinel.connect(), sentinel.connect()]
  expect(operator.ask('CLIENT KILL 192.168.0.1:1002')).toBe('+OK\r\n')
  expect([operator.isClosed, victim.isClosed]).toEqual([false, true])
})

test('whoever kills its own connection is answered first', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('CLIENT KILL 192.168.0.1:1001')).toBe('+OK\r\n')
  expect(client.isClosed).toBe(true)
})

test('of several filters of one kind the last one counts for KILL, as with Redis', () => {
  const sentinel = new TestSentinel()
  const [operator, second, third] = [sentinel.connect(), sentinel.connect(), sentinel.connect()]
  expect(operator.ask('CLIENT KILL ID 2 TYPE pubsub ID 3 type normal')).toBe(':1\r\n')
  expect([operator, second, third].map(({ isClosed }) => isClosed)).toEqual([false, false, true])
})

test('filters of KILL must all hold, and the caller is spared unless it says otherwise', () => {
  const sentinel = new TestSentinel()
  const [operator, listener, other] = [sentinel.connect(), sentinel.connect(), sentinel.connect()]
  listener.ask('SUBSCRIBE a')
  expect(operator.ask('CLIENT KILL TYPE normal ID 2')).toBe(':0\r\n')
  expect(operator.ask('CLIENT KILL TYPE pubsub ADDR 192.168.0.1:1002')).toBe(':1\r\n')
  expect(listener.isClosed).toBe(true)
  expect(operator.ask('CLIENT KILL LADDR 192.168.0.9:26379')).toBe(':1\r\n')
  expect([operator.isClosed, other.isClosed]).toEqual([false, true])
  expect(operator.ask('CLIENT KILL USER default SKIPME no')).toBe(':1\r\n')
  expect(operator.isClosed).toBe(true)
})

test('REPLY OFF silences answers until REPLY ON, errors included', () => {
  const client = new TestSentinel().connect()
  expect(client.send('CLIENT REPLY OFF\r\nPING\r\nNOPE\r\nCLIENT REPLY SKIP\r\nPING\r\n')).toBe('')
  expect(client.send('CLIENT REPLY ON\r\nPING\r\n')).toBe('+OK\r\n+PONG\r\n')
})

test('REPLY SKIP silences the next answer alone', () => {
  const client = new TestSentinel().connect()
  expect(client.send('CLIENT REPLY SKIP\r\nPING a\r\nPING b\r\n')).toBe('$1\r\nb\r\n')
})

test('events still reach a connection that wants no answers', () => {
  const sentinel = new TestSentinel()
  const [listener, operator] = [sentinel.connect(), sentinel.connect()]
  listener.send('HELLO 3\r\nSUBSCRIBE +set\r\nCLIENT REPLY OFF\r\n')
  operator.ask('SENTINEL SET mymaster quorum 1')
  expect(listener.read()).toContain('quorum 1')
})
