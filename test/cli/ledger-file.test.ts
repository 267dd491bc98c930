import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLedger } from '../../src/cli/ledger/ledger-file.ts'
import { scratchFolder } from '../support/scratch.ts'

const folder = scratchFolder('ledger-file')

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('a ledger that is not there, and a file that is none, are told from one that is damaged', () => {
  const missing = join(folder, 'missing.ledger')
  expect(() => openLedger(missing)).toThrow(`cannot read ${missing}: there is no such file`)
  for (const path of [file('empty', ''), file('dump.rdb', 'REDIS0011\xfa')]) {
    expect(() => openLedger(path)).toThrow(`${path} is no ledger`)
  }
  const torn = file('torn.ledger', 'VEDETTE LEDGER 1\n')
  expect(() => openLedger(torn)).toThrow(`${torn} is damaged at byte 17: its header has no end`)
})
