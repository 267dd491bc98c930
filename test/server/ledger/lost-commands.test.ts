import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { LostCommands } from '../../../src/server/ledger/lost-commands.ts'

interface Given {
  db?: number | undefined
  /** Number of commands before the part that counts. */
  skipped?: number
}

/** Of messages there are none. */
function keysOf(argv: readonly string[]): readonly string[] | undefined {
  return argv[0] === 'PUBLISH' ? undefined : argv.slice(1, 2)
}

/** The writes in a stream of such command lines, as command lines, and the counts. */
function lost(lines: readonly string[], { db = 0, skipped = 0 }: Given = {}) {
  const bytes = lines.map((line) => encodeCommand(line.split(' ')))
  const start = 1000
  const from = start + bytes.slice(0, skipped).join('').length
  const commands = new LostCommands({ start, db, from, pieces: bytes }, keysOf)
  let output = ''
  while (!commands.isOver) output += commands.next()
  const words = output.replace(/\*\d+\r\n/g, '\n').replace(/\$\d+\r\n([^\r]*)\r\n/g, '$1 ')
  const found = words.split('\n').filter((line) => line !== '')
  return { lines: found.map((line) => line.trim()), count: commands.count, keys: commands.keys }
}

test('only writes count, and the first one selects its database', () => {
  const stream = ['ping', 'SET a 1', 'REPLCONF GETACK *', 'PUBLISH c m', 'DEL a', 'SET b 2']
  expect(lost(stream)).toEqual({
    lines: ['SELECT 0', 'SET a 1', 'DEL a', 'SET b 2'],
    count: 3,
    keys: 2,
  })
})

test('the database comes from before the part if no SELECT is in it', () => {
  expect(lost(['SELECT 3', 'SET a 1', 'SET b 2'], { skipped: 2 }).lines).toEqual([
    'SELECT 3',
    'SET b 2',
  ])
  expect(lost(['SET b 2'], { db: 7 }).lines).toEqual(['SELECT 7', 'SET b 2'])
})

test('a SELECT nobody writes after is left out', () => {
  expect(lost(['SELECT 3', 'SELECT 4', 'SET a 1', 'SELECT 5']).lines).toEqual([
    'SELECT 4',
    'SET a 1',
  ])
})

test('one key in two databases is two keys', () => {
  expect(lost(['SET a 1', 'SELECT 1', 'SET a 1'])).toMatchObject({ count: 2, keys: 2 })
})

test('a transaction stays whole', () => {
  const stream = ['MULTI', 'SET a 1', 'SELECT 1', 'SET b 2', 'EXEC', 'SET c 3']
  expect(lost(stream).lines).toEqual([
    ...['SELECT 0', 'MULTI', 'SET a 1', 'SELECT 1', 'SET b 2', 'EXEC'],
    'SET c 3',
  ])
})

test('a transaction without writes is none', () => {
  expect(lost(['MULTI', 'ping', 'EXEC', 'SET a 1']).lines).toEqual(['SELECT 0', 'SET a 1'])
})

test('a transaction that is cut off at its beginning or its end is no transaction there', () => {
  expect(lost(['MULTI', 'SET a 1', 'SET b 2', 'EXEC'], { skipped: 2 }).lines).toEqual([
    'SELECT 0',
    'SET b 2',
  ])
  expect(lost(['MULTI', 'SET a 1']).lines).toEqual(['SELECT 0', 'MULTI', 'SET a 1', 'EXEC'])
})

test('pieces may end anywhere', () => {
  const whole = ['SET a 1', 'SELECT 2', 'SET b 2'].map((line) => encodeCommand(line.split(' ')))
  const part = { start: 1, db: 0, from: 1 }
  const read = (pieces: readonly string[]) => {
    const commands = new LostCommands({ ...part, pieces }, () => [])
    let output = ''
    while (!commands.isOver) output += commands.next()
    return output
  }
  expect(read([...whole.join('')])).toBe(read([whole.join('')]))
})
