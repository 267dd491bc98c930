/** OBJECT: what Redis would say about how a value is encoded and how much it is used. */
import { bulk, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { arg, command, container, helpReply } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { LFU_NOT_SELECTED, LFU_SELECTED } from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'
import { encodingOf, referencesTo } from '../../values/encoding.ts'

/** Answers for a key, or with null if there is none. */
function about(describe: (entry: Entry, context: CommandContext) => Reply) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const entry = context.db.find(arg(argv, 2))
    return entry === undefined ? NULL : describe(entry, context)
  }
}

const encoding = about(({ value }, { node }) => bulk(encodingOf(value, node.settings)))
const refCount = about(({ value }, { node }) => integer(referencesTo(value, node.settings)))
const idleTime = about((entry, { node }) => {
  const { usage } = node.keyspace
  return usage.isFrequency ? LFU_SELECTED : integer(usage.idleSeconds(entry.usage))
})
const frequency = about((entry, { node }) => {
  const { usage } = node.keyspace
  return usage.isFrequency ? integer(usage.frequency(entry.usage)) : LFU_NOT_SELECTED
})

function help(): Reply {
  return helpReply('OBJECT', [
    'ENCODING <key>',
    '    The encoding Redis would use.',
    'FREQ <key>',
    '    A logarithmic count of uses, under an LFU policy.',
    'IDLETIME <key>',
    '    Seconds since the last use, under any other policy.',
    'REFCOUNT <key>',
    '    1, or the greatest number for a small integer, which Redis shares.',
  ])
}

const KEY = ['2 RO']
const ASKED = 'readonly no_touch no_miss_event'

export const objectCommand = container('object', [
  command('encoding', 3, ASKED, KEY, encoding, VARYING),
  command('freq', 3, ASKED, KEY, frequency, VARYING),
  command('help', 2, 'loading stale', [], help),
  command('idletime', 3, ASKED, KEY, idleTime, VARYING),
  command('refcount', 3, ASKED, KEY, refCount, VARYING),
])
