/**
 * Reads a ledger from a file, as a whole: a file that is damaged anywhere is not replayed in part, because
 * no one could say which part was intended.
 */
import { RequestDecoder } from '../../resp/request-decoder.ts'
import { Crc64 } from '../rdb/crc64.ts'
import {
  LEDGER_TITLE,
  LEDGER_VERSION,
  type LedgerEnd,
  type LedgerFacts,
  parseEnd,
  parseFacts,
} from './ledger-format.ts'
import { hexOf } from './ledger-numbers.ts'

export interface LedgerCommand {
  /** The database it was for. */
  readonly db: number
  readonly argv: readonly string[]
}

export type LedgerReading =
  | {
      readonly kind: 'ledger'
      readonly facts: LedgerFacts
      readonly end: LedgerEnd
      /** The writes, and MULTI and EXEC around those of one transaction. */
      readonly commands: readonly LedgerCommand[]
    }
  /** `offset`: the byte at which the unreadable part begins. */
  | { readonly kind: 'damaged'; readonly offset: number; readonly text: string }

const MAX_HEADER_BYTES = 16 * 1024
/** The checksum and the line end after it. */
const CHECKSUM_BYTES = 17

export function readLedger(bytes: string): LedgerReading {
  const headerEnd = bytes.slice(0, MAX_HEADER_BYTES).indexOf('\n\n')
  const [title = '', ...lines] = bytes.slice(0, Math.max(0, headerEnd)).split('\n')
  if (!bytes.startsWith(`${LEDGER_TITLE} `)) return damaged(0, 'this is not a ledger')
  if (headerEnd < 0) return damaged(bytes.length, 'its header has no end')
  if (title !== `${LEDGER_TITLE} ${LEDGER_VERSION}`) {
    return damaged(LEDGER_TITLE.length + 1, `its format is not version ${LEDGER_VERSION}: ${title}`)
  }
  const facts = parseFacts(lines)
  if (typeof facts === 'string') return damaged(title.length + 1, facts)
  return readCommands(bytes, headerEnd + 2, facts)
}

function readCommands(bytes: string, start: number, facts: LedgerFacts): LedgerReading {
  const endAt = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  const end = parseEnd(bytes.slice(endAt))
  const decoder = new RequestDecoder({ acceptsInline: false })
  const body = bytes.slice(start, end === undefined ? bytes.length : endAt)
  decoder.push(body)
  const commands: LedgerCommand[] = []
  let db = 0
  for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
    if (next.kind !== 'command') return damaged(start + decoder.consumed, 'no command begins here')
    if (next.argv[0] === 'SELECT') db = Number(next.argv[1])
    else commands.push({ db, argv: next.argv })
  }
  if (decoder.consumed < body.length) {
    return damaged(start + decoder.consumed, 'it ends in the middle of a command')
  }
  if (end === undefined) return damaged(bytes.length, 'it ends without its last line')
  return checked({ kind: 'ledger', facts, end, commands }, bytes, endAt)
}

function checked(
  reading: LedgerReading & { kind: 'ledger' },
  bytes: string,
  endAt: number,
): LedgerReading {
  const crc = new Crc64()
  crc.update(bytes, 0, bytes.length - CHECKSUM_BYTES)
  if (hexOf(crc.digest()) !== reading.end.checksum) {
    return damaged(endAt, 'the checksum in its last line is not that of what stands before it')
  }
  const writes = reading.commands.filter(({ argv }) => !isBracket(argv)).length
  if (writes !== reading.end.commands) {
    return damaged(
      endAt,
      `its last line counts ${reading.end.commands} writes, there are ${writes}`,
    )
  }
  return reading
}

/** A command that only groups others. */
export function isBracket(argv: readonly string[]): boolean {
  return argv[0] === 'MULTI' || argv[0] === 'EXEC'
}

function damaged(offset: number, text: string): LedgerReading {
  return { kind: 'damaged', offset, text }
}
