/**
 * BLACK-BOX: hands out the journal of this node [black-box] in bounded pieces, in the same form as SENTINEL
 * BLACK-BOX, so that `vedette incident` can fetch those of all nodes of a group. Only reads.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import { array, bulk, error, integer, type Reply } from '../../../resp/reply.ts'
import { command, type Family, type Handler } from '../../catalogue/command.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import type { FileAnswer } from '../../persistence/files.ts'
import { replyLater } from '../../sessions/reply-later.ts'

/** What one reply holds at most, in bytes. */
const PIECE_BYTES = 1024 * 1024

const BAD_SEGMENT = error('ERR Invalid segment: a name that BLACK-BOX LIST gives')
const BAD_OFFSET = error('ERR Invalid offset: a number of bytes, 0 or more')
const BAD_BYTES = error(`ERR Invalid number of bytes: from 1 to ${PIECE_BYTES}`)

/** `BLACK-BOX LIST`, `BLACK-BOX READ <segment> <offset> [<bytes>]`. */
const blackBox: Handler = (context, argv) => {
  const [, verb = '', segment = '', offsetText = '', bytesText] = argv
  const { persistence, now } = context.node
  if (verb.toLowerCase() === 'list' && argv.length === 2) {
    return replyLater(context, (answer) =>
      persistence.askJournal(undefined, (found) => answer(listReply(found, now.wallMs))),
    )
  }
  const isRead = verb.toLowerCase() === 'read' && (argv.length === 4 || argv.length === 5)
  if (!isRead) return SYNTAX_ERROR
  const offset = parseInt64(offsetText)
  const bytes = bytesText === undefined ? PIECE_BYTES : parseInt64(bytesText)
  // A name is no path.
  if (!/^\d{8}\.vbb$/.test(segment)) return BAD_SEGMENT
  if (typeof offset !== 'number' || offset < 0) return BAD_OFFSET
  if (typeof bytes !== 'number' || bytes < 1 || bytes > PIECE_BYTES) return BAD_BYTES
  return replyLater(context, (answer) =>
    persistence.askJournal({ segment, offset, bytes }, (found) => answer(pieceReply(found))),
  )
}

/** The wall clock, so that whoever reads knows how far it is off, and the segments, the oldest first. */
function listReply(found: FileAnswer, wallMs: number): Reply {
  if (found.kind !== 'segments') return refused(found)
  const segments = found.segments.map(({ name, bytes, writtenAtMs }) =>
    array([bulk(name), integer(bytes), integer(writtenAtMs)]),
  )
  return array([bulk('wall-clock-ms'), integer(wallMs), bulk('segments'), array(segments)])
}

/** It is shorter than asked for where the segment ends, and empty behind its end. */
function pieceReply(found: FileAnswer): Reply {
  return found.kind === 'bytes' ? bulk(found.bytes) : refused(found)
}

function refused(found: FileAnswer): Reply {
  const reason = found.kind === 'failed' ? found.text : 'no answer to that question'
  return error(`NORECORD ${reason}`)
}

export const blackBoxFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [command('black-box', -2, 'admin noscript stale no_multi', [], blackBox)],
}
