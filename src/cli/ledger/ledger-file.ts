/** A ledger for the command line: read whole from a file, with the keys its commands name. */

import { readText } from '../../io/files/text-file.ts'
import { StartError } from '../../io/start-error.ts'
import { nodeCommands } from '../../server/commands/registry.ts'
import {
  isBracket,
  type LedgerCommand,
  type LedgerReading,
  readLedger,
} from '../../server/ledger/ledger-reader.ts'
import { fileReason } from '../files.ts'

export type Ledger = LedgerReading & { readonly kind: 'ledger' }

const LEDGERS = 'data nodes write them to their dir: lost-writes-*.ledger'

const table = nodeCommands()

/** Throws a StartError for a file that cannot be read, or that is no valid ledger. */
export function openLedger(path: string): Ledger {
  const reading = readLedger(bytesOf(path))
  if (reading.kind === 'ledger') return reading
  if (reading.offset === 0) throw new StartError('E_LEDGER', `${path} is no ledger`, LEDGERS)
  const message = `${path} is damaged at byte ${reading.offset}: ${reading.text}`
  throw new StartError('E_LEDGER', message, 'nothing of it is used; look for a copy of the file')
}

/** The writes, without the MULTI and EXEC around them. */
export function writesOf({ commands }: Ledger): LedgerCommand[] {
  return commands.filter(({ argv }) => !isBracket(argv))
}

/** The keys of a command; for an unknown command, its first argument. */
export function keysIn({ argv }: LedgerCommand): readonly string[] {
  return table.keysIn(argv)
}

const SHOWN_ARGUMENTS = 12
const SHOWN_BYTES = 40

/** One line for people: long texts are cut, unprintable bytes are escaped. */
export function commandLine({ db, argv }: LedgerCommand): string {
  const words = argv.slice(0, SHOWN_ARGUMENTS).map(word)
  const more = argv.length > SHOWN_ARGUMENTS ? ` … (${argv.length - SHOWN_ARGUMENTS} more)` : ''
  return `[${db}] ${words.join(' ')}${more}`
}

export function word(bytes: string): string {
  const shown = bytes.slice(0, SHOWN_BYTES)
  const text = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]+$/.test(shown) ? shown : `"${escaped(shown)}"`
  return bytes.length > SHOWN_BYTES ? `${text}…(${bytes.length} bytes)` : text
}

function escaped(bytes: string): string {
  return bytes.replace(/[^\x20-\x7e]|["\\]/g, (byte) => {
    if (byte === '"' || byte === '\\') return `\\${byte}`
    return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** As much as one string can hold. */
const MAX_LEDGER_BYTES = 511 * 1024 * 1024

function bytesOf(path: string): string {
  try {
    return readText(path, 'latin1', MAX_LEDGER_BYTES)
  } catch (error) {
    throw new StartError('E_LEDGER', `cannot read ${path}: ${fileReason(error)}`, LEDGERS)
  }
}
