/** XADD, XDEL, XTRIM, XLEN: the entries of a stream. */
import { bulk, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { wrongArity } from '../../errors.ts'
import type { Settings } from '../../settings/settings.ts'
import { lengthOf, StreamEntries } from '../../values/stream.ts'
import { ID_TOO_SMALL, ID_ZERO, IDS_EXHAUSTED, TOO_LARGE } from '../../values/stream-errors.ts'
import {
  idAtMs,
  idAtTime,
  idText,
  MAX_ID,
  MAX_UINT64,
  MIN_ID,
  parseId,
  parseOpenId,
  type StreamId,
  streamId,
  type Uint64,
} from '../../values/stream-id.ts'
import type { NodeLimits } from '../../values/stream-node.ts'
import { carryOut, planTrim } from '../../values/stream-trim.ts'
import { findStream, isReply, parseIds, streamOf } from './streams-common.ts'
import { parseTrimOptions, type TrimOptions, WITHOUT_OPTIONS } from './streams-options.ts'

const ZERO = integer(0)

/** A file contains a node as one string, and a larger one could not be read again. */
const MAX_NODE_BYTES = 224 * 1024 * 1024

function nodeLimits(settings: Settings): NodeLimits {
  const maxBytes = settings.int('stream-node-max-bytes')
  return {
    maxBytes: maxBytes === 0 ? MAX_NODE_BYTES : Math.min(maxBytes, MAX_NODE_BYTES),
    maxEntries: settings.int('stream-node-max-entries'),
  }
}

export function xAdd(context: CommandContext, argv: readonly string[]): Reply {
  const options = arg(argv, 2) === '*' ? WITHOUT_OPTIONS : parseTrimOptions(context, argv, true)
  if (isReply(options)) return options
  const pairs = argv.slice(options.endAt + 1)
  if (pairs.length < 2 || pairs.length % 2 === 1) return wrongArity('xadd')
  const word = arg(argv, options.endAt)
  if (word !== '*' && parseId(word) === MIN_ID) return ID_ZERO
  return add(context, argv, options, pairs)
}

/** Whether the word leaves a part of the id to the server. */
function isOpen(word: string): boolean {
  return word === '*' || parseOpenId(word) !== undefined
}

/** The id that the word asks for, or why there is none. */
function idFor(word: string, nowMs: number, last: StreamId): StreamId | Reply {
  if (word === '*') return idAtTime(nowMs, last) ?? IDS_EXHAUSTED
  const ms = parseOpenId(word)
  if (ms !== undefined) return idWithin(ms, last)
  const id = parseId(word) ?? MIN_ID
  return id > last ? id : ID_TOO_SMALL
}

/** If a millisecond has no id left, Redis' error speaks of the size of the entry. */
function idWithin(ms: Uint64, last: StreamId): StreamId | Reply {
  const isFull = last === streamId(ms, MAX_UINT64)
  return idAtMs(ms, last) ?? (isFull ? TOO_LARGE : ID_TOO_SMALL)
}

function add(
  context: CommandContext,
  argv: readonly string[],
  options: TrimOptions,
  pairs: readonly string[],
): Reply {
  const { db, node, now } = context
  const key = arg(argv, 1)
  const entry = db.find(key)
  const found = streamOf(entry?.value)
  if (found === undefined && !options.makesStream) return NULL
  if (found !== undefined && isReply(found)) return found
  const stream = found ?? new StreamEntries()
  if (stream.lastId === MAX_ID) return IDS_EXHAUSTED
  const id = idFor(arg(argv, options.endAt), now.wallMs, stream.lastId)
  if (typeof id !== 'string') return id
  if (lengthOf(pairs) > MAX_NODE_BYTES) return TOO_LARGE
  if (found !== undefined) db.changing(key, entry)
  stream.append(id, pairs, nodeLimits(node.settings))
  const plan = options.trim && planTrim(stream, options.trim)
  if (plan !== undefined) carryOut(stream, plan)
  if (found === undefined) db.put(key, { type: 'stream', stream })
  else node.blocking.noteKey(db.index, key)
  context.notify('xadd', key)
  if (plan !== undefined && plan.removed > 0) context.notify('xtrim', key)
  const text = idText(id)
  context.propagate(() => {
    const effect = withExactTrim(argv, options, stream)
    if (isOpen(arg(argv, options.endAt))) effect[options.endAt] = text
    return effect
  })
  return bulk(text)
}

/**
 * Nodes may begin elsewhere on a replica, so replicas get an exact trim to what was left, not an
 * approximate one.
 */
function withExactTrim(
  argv: readonly string[],
  { trim, thresholdAt }: TrimOptions,
  stream: StreamEntries,
): string[] {
  const effect = argv.slice()
  if (trim?.isAbout !== true) return effect
  effect[thresholdAt - 1] = '='
  effect[thresholdAt] =
    trim.threshold.kind === 'length'
      ? String(stream.length)
      : idText(stream.nodes[0]?.masterId ?? MAX_ID)
  return effect
}

export function xTrim(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseTrimOptions(context, argv, false)
  if (isReply(options)) return options
  const key = arg(argv, 1)
  const stream = findStream(context.db, key)
  if (stream === undefined || options.trim === undefined) return ZERO
  if (isReply(stream)) return stream
  const plan = planTrim(stream, options.trim)
  if (plan.removed === 0) return ZERO
  context.db.changing(key)
  carryOut(stream, plan)
  context.notify('xtrim', key)
  context.propagate(withExactTrim(argv, options, stream), plan.removed)
  return integer(plan.removed)
}

export function xDel(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const stream = findStream(context.db, key)
  if (stream === undefined) return ZERO
  if (isReply(stream)) return stream
  const ids = parseIds(argv, 2)
  if (isReply(ids)) return ids
  if (!ids.some((id) => stream.get(id) !== undefined)) return ZERO
  context.db.changing(key)
  let deleted = 0
  for (const id of ids) if (stream.delete(id)) deleted++
  context.notify('xdel', key)
  context.propagate(undefined, deleted)
  return integer(deleted)
}

export function xLen({ db }: CommandContext, argv: readonly string[]): Reply {
  const stream = findStream(db, arg(argv, 1))
  if (stream === undefined) return ZERO
  return isReply(stream) ? stream : integer(stream.length)
}
