/** XINFO: a stream, its groups and their consumers, in numbers and in full. */
import { array, bulk, integer, list, NULL, type Reply } from '../../../resp/reply.ts'
import { replyMap } from '../../../session/commands.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, helpReply } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { NO_SUCH_KEY, NOT_AN_INTEGER, unknownSubcommandOrArity } from '../../errors.ts'
import type { StreamEntries } from '../../values/stream.ts'
import { noSuchGroup } from '../../values/stream-errors.ts'
import {
  byName,
  type Consumer,
  type ConsumerGroup,
  UNKNOWN_ENTRIES_READ,
} from '../../values/stream-group.ts'
import type { StreamId } from '../../values/stream-id.ts'
import { lagOf } from '../../values/stream-progress.ts'
import {
  entriesReply,
  entryReply,
  findStream,
  idleMs,
  idReply,
  isReply,
  openGroup,
} from './streams-common.ts'

/** How many entries, and pending ids of each list, XINFO STREAM FULL shows by default. */
const FULL_COUNT = 10

/** Fields of a reply: a name and its value. */
type Field = readonly [name: string, value: Reply]

function infoStream({ db }: CommandContext, argv: readonly string[]): Reply {
  const stream = findStream(db, arg(argv, 2))
  if (stream === undefined) return NO_SUCH_KEY
  if (isReply(stream)) return stream
  if (argv.length === 3) return replyMap([...numbers(stream), ...edges(stream)])
  const count = parseFull(argv)
  if (typeof count !== 'number') return count
  return replyMap([...numbers(stream), ...everything(stream, count)])
}

/** `FULL [COUNT n]`; 0 means all. */
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

function numbers(stream: StreamEntries): Field[] {
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

/** Counters have 64 bits, and are sent as signed numbers. */
function counter(value: bigint): Reply {
  return integer(BigInt.asIntN(64, value))
}

function edges(stream: StreamEntries): Field[] {
  const first = stream.get(stream.firstId)
  const last = stream.lastEntry
  return [
    ['groups', integer(stream.groups.size)],
    ['first-entry', first === undefined ? NULL : entryReply(first)],
    ['last-entry', last === undefined ? NULL : entryReply(last)],
  ]
}

function everything(stream: StreamEntries, count: number): Field[] {
  const groups = byName(stream.groups).map(([name, group]) =>
    replyMap([
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

function progress(stream: StreamEntries, group: ConsumerGroup): Field[] {
  const { entriesRead, lastId } = group
  const lag = lagOf(stream, group)
  return [
    ['last-delivered-id', idReply(lastId)],
    ['entries-read', entriesRead === UNKNOWN_ENTRIES_READ ? NULL : counter(entriesRead)],
    ['lag', lag === undefined ? NULL : counter(lag)],
  ]
}

function wholeConsumer(consumer: Consumer, count: number): Reply {
  return replyMap([
    ['name', bulk(consumer.name)],
    ['seen-time', integer(consumer.seenAtMs)],
    ['pel-count', integer(consumer.pending.size)],
    ['pending', pendingOf(consumer, count, false)],
  ])
}

function pendingOf(
  { pending: all }: Pick<Consumer, 'pending'> | ConsumerGroup,
  count: number,
  namesConsumer: boolean,
): Reply {
  const found: Shown[] = []
  for (const [id, { consumer, deliveredAtMs, deliveries }] of all.entries()) {
    found.push({ id, name: namesConsumer ? consumer.name : undefined, deliveredAtMs, deliveries })
    if (found.length === count) break
  }
  return list(found, shownReply)
}

interface Shown {
  readonly id: StreamId
  readonly name: string | undefined
  readonly deliveredAtMs: number
  readonly deliveries: number
}

function shownReply({ id, name, deliveredAtMs, deliveries }: Shown): Reply {
  const who = name === undefined ? [] : [bulk(name)]
  return array([idReply(id), ...who, integer(deliveredAtMs), integer(deliveries)])
}

function infoGroups({ db }: CommandContext, argv: readonly string[]): Reply {
  const stream = findStream(db, arg(argv, 2))
  if (stream === undefined) return NO_SUCH_KEY
  if (isReply(stream)) return stream
  const groups = byName(stream.groups).map(([name, group]) =>
    replyMap([
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
  const found = openGroup(findStream(db, key), name, NO_SUCH_KEY, noSuchGroup(name, key))
  if (isReply(found)) return found
  const consumers = byName(found.group.consumers).map(([, consumer]) =>
    replyMap([
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
  command('consumers', 4, 'readonly', ['2 RO access'], infoConsumers, VARYING),
  command('groups', 3, 'readonly', ['2 RO access'], infoGroups),
  command('help', 2, 'loading stale', [], help),
  command('stream', -3, 'readonly', ['2 RO access'], infoStream),
])

/**
 * How many nodes Redis' radix tree for a stream would have: XINFO shows it, and people watch it to see how
 * much memory a stream takes. A run of bytes without a fork is one node, a fork is one, and so is the end
 * of each key.
 */
const KEY_BYTES = 16

function radixNodes({ nodes }: StreamEntries): number {
  if (nodes.length === 0) return 1
  return treeNodes(
    nodes.map(({ masterId }) => masterId),
    0,
  )
}

/** Counts the nodes for keys in ascending order that agree up to `depth`. */
function treeNodes(keys: readonly StreamId[], depth: number): number {
  const [first = '', last = ''] = [keys[0], keys.at(-1)]
  let fork = depth
  while (fork < KEY_BYTES && first[fork] === last[fork]) fork++
  const run = fork > depth ? 1 : 0
  if (fork === KEY_BYTES) return run + 1
  let count = run + 1
  for (const branch of branches(keys, fork)) count += treeNodes(branch, fork + 1)
  return count
}

/** Groups the keys by the byte at `at`. */
function* branches(keys: readonly StreamId[], at: number): Iterable<readonly StreamId[]> {
  let from = 0
  for (let to = 1; to <= keys.length; to++) {
    if (keys[to]?.[at] === keys[from]?.[at]) continue
    yield keys.slice(from, to)
    from = to
  }
}
