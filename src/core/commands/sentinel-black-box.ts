/**
 * SENTINEL BLACK-BOX: hands out the record of this Sentinel [black-box] in bounded pieces, so that `vedette
 * incident` can fetch those of all Sentinels of a group. Only reads. The program around the machine keeps
 * the record, so both steps ask it.
 */
import { array, bulk, error, integer, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { consult } from '../external-queries.ts'
import type { Answer } from '../external-query.ts'
import type { Turn } from '../state.ts'
import { SYNTAX_ERROR, wrongArity } from './errors.ts'
import { parseInteger } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

/** What one reply holds at most, in bytes. */
export const RECORD_PIECE_BYTES = 1024 * 1024

const BAD_SEGMENT = error('ERR Invalid segment: a name that SENTINEL BLACK-BOX LIST gives')
const BAD_OFFSET = error('ERR Invalid offset: a number of bytes, 0 or more')
const BAD_BYTES = error(`ERR Invalid number of bytes: from 1 to ${RECORD_PIECE_BYTES}`)

function blackBox(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const step = argv[2]?.toLowerCase()
  if (step === 'list') return argv.length === 3 ? list(turn, client) : wrongArity(NAME)
  if (step !== 'read') return SYNTAX_ERROR
  return argv.length === 5 || argv.length === 6 ? read(turn, client, argv) : wrongArity(NAME)
}

/** The wall clock, so that whoever reads knows how far it is off, and the segments, the oldest first. */
function list(turn: Turn, client: Client): Reply | undefined {
  const answer = consult(turn, client, { kind: 'listRecord' })
  if (answer?.kind !== 'listRecord') return refused(answer)
  const segments = answer.segments.map(({ name, bytes, writtenAtMs }) =>
    array([bulk(name), integer(bytes), integer(writtenAtMs)]),
  )
  const { wallMs } = turn.now
  return array([bulk('wall-clock-ms'), integer(wallMs), bulk('segments'), array(segments)])
}

/** A piece of a segment; it is shorter than asked for where the segment ends, and empty behind its end. */
function read(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const [, , , segment = '', offsetText = '', bytesText] = argv
  const offset = parseInteger(offsetText)
  const bytes = bytesText === undefined ? RECORD_PIECE_BYTES : parseInteger(bytesText)
  // A name is no path.
  if (!/^\d{8}\.vbb$/.test(segment)) return BAD_SEGMENT
  if (offset === undefined || offset < 0) return BAD_OFFSET
  if (bytes === undefined || bytes < 1 || bytes > RECORD_PIECE_BYTES) return BAD_BYTES
  const answer = consult(turn, client, { kind: 'readRecord', segment, offset, bytes })
  return answer?.kind === 'readRecord' ? bulk(answer.bytes) : refused(answer)
}

/** Undefined: the answer is not there yet. */
function refused(answer: Answer | undefined): Reply | undefined {
  if (answer === undefined) return undefined
  const reason = answer.kind === 'failed' ? answer.reason : 'no answer to that question'
  return error(`NORECORD ${reason}`)
}

const NAME = 'sentinel|black-box'

export const BLACK_BOX = sentinelCommand(
  {
    name: 'black-box',
    isOurs: true,
    arity: -3,
    usage: 'LIST | READ <segment> <offset> [<bytes>]',
    summary: 'Hand out the record of this Sentinel (vedette incident).',
  },
  blackBox,
)
