import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { ledgerName, writeLedger } from '../../../src/server/ledger/ledger-file.ts'
import type { LedgerFacts } from '../../../src/server/ledger/ledger-format.ts'
import { readLedger } from '../../../src/server/ledger/ledger-reader.ts'
import { LostCommands } from '../../../src/server/ledger/lost-commands.ts'
import { Jobs } from '../../../src/server/persistence/jobs.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'

const FACTS: LedgerFacts = {
  node: '10.0.0.1:6379',
  writtenAtMs: 1_700_000_000_123,
  history: 'a'.repeat(40),
  from: 101,
  to: 200,
  kept: 101,
  rule: 'exact',
  master: '10.0.0.2:6379',
  masterHistory: 'b'.repeat(40),
  masterOffset: 150,
}

/** The file of these commands. */
function ledger(commands: readonly (readonly string[])[], facts = FACTS): string {
  const files = new DataFiles()
  const pieces = commands.map(encodeCommand)
  const lost = new LostCommands({ start: 1, db: 0, from: 1, pieces }, (argv) => argv.slice(1, 2))
  const jobs = new Jobs((_id, request) => files.ask(request))
  jobs.start(writeLedger(facts, lost, 'temp'), () => undefined)
  expect(files.paths()).toEqual([ledgerName(facts)])
  return files.read(ledgerName(facts)) ?? ''
}

const SMALL = ledger([
  ['SET', 'a', '1'],
  ['SELECT', '3'],
  ['MULTI'],
  ['INCR', 'b'],
  ['DEL', 'a'],
  ['EXEC'],
])

test('what was written is read again', () => {
  const reading = readLedger(SMALL)
  expect(reading).toMatchObject({ kind: 'ledger', facts: FACTS, end: { commands: 3, keys: 3 } })
  expect(reading.kind === 'ledger' && reading.commands).toEqual([
    { db: 0, argv: ['SET', 'a', '1'] },
    { db: 3, argv: ['MULTI'] },
    { db: 3, argv: ['INCR', 'b'] },
    { db: 3, argv: ['DEL', 'a'] },
    { db: 3, argv: ['EXEC'] },
  ])
})

test('any bytes in keys and values survive', () => {
  const bytes = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(bytes, bytes), { minLength: 1 }), (pairs) => {
      const commands = pairs.map(([key, value]) => ['SET', key, value])
      const reading = readLedger(ledger(commands))
      expect(reading.kind === 'ledger' && reading.commands.map(({ argv }) => argv)).toEqual(
        commands,
      )
    }),
  )
})

test('a name with a line break in it stays within its line', () => {
  const reading = readLedger(
    ledger([['SET', 'a', '1']], { ...FACTS, master: 'evil\nrule: at most' }),
  )
  expect(reading).toMatchObject({ facts: { master: 'evil?rule: at most', rule: 'exact' } })
})

test('a file that was cut off anywhere is refused, with the byte from which on it is wrong', () => {
  for (let length = 0; length < SMALL.length; length++) {
    const reading = readLedger(SMALL.slice(0, length))
    expect(reading.kind).toBe('damaged')
    expect(reading.kind === 'damaged' && reading.offset).toBeLessThanOrEqual(length)
  }
})

test('a file with any byte changed is refused', () => {
  for (let at = 0; at < SMALL.length; at++) {
    const changed = String.fromCharCode(SMALL.charCodeAt(at) ^ 1)
    expect(readLedger(SMALL.slice(0, at) + changed + SMALL.slice(at + 1)).kind).toBe('damaged')
  }
})

test('what comes after the last line is no part of a ledger', () => {
  expect(readLedger(`${SMALL}x`).kind).toBe('damaged')
  expect(readLedger(SMALL + SMALL).kind).toBe('damaged')
})

test('what is no ledger at all is said to be none', () => {
  for (const bytes of ['', 'REDIS0010', 'VEDETTE LEDGER', '*1\r\n$4\r\nPING\r\n']) {
    expect(readLedger(bytes)).toMatchObject({ kind: 'damaged' })
  }
})

test('a later version of the format is named', () => {
  expect(readLedger(SMALL.replace('LEDGER 1', 'LEDGER 2'))).toMatchObject({
    kind: 'damaged',
    text: expect.stringContaining('VEDETTE LEDGER 2'),
  })
})
