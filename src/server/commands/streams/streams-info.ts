/** XINFO: a stream, its groups and their consumers, in numbers and in full. */
import { array, bulk, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NO_SUCH_KEY, NOT_AN_INTEGER, unknownSubcommandOrArity } from '../../errors.ts'
import type { Stream } from '../../values/stream.ts'
import { noSuchGroup } from '../../values/stream-errors.ts'
import {
  byName,
  type Consumer,
  type Group,
  UNKNOWN_ENTRIES_READ,
} from '../../values/stream-group.ts'
import { lagOf } from '../../values/stream-progress.ts'
import { radixNodes } from '../../values/stream-shape.ts'
import {
  entriesReply,
  entryReply,
  findGroup,
  findStream,
  idleMs,
  idReply,
  isReply,
} from './streams-common.ts'

/** Entries, and pending ids of each list, that XINFO STREAM FULL shows unless it is asked for others. */
const FULL_COUNT = 10

/** Entries in a reply: a name and what it stands for. */
type Field = readonly [name: string, value: Reply]

function fields(pairs: readonly Field[]): Reply {
  return { kind: 'map', entries: pairs.map(([name, value]) => [bulk(name), value] as const) }
}

function infoStream({ db }: CommandContext, argv: readonly string[]): Reply {
  const stream = findStream(db, arg(argv, 2))
  if (stream === undefined) return NO_SUCH_KEY
  if (isReply(stream)) return stream
  if (argv.length === 3) return fields([...numbers(stream), ...edges(stream)])
  const count = parseFull(argv)
  if (typeof count !== 'number') return count
  return fields([...numbers(stream), ...everything(stream, count)])
}

/** `FULL [COUNT n]`; 0: all. */
function parseFull(argv: readonly string[]): number | Reply {
  const [full, option, text] = argv.slice(3)
  const isCounted = argv.length === 6 && option?.toUpperCase() === 'COUNT'
  if (full?.toUpperCase() !== 'FULL' || (argv.length !== 4 && !isCounted)) {
    return unknownSubcommandOrArity('xinfo', argv[1])
  }
  if (!isCounted) return FULL_COUNT
  const count = parseInteger(text)
  if (count === undefined) return NOT_AN_INTEGER
  return count < 0 ? FULL_COUNT : count
}

function numbers(stream: Stream): Field[] {
  return [
    ['length', integer(stream.length)],
    ['radix-tree-keys', integer(stream.nodes.length)],
    ['radix-tree-nodes', integer(radixNodes(stream))],
    ['last-generated-id', idReply(stream.lastId)],
    ['max-deleted-entry-id', idReply(stream.maxDeletedId)],
    ['entries-added', counter(stream.entriesAdded)],
    ['recorded-first-entry-id', idReply(stream.firstId)],
  ]
}

/** Counters have 64 bits, and go out as signed ones. */
function counter(value: bigint): Reply {
  return integer(BigInt.asIntN(64, value))
}

function edges(stream: Stream): Field[] {
  const first = stream.get(stream.firstId)
  const last = stream.lastEntry
  return [
    ['groups', integer(stream.groups.size)],
    ['first-entry', first === undefined ? NULL : entryReply(first)],
    ['last-entry', last === undefined ? NULL : entryReply(last)],
  ]
}

function everything(stream: Stream, count: number): Field[] {
  const groups = byName(stream.groups).map(([name, group]) =>
    fields([
      ['name', bulk(name)],
      ...progress(stream, group),
      ['pel-count', integer(group.pending.size)],
      ['pending', pendingOf(group, count, true)],
      ['consumers', array(byName(group.consumers).map(([, each]) => wholeConsumer(each, count)))],
    ]),
  )
  return [
    ['entries', entriesReply(stream.range(), count)],
    ['groups', array(groups)],
  ]
}

function progress(stream: Stream, group: Group): Field[] {
  const { entriesRead, lastId } = group
  const lag = lagOf(stream, group)
  return [
    ['last-delivered-id', idReply(lastId)],
    ['entries-read', entriesRead === UNKNOWN_ENTRIES_READ ? NULL : counter(entriesRead)],
    ['lag', lag === undefined ? NULL : counter(lag)],
  ]
}

function wholeConsumer(consumer: Consumer, count: number): Reply {
  return fields([
    ['name', bulk(consumer.name)],
    ['seen-time', integer(consumer.seenAtMs)],
    ['pel-count', integer(consumer.pending.size)],
    ['pending', pendingOf(consumer, count, false)],
  ])
}

function pendingOf(
  { pending: all }: Pick<Consumer, 'pending'> | Group,
  count: number,
  namesConsumer: boolean,
): Reply {
  const replies: Reply[] = []
  for (const [id, pending] of all.entries()) {
    const { consumer, deliveredAtMs, deliveries } = pending
    const who = namesConsumer ? [bulk(consumer.name)] : []
    replies.push(array([idReply(id), ...who, integer(deliveredAtMs), integer(deliveries)]))
    if (replies.length === count) break
  }
  return array(replies)
}

function infoGroups({ db }: CommandContext, argv: readonly string[]): Reply {
  const stream = findStream(db, arg(argv, 2))
  if (stream === undefined) return NO_SUCH_KEY
  if (isReply(stream)) return stream
  const groups = byName(stream.groups).map(([name, group]) =>
    fields([
      ['name', bulk(name)],
      ['consumers', integer(group.consumers.size)],
      ['pending', integer(group.pending.size)],
      ...progress(stream, group),
    ]),
  )
  return array(groups)
}

function infoConsumers({ db, now }: CommandContext, argv: readonly string[]): Reply {
  const [key, name] = [arg(argv, 2), arg(argv, 3)]
  if (db.value(key) === undefined) return NO_SUCH_KEY
  const found = findGroup(db, key, name, noSuchGroup(name, key))
  if (isReply(found)) return found
  const consumers = byName(found.group.consumers).map(([, consumer]) =>
    fields([
      ['name', bulk(consumer.name)],
      ['pending', integer(consumer.pending.size)],
      ['idle', integer(idleMs(now.wallMs, consumer.seenAtMs))],
    ]),
  )
  return array(consumers)
}

function help(): Reply {
  return helpReply('XINFO', [
    'CONSUMERS <key> <group>',
    '    The consumers of a group.',
    'GROUPS <key>',
    '    The groups of a stream.',
    'STREAM <key> [FULL [COUNT <count>]]',
    '    A stream in numbers, or with its entries, groups and consumers.',
  ])
}

export const xInfo = container('xinfo', [
  command('consumers', 4, 'readonly', ['2 RO access'], infoConsumers),
  command('groups', 3, 'readonly', ['2 RO access'], infoGroups),
  command('help', 2, 'loading stale', [], help),
  command('stream', -3, 'readonly', ['2 RO access'], infoStream),
])
