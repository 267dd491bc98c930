import { expect, test } from 'vitest'
import { GETACK, PING, StreamEncoder } from '../../../src/server/replication/history/stream.ts'
import { wireCommands } from '../../support/wire.ts'

const SET = ['SET', 'k', 'v']

/** The commands in a piece of stream, each as one line. */
test('the first command selects its database, later ones only when it changes', () => {
  const encoder = new StreamEncoder()
  expect(encoder.encode(0, [SET])).toBe(wireCommands('SELECT 0', 'SET k v'))
  expect(encoder.encode(0, [SET])).toBe(wireCommands('SET k v'))
  expect(encoder.encode(2, [SET])).toBe(wireCommands('SELECT 2', 'SET k v'))
})

test('several effects are one transaction, with SELECT before it', () => {
  const encoder = new StreamEncoder()
  expect(encoder.encode(1, [SET, SET])).toBe(
    wireCommands('SELECT 1', 'MULTI', 'SET k v', 'SET k v', 'EXEC'),
  )
})

test('a database selected inside a transaction is the selected one after it', () => {
  const encoder = new StreamEncoder()
  encoder.encode(1, [SET, ['SELECT', '3'], SET])
  expect(encoder.encode(3, [SET])).toBe(wireCommands('SET k v'))
  expect(encoder.encode(1, [SET])).toBe(wireCommands('SELECT 1', 'SET k v'))
})

test('after forgetting, the same database is selected again', () => {
  const encoder = new StreamEncoder()
  encoder.encode(1, [SET])
  encoder.forgetDb()
  expect(encoder.encode(1, [SET])).toBe(wireCommands('SELECT 1', 'SET k v'))
})

test('PING and GETACK have the sizes everybody counts with', () => {
  expect([PING, PING.length, GETACK.length]).toEqual(['*1\r\n$4\r\nping\r\n', 14, 37])
})
