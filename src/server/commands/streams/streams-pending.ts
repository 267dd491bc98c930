/** XPENDING: the entries that a group has delivered and that are not acknowledged yet. */
import {
  array,
  bulk,
  bulks,
  integer,
  list,
  NULL,
  NULL_ARRAY,
  type Reply,
} from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import { noSuchKeyOrGroup } from '../../values/stream-errors.ts'
import { byName, type ConsumerGroup } from '../../values/stream-group.ts'
import type { StreamId } from '../../values/stream-id.ts'
import {
  findGroup,
  idleMs,
  idReply,
  isReply,
  parseCount,
  parseEnd,
  parseStart,
} from './streams-common.ts'

interface Query {
  readonly start: StreamId
  readonly end: StreamId
  readonly count: number
  readonly minIdleMs: number
  /** Undefined for all consumers. */
  readonly consumer: string | undefined
}

export function xPending({ db, now }: CommandContext, argv: readonly string[]): Reply {
  const query = argv.length === 3 ? undefined : parseQuery(argv)
  if (query !== undefined && 'kind' in query) return query
  const [key, name] = [arg(argv, 1), arg(argv, 2)]
  const found = findGroup(db, key, name, noSuchKeyOrGroup(key, name))
  if (isReply(found)) return found
  return query === undefined ? summary(found.group) : pendingIn(found.group, query, now.wallMs)
}

/** `[IDLE ms] start end count [consumer]` */
function parseQuery(argv: readonly string[]): Query | Reply {
  if (argv.length < 6 || argv.length > 9) return SYNTAX_ERROR
  const hasIdle = arg(argv, 3).toUpperCase() === 'IDLE'
  const minIdleMs = hasIdle ? parseInteger(argv[4]) : 0
  if (minIdleMs === undefined) return NOT_AN_INTEGER
  if (hasIdle && argv.length < 8) return SYNTAX_ERROR
  const at = hasIdle ? 5 : 3
  const count = parseCount(argv[at + 2])
  if (count === undefined) return NOT_AN_INTEGER
  const start = parseStart(arg(argv, at))
  if (typeof start !== 'string') return start
  const end = parseEnd(arg(argv, at + 1))
  if (typeof end !== 'string') return end
  return { start, end, count, minIdleMs, consumer: argv[at + 3] }
}

function summary({ pending, consumers }: ConsumerGroup): Reply {
  const { size, firstId, lastId } = pending
  if (firstId === undefined || lastId === undefined)
    return array([integer(0), NULL, NULL, NULL_ARRAY])
  const busy = byName(consumers).filter(([, consumer]) => consumer.pending.size > 0)
  const counts = busy.map(([name, consumer]) => bulks([name, String(consumer.pending.size)]))
  return array([integer(size), idReply(firstId), idReply(lastId), array(counts)])
}

interface Shown {
  readonly id: StreamId
  readonly name: string
  readonly idleMs: number
  readonly deliveries: number
}

function pendingIn(group: ConsumerGroup, query: Query, nowMs: number): Reply {
  const { start, end, count, minIdleMs, consumer: name } = query
  const of = name === undefined ? group : group.consumers.get(name)
  const found: Shown[] = []
  for (const [id, { consumer, deliveredAtMs, deliveries }] of of?.pending.entries(start) ?? []) {
    if (found.length >= count || id > end) break
    if (minIdleMs !== 0 && nowMs - deliveredAtMs < minIdleMs) continue
    found.push({ id, name: consumer.name, idleMs: idleMs(nowMs, deliveredAtMs), deliveries })
  }
  return list(found, shownReply)
}

function shownReply({ id, name, idleMs, deliveries }: Shown): Reply {
  return array([idReply(id), bulk(name), integer(idleMs), integer(deliveries)])
}
