/**
 * The SENTINEL subcommands that change what we watch. Each announces, saves, and answers in that order:
 * the answer stands behind the save, so it never promises what a crash could undo.
 */
import { matchesGlob } from '../../base/glob.ts'
import { error, integer, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { forceFailover } from '../failover.ts'
import { removeGroup, resetGroup } from '../groups.ts'
import { save } from '../save.ts'
import { selectReplica } from '../selection.ts'
import type { Group, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'
import { MONITOR } from './sentinel-monitor.ts'
import { SET } from './sentinel-set.ts'

function remove(turn: Turn, group: Group): Reply {
  removeGroup(turn, group)
  save(turn)
  return OK
}

/**
 * Forgets replicas, peers and failovers of all groups the pattern matches. C Sentinel leaves its file as
 * it was, so that a crash brings the forgotten back; what is reset here stays so.
 */
function reset(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , pattern = ''] = argv
  const matching = [...turn.state.groups.values()].filter(({ config }) =>
    matchesGlob(pattern, config.name),
  )
  for (const group of matching) resetGroup(turn, group)
  if (matching.length > 0) save(turn)
  return integer(matching.length)
}

/** An operator's word stands for O_DOWN and election alike. */
function failover(turn: Turn, group: Group): Reply {
  if (group.failover !== undefined) return error('INPROG Failover already in progress')
  if (selectReplica(turn, group) === undefined) {
    return error('NOGOODSLAVE No suitable replica to promote')
  }
  log(turn, 'notice', `Executing user requested FAILOVER of '${group.config.name}'`)
  forceFailover(turn, group)
  return OK
}

function flushConfig(turn: Turn): Reply {
  save(turn)
  return OK
}

const NAME = '<master-name>'

export const CHANGES = [
  MONITOR,
  SET,
  sentinelCommand(
    { name: 'remove', arity: 3, usage: NAME, summary: 'Stop watching a master.' },
    onGroup(remove),
  ),
  sentinelCommand(
    {
      name: 'reset',
      arity: 3,
      usage: '<pattern>',
      summary: 'Forget the replicas and Sentinels of the masters that match, to find them anew.',
    },
    reset,
  ),
  sentinelCommand(
    {
      name: 'failover',
      arity: 3,
      usage: NAME,
      summary: 'Promote a replica now, without asking other Sentinels.',
    },
    onGroup(failover),
  ),
  sentinelCommand(
    { name: 'flushconfig', arity: 2, summary: 'Save the state of this Sentinel to disk now.' },
    flushConfig,
  ),
]
