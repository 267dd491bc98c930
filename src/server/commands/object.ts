/** OBJECT: what Redis would say about how a value is kept. */
import { bulk, integer, NULL, type Reply } from '../../resp/reply.ts'
import { arg, command, container, helpReply } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { encodingOf } from '../encoding.ts'
import { LFU_NOT_SELECTED } from '../errors.ts'
import type { Value } from '../values.ts'

/** Answers for a value, or null when there is none. */
function about(describe: (value: Value, context: CommandContext) => Reply) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const value = context.db.value(arg(argv, 2))
    return value === undefined ? NULL : describe(value, context)
  }
}

const encoding = about((value, { node }) => bulk(encodingOf(value, node.settings)))
const refCount = about(() => integer(1))
/** Nothing is evicted yet, so nothing is remembered about use. */
const idleTime = about(() => integer(0))
const frequency = about(() => LFU_NOT_SELECTED)

function help(): Reply {
  return helpReply('OBJECT', [
    'ENCODING <key>',
    '    The encoding Redis would use.',
    'FREQ <key>',
    '    Not kept.',
    'IDLETIME <key>',
    '    Always 0.',
    'REFCOUNT <key>',
    '    Always 1.',
  ])
}

const KEY = ['2 RO']

export const objectCommand = container('object', [
  command('encoding', 3, 'readonly', KEY, encoding),
  command('freq', 3, 'readonly', KEY, frequency),
  command('help', 2, 'loading stale', [], help),
  command('idletime', 3, 'readonly', KEY, idleTime),
  command('refcount', 3, 'readonly', KEY, refCount),
])
