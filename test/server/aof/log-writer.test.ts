/** What is appended to the log of commands. */
import { expect, test } from 'vitest'
import { LogWriter } from '../../../src/server/aof/log-writer.ts'
import { wireCommands } from '../../support/wire.ts'

function taken(writer: LogWriter): string {
  let bytes = ''
  for (let piece = writer.next; piece !== undefined; piece = writer.next) {
    bytes += piece
    writer.written()
  }
  expect(writer.bytes).toBe(0)
  return bytes
}

test('the database is selected when it changes, and at the beginning of a file', () => {
  const writer = new LogWriter()
  for (const db of [0, 0, 3]) writer.add(db, [['DEL', 'a']], undefined)
  expect(taken(writer)).toBe(wireCommands('SELECT 0', 'DEL a', 'DEL a', 'SELECT 3', 'DEL a'))
  writer.beginFile()
  writer.add(3, [['DEL', 'a']], undefined)
  expect(taken(writer)).toBe(wireCommands('SELECT 3', 'DEL a'))
})

test('several effects are one transaction, and the database it ends in is known', () => {
  const writer = new LogWriter()
  writer.add(
    0,
    [
      ['DEL', 'a'],
      ['SELECT', '2'],
      ['DEL', 'b'],
      ['SELECT', '0'],
    ],
    undefined,
  )
  writer.add(0, [['DEL', 'c']], undefined)
  const inside = ['DEL a', 'SELECT 2', 'DEL b', 'SELECT 0']
  expect(taken(writer)).toBe(wireCommands('SELECT 0', 'MULTI', ...inside, 'EXEC', 'DEL c'))
})

test('the time is noted before the first change of a second, and never goes back', () => {
  const writer = new LogWriter()
  for (const second of [7, 7, 6, 8]) writer.add(0, [['DEL', 'a']], second)
  const del = wireCommands('DEL a')
  expect(taken(writer)).toBe(
    `#TS:7\r\n${wireCommands('SELECT 0')}${del}${del}${del}#TS:8\r\n${del}`,
  )
})

test('short commands leave in one piece, so that a turn is one write', () => {
  const writer = new LogWriter()
  for (const key of ['a', 'b', 'c']) writer.add(0, [['DEL', key]], undefined)
  expect(writer.next).toBe(wireCommands('SELECT 0', 'DEL a', 'DEL b', 'DEL c'))
})

test('a transaction longer than a string can be is kept in pieces', () => {
  const writer = new LogWriter()
  const long = ['SET', 'a', 'x'.repeat(600_000)]
  writer.add(0, [long, long, long], undefined)
  const pieces: number[] = []
  for (let piece = writer.next; piece !== undefined; piece = writer.next) {
    pieces.push(piece.length)
    writer.written()
  }
  expect(pieces.length).toBeGreaterThan(1)
  expect(Math.max(...pieces)).toBeLessThan(1_100_000)
})
