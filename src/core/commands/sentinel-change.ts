/**
 * The SENTINEL subcommands that change what we watch. Each announces, saves, and answers in that
 * order: the answer stands after the save, so it never promises what a crash could undo.
 */
import { matchesGlob } from '../../base/glob.ts'
import { integer, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { removeGroup, resetGroup } from '../groups.ts'
import { save } from '../persistence/save.ts'
import type { Group, Turn } from '../state.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'
import { FAILOVER } from './sentinel-failover.ts'
import { MONITOR } from './sentinel-monitor.ts'
import { SET } from './sentinel-set.ts'

function remove(turn: Turn, group: Group): Reply {
  removeGroup(turn, group)
  save(turn)
  return OK
}

/**
 * Forgets replicas, peers and failovers of all groups that match the pattern. C Sentinel does not
 * rewrite its file here, so a crash brings back what was forgotten; our reset survives a crash.
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
  FAILOVER,
  sentinelCommand(
    { name: 'flushconfig', arity: 2, summary: 'Save the state of this Sentinel to disk now.' },
    flushConfig,
  ),
]
