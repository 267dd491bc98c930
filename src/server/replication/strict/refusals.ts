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

/** No Sentinel would ever stand in a later one, so nobody could fence the node again. */
export function outOfReach(term: number): Reply {
  return error(
    `ERR no election reaches term ${term}: take the next one after the highest sync_term of all nodes`,
  )
}
