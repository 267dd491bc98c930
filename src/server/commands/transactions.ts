/** MULTI, EXEC, DISCARD, WATCH, UNWATCH. */
import { NULL_ARRAY, OK, type Reply } from '../../resp/reply.ts'
import { arg, command, type Family } from '../catalogue/command.ts'
import type { CommandContext } from '../context.ts'
import {
  DISCARD_WITHOUT_MULTI,
  EXEC_ABORT,
  EXEC_WITHOUT_MULTI,
  NESTED_MULTI,
  WATCH_INSIDE_MULTI,
} from '../errors.ts'
import { KeyWatch, Transaction } from '../sessions/transactions.ts'

function multi({ session }: CommandContext): Reply {
  if (session.transaction !== undefined) return NESTED_MULTI
  session.transaction = new Transaction()
  return OK
}

function exec(context: CommandContext): Reply | undefined {
  const { session } = context
  const { transaction, watch } = session
  if (transaction === undefined) return EXEC_WITHOUT_MULTI
  const isStale = watch !== undefined && (watch.isBroken || watch.hasExpired())
  session.endTransaction()
  if (transaction.isBroken) return EXEC_ABORT
  if (isStale) return NULL_ARRAY
  runQueue(context, transaction)
  return undefined
}

/** Each command sends its own reply; some send several (SUBSCRIBE), some none. */
function runQueue(context: CommandContext, transaction: Transaction): void {
  context.session.replyArrayHeader(transaction.queue.length)
  context.session.runs = transaction
  runFrom(context, transaction.queue, 0)
}

/** A script that takes long makes the rest of the queue wait. */
function runFrom(
  context: CommandContext,
  queue: readonly (readonly string[])[],
  from: number,
): undefined {
  const { session } = context
  const couldBlock = session.mayBlock
  session.mayBlock = false
  for (let at = from; at < queue.length; at++) {
    const argv = queue[at] as readonly string[]
    answer(context, argv, context.execute(argv))
    if (!context.isInterrupted) continue
    context.whenScriptEnds((last) => {
      answer(context, argv, last)
      return runFrom(context, queue, at + 1)
    })
    session.mayBlock = couldBlock
    return
  }
  session.mayBlock = couldBlock
  session.runs = undefined
}

function answer(
  { session, node }: CommandContext,
  argv: readonly string[],
  reply: Reply | undefined,
): void {
  if (reply === undefined) return
  const before = session.answeredBytes
  session.reply(reply)
  const command = node.table.find(argv)
  if (command === undefined) return
  node.commandLogs.answered(session, command, argv, node.now.wallMs, before)
}

function discard({ session }: CommandContext): Reply {
  if (session.transaction === undefined) return DISCARD_WITHOUT_MULTI
  session.endTransaction()
  return OK
}

function watch(context: CommandContext, argv: readonly string[]): Reply {
  const { session, db } = context
  if (session.transaction !== undefined) return WATCH_INSIDE_MULTI
  session.watch ??= new KeyWatch()
  for (let at = 1; at < argv.length; at++) session.watch.add(db, arg(argv, at))
  return OK
}

function unwatch({ session }: CommandContext): Reply {
  session.unwatch()
  return OK
}

const ANY_STATE = 'noscript loading stale'

export const transactionFamily: Family = {
  group: 'transactions',
  category: '@transaction',
  commands: [
    command('multi', 1, `${ANY_STATE} fast allow_busy not_queued frame`, [], multi),
    command('exec', 1, `${ANY_STATE} skip_slowlog not_queued runs_queue frame`, [], exec),
    command('discard', 1, `${ANY_STATE} fast allow_busy not_queued frame`, [], discard),
    command('watch', -2, `${ANY_STATE} fast allow_busy not_queued no_touch`, ['1..-1 RO'], watch),
    command('unwatch', 1, `${ANY_STATE} fast allow_busy`, [], unwatch),
  ],
}
