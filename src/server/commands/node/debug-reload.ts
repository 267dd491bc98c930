/** DEBUG RELOAD: through the file and back, so that a test can see that both say the same. */
import { error, OK, type Reply } from '../../../resp/reply.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import { replyLater } from '../../sessions/reply-later.ts'

const IN_TRANSACTION = error('ERR DEBUG RELOAD takes its time, which a transaction has not')
const ON_REPLICA = error('ERR DEBUG RELOAD on a replica would lose what its master sends meanwhile')
const IS_RUNNING = error('ERR DEBUG RELOAD is under way already')

/** `options`: NOSAVE loads the file there is. Merging (MERGE, NOFLUSH) is not offered. */
export function reload(context: CommandContext, options: readonly string[]): Reply | undefined {
  const words = options.map((word) => word.toUpperCase())
  if (words.some((word) => word !== 'NOSAVE')) return SYNTAX_ERROR
  const { node, session } = context
  if (!session.mayBlock) return IN_TRANSACTION
  if (node.replication.isReplica()) return ON_REPLICA
  return replyLater(context, (answer) => {
    const isBegun = node.persistence.reloading.begin(words.length === 0, (problem) =>
      answer(
        problem === undefined ? OK : error(`ERR Error trying to load the RDB dump: ${problem}`),
      ),
    )
    if (!isBegun) answer(IS_RUNNING)
  })
}
