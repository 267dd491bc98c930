/**
 * The SENTINEL subcommands that change what we watch. Each announces, saves, and answers in that order:
 * the answer stands behind the save, so it never promises what a crash could undo.
 */
import { matchesGlob } from '../../base/glob.ts'
import { error, integer, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { handoverCandidates } from '../coordinated.ts'
import { requestFailover } from '../failover.ts'
import type { FailoverKind } from '../failover-kinds.ts'
import { removeGroup, resetGroup } from '../groups.ts'
import { save } from '../memory/save.ts'
import { promotableReplicas } from '../selection.ts'
import type { Group, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { log } from '../turn.ts'
import { wrongArity } from './errors.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'
import { MONITOR } from './sentinel-monitor.ts'
import { SET } from './sentinel-set.ts'

const IN_PROGRESS = error('INPROG Failover already in progress')
const NO_GOOD_REPLICA = error('NOGOODSLAVE No suitable replica to promote')
const UNKNOWN_OPTION = error('ERR Unknown failover option specified')
const NO_FAILOVER_COMMAND = error('NOGOODPRIMARY Primary does not support FAILOVER command')
const PRIMARY_DOWN = error('NOGOODPRIMARY Primary is down or out of reach, and cannot hand over')
const PRIMARY_IS_REPLICA = error('NOGOODPRIMARY Primary says that it is a replica')

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

/** An operator's word stands for O_DOWN and election alike; with COORDINATED, only for O_DOWN. */
function failover(turn: Turn, group: Group, argv: readonly string[]): Reply {
  if (argv.length > 4) return wrongArity('sentinel|failover')
  const option = argv[3]?.toLowerCase()
  if (option !== undefined && option !== 'coordinated') return UNKNOWN_OPTION
  const kind = option === undefined ? 'forced' : 'coordinated'
  const refusal = (option && refuseCoordinated(group)) ?? refuseFailover(turn, group, kind)
  if (refusal) return refusal
  log(turn, 'notice', `Executing user requested FAILOVER of '${group.config.name}'`)
  requestFailover(turn, group, kind)
  return OK
}

/** Only a master that works can hand over; that it cannot is said now, not when the time is up. */
function refuseCoordinated({ master }: Group): Reply | undefined {
  if (isSdown(master) || commandLink(master) === undefined) return PRIMARY_DOWN
  if (master.roleReported !== 'master') return PRIMARY_IS_REPLICA
  return master.failoverReported === 'unsupported' ? NO_FAILOVER_COMMAND : undefined
}

function refuseFailover(turn: Turn, group: Group, kind: FailoverKind): Reply | undefined {
  const isCoordinated = kind === 'coordinated'
  const isAtIt = isCoordinated && group.master.failoverReported === 'running'
  if (group.failover !== undefined || isAtIt) return IN_PROGRESS
  const candidates = (isCoordinated ? handoverCandidates : promotableReplicas)(turn, group)
  return candidates.length === 0 ? NO_GOOD_REPLICA : undefined
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
      arity: -3,
      usage: `${NAME} [COORDINATED]`,
      summary:
        'Promote a replica now; coordinated, the master hands over to it, and no write is lost.',
    },
    onGroup(failover),
  ),
  sentinelCommand(
    { name: 'flushconfig', arity: 2, summary: 'Save the state of this Sentinel to disk now.' },
    flushConfig,
  ),
]
