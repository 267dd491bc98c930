/** What a node of a strict group answers to what it cannot do. */
import { error, type Reply } from '../../../resp/reply.ts'

export const NOT_READY = error('LOADING this node has not read its term yet')
export const NO_MASTER = error('NOMASTERLINK this node is no master of a term')
export const NOT_STRICT = error(
  'ERR this node replicates asynchronously and cannot be fenced: sync-replication yes in its file makes it a voter',
)

export function cannotKeep(failure: string): Reply {
  return error(`ERR the term cannot be kept: ${failure}`)
}
