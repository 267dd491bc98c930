/** XGROUP and XACK: groups, their consumers, and acknowledgements. */
import { integer, OK, type Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg, command, container, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, unknownSubcommandOrArity } from '../../errors.ts'
import { StreamEntries } from '../../values/stream.ts'
import {
  BAD_ENTRIES_READ,
  GROUP_EXISTS,
  INVALID_ID,
  KEY_REQUIRED,
  noSuchGroup,
} from '../../values/stream-errors.ts'
import { ConsumerGroup, UNKNOWN_ENTRIES_READ } from '../../values/stream-group.ts'
import { MIN_ID, parseId, parseIdOrEdge, type StreamId } from '../../values/stream-id.ts'
import { findGroup, findStream, isReply, openGroup, parseIds } from './streams-common.ts'

const ZERO = integer(0)
const ONE = integer(1)

interface GroupOptions {
  readonly makesStream: boolean
  readonly entriesRead: bigint
}

function create(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseOptions(argv)
  if (isReply(options)) return options
  const { db } = context
  const [key, name] = [arg(argv, 2), arg(argv, 3)]
  const found = findStream(db, key)
  if (found !== undefined && isReply(found)) return found
  if (found === undefined && !options.makesStream) return KEY_REQUIRED
  // At most three options make sense, so more words are refused.
  if (argv.length > 8) return unknownSubcommandOrArity('xgroup', argv[1])
  const lastId = parsePosition(arg(argv, 4), found, parseId)
  if (lastId === undefined) return INVALID_ID
  if (found?.groups.has(name) === true) return GROUP_EXISTS
  const stream = found ?? new StreamEntries()
  if (found !== undefined) db.changingAside(key)
  stream.groups.set(name, new ConsumerGroup(lastId, options.entriesRead))
  if (found === undefined) db.put(key, { type: 'stream', stream })
  context.notify('xgroup-create', key)
  context.propagate()
  return OK
}

function setId(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseOptions(argv)
  if (isReply(options)) return options
  const found = groupOf(context, argv)
  if (isReply(found)) return found
  if (argv.length > 7) return unknownSubcommandOrArity('xgroup', argv[1])
  const lastId = parsePosition(arg(argv, 4), found.stream, parseIdOrEdge)
  if (lastId === undefined) return INVALID_ID
  context.db.changingAside(arg(argv, 2))
  found.group.lastId = lastId
  found.group.entriesRead = options.entriesRead
  context.notify('xgroup-setid', arg(argv, 2))
  context.propagate()
  return OK
}

/** `$` means the current end of the stream. */
function parsePosition(
  text: string,
  stream: StreamEntries | undefined,
  parse: (text: string) => StreamId | undefined,
): StreamId | undefined {
  return text === '$' ? (stream?.lastId ?? MIN_ID) : parse(text)
}

/** The options of CREATE and SETID, after the id. */
function parseOptions(argv: readonly string[]): GroupOptions | Reply {
  const isCreate = arg(argv, 1).toLowerCase() === 'create'
  let makesStream = false
  let entriesRead = UNKNOWN_ENTRIES_READ
  for (let at = 5; at < argv.length; at++) {
    const option = arg(argv, at).toUpperCase()
    if (option === 'MKSTREAM' && isCreate) {
      makesStream = true
    } else if (option === 'ENTRIESREAD' && at + 1 < argv.length) {
      const read = parseExact(arg(argv, ++at))
      if (read === undefined) return NOT_AN_INTEGER
      if (read < UNKNOWN_ENTRIES_READ) return BAD_ENTRIES_READ
      entriesRead = BigInt(read)
    } else {
      return unknownSubcommandOrArity('xgroup', argv[1])
    }
  }
  return { makesStream, entriesRead }
}

/** The group for a subcommand that needs one. */
function groupOf({ db }: CommandContext, argv: readonly string[]) {
  const [key, name] = [arg(argv, 2), arg(argv, 3)]
  return openGroup(findStream(db, key), name, KEY_REQUIRED, noSuchGroup(name, key))
}

function destroy(context: CommandContext, argv: readonly string[]): Reply {
  const [key, name] = [arg(argv, 2), arg(argv, 3)]
  const stream = findStream(context.db, key)
  if (stream === undefined) return KEY_REQUIRED
  if (isReply(stream)) return stream
  if (!stream.groups.has(name)) return ZERO
  context.db.changingAside(key)
  stream.groups.delete(name)
  context.notify('xgroup-destroy', key)
  context.propagate()
  // Clients that wait for the group wait in vain, and get an error.
  context.node.blocking.noteKey(context.db.index, key)
  return ONE
}

function createConsumer(context: CommandContext, argv: readonly string[]): Reply {
  const found = groupOf(context, argv)
  if (isReply(found)) return found
  const name = arg(argv, 4)
  if (found.group.consumers.has(name)) return ZERO
  context.db.changingAside(arg(argv, 2))
  found.group.addConsumer(name, context.now.wallMs)
  context.notify('xgroup-createconsumer', arg(argv, 2))
  context.propagate()
  return ONE
}

function deleteConsumer(context: CommandContext, argv: readonly string[]): Reply {
  const found = groupOf(context, argv)
  if (isReply(found)) return found
  const consumer = found.group.consumers.get(arg(argv, 4))
  if (consumer === undefined) return ZERO
  context.db.changingAside(arg(argv, 2))
  const pending = consumer.pending.size
  found.group.removeConsumer(consumer)
  context.notify('xgroup-delconsumer', arg(argv, 2))
  context.propagate()
  return integer(pending)
}

export function xAck(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const found = findGroup(context.db, key, arg(argv, 2), ZERO)
  if (isReply(found)) return found
  const ids = parseIds(argv, 3)
  if (isReply(ids)) return ids
  if (!ids.some((id) => found.group.pending.has(id))) return ZERO
  context.db.changingAside(key)
  let acknowledged = 0
  for (const id of ids) if (found.group.forget(id)) acknowledged++
  context.propagate(undefined, acknowledged)
  return integer(acknowledged)
}

function help(): Reply {
  return helpReply('XGROUP', [
    'CREATE <key> <group> <id|$> [MKSTREAM] [ENTRIESREAD <count>]',
    '    A new group that reads what comes after the id.',
    'CREATECONSUMER <key> <group> <consumer>',
    '    A consumer that has read nothing yet.',
    'DELCONSUMER <key> <group> <consumer>',
    '    Remove a consumer and forget what is pending with it.',
    'DESTROY <key> <group>',
    '    Remove a group.',
    'SETID <key> <group> <id|$> [ENTRIESREAD <count>]',
    '    Read on after another id.',
  ])
}

export const xGroup = container('xgroup', [
  command('create', -5, 'write denyoom', ['2 RW insert'], create),
  command('createconsumer', 5, 'write denyoom', ['2 RW insert'], createConsumer),
  command('delconsumer', 5, 'write', ['2 RW delete'], deleteConsumer),
  command('destroy', 4, 'write', ['2 RW delete'], destroy),
  command('help', 2, 'loading stale', [], help),
  command('setid', -5, 'write', ['2 RW update'], setId),
])
