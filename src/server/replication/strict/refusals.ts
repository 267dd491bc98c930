/** What a node of a strict group answers to what it cannot do. */
import { error, type Reply } from '../../../resp/reply.ts'
import { type Layout, layoutText, type Term } from './term.ts'

export const NOT_READY = error('LOADING this node has not read its term yet')
export const NO_MASTER = error('NOMASTERLINK this node is no master of a term')
export const NOT_STRICT = error(
  'ERR this node replicates asynchronously and cannot be fenced: sync-replication yes in its file makes it a voter',
)

export function cannotKeep(failure: string): Reply {
  return error(`ERR the term cannot be kept: ${failure}`)
}

/** No Sentinel would ever stand in a later one, so none could fence the node again. */
export function outOfReach({ number }: Term): Reply {
  return error(
    `ERR no election reaches term ${number}: take the next one after the highest sync_term of all nodes`,
  )
}

export function otherVoters(term: number, own: Layout, asked: Layout): Reply {
  const voters = `${layoutText(own)}, not ${layoutText(asked)}`
  return error(`SYNCVOTERS the voters of term ${term} are ${voters}`)
}

// In place of an answer to a command on data: an error reply without its dash.

export const NO_TERM_HERE = 'NOSYNCREPLICAS this node is no master of the present term'

export function tooFewVoters(forMs: number): string {
  return `NOSYNCREPLICAS too few voters have acknowledged anything for ${Math.floor(forMs)} ms`
}

/** Why the node does not start. */
export function unreadable(reason: string): string {
  const what = `strict.state cannot be read: ${reason}. Without its term this node could break a promise`
  return `${what}: put the file back, or empty the folder to have a new node`
}
