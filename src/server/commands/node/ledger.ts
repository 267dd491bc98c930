/** LEDGER: the ledgers of this node, in which a resynchronisation has kept what it discarded. */
import { parseInt64 } from '../../../base/decimal.ts'
import { array, bulk, error, integer, type Reply } from '../../../resp/reply.ts'
import { command, type Family, type Handler } from '../../catalogue/command.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import type { LedgerPiece, ShelvedLedger } from '../../ledger/ledger-shelf.ts'
import type { FileFailure } from '../../persistence/files.ts'
import { replyLater } from '../../sessions/reply-later.ts'

/** What one reply holds at most, in bytes. */
const PIECE_BYTES = 1024 * 1024

const BAD_OFFSET = error('ERR Invalid offset: a number of bytes, 0 or more')
const BAD_BYTES = error(`ERR Invalid number of bytes: from 1 to ${PIECE_BYTES}`)
const NO_LEDGER = error('ERR There is no such ledger: LEDGER LIST names them')

/** `LEDGER LIST`, `LEDGER READ <name> <offset> [<bytes>]`. */
const ledger: Handler = (context, argv) => {
  const [, verb = '', name = '', offsetText = '', bytesText] = argv
  const { shelf } = context.node.replication
  if (verb.toLowerCase() === 'list' && argv.length === 2)
    return replyLater(context, (answer) => shelf.list((found) => answer(listReply(found))))
  const isRead = verb.toLowerCase() === 'read' && (argv.length === 4 || argv.length === 5)
  if (!isRead) return SYNTAX_ERROR
  const offset = parseInt64(offsetText)
  const bytes = bytesText === undefined ? PIECE_BYTES : parseInt64(bytesText)
  if (typeof offset !== 'number' || offset < 0) return BAD_OFFSET
  if (typeof bytes !== 'number' || bytes < 1 || bytes > PIECE_BYTES) return BAD_BYTES
  return replyLater(context, (answer) =>
    shelf.read(name, offset, bytes, (piece) => answer(pieceReply(piece))),
  )
}

/** Name and bytes of each. */
function listReply(found: readonly ShelvedLedger[] | FileFailure): Reply {
  if ('kind' in found) return failed(found)
  return array(found.map(({ name, bytes }) => array([bulk(name), integer(bytes)])))
}

function pieceReply(piece: LedgerPiece): Reply {
  if (piece === 'absent') return NO_LEDGER
  return piece.kind === 'piece' ? bulk(piece.bytes) : failed(piece)
}

function failed({ text }: FileFailure): Reply {
  return error(`ERR The ledgers cannot be read: ${text}`)
}

export const ledgerFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [command('ledger', -2, 'admin noscript stale no_multi', [], ledger)],
}
