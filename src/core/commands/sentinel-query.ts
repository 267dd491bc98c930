/** The SENTINEL subcommands that only look: whom we watch, where the master is, who could be reached. */
import {
  array,
  bulk,
  bulks,
  error,
  integer,
  NULL,
  NULL_ARRAY,
  type Reply,
  simple,
} from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { switchAgeMs } from '../last-switch.ts'
import { shownHost } from '../names/names.ts'
import { majority, usableSentinels, votersOf } from '../quorum.ts'
import { instanceMap } from '../report/instance-map.ts'
import {
  currentMaster,
  type DataInstance,
  dataInstancesOf,
  type Group,
  type Instance,
  type Turn,
} from '../state.ts'
import { pendingScripts } from './pending-scripts.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

function mapsOf(turn: Turn, instances: readonly Instance[]): Reply {
  return array(instances.map((instance) => instanceMap(turn, instance)))
}

function masters(turn: Turn): Reply {
  return mapsOf(
    turn,
    [...turn.state.groups.values()].map((group) => group.master),
  )
}

/** Replicas that do not want to be announced are watched and promotable, but not shown. */
function replicas(turn: Turn, group: Group): Reply {
  return mapsOf(
    turn,
    [...group.replicas.values()].filter((replica) => replica.announced),
  )
}

/** The question every client asks first. An unknown name is no error here, but nothing. */
function masterAddress(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const group = turn.state.groups.get(argv[2] ?? '')
  if (group === undefined) return NULL_ARRAY
  const { host, port } = currentMaster(group)
  return bulks([shownHost(turn.state, host), String(port)])
}

/** Old and new address, config epoch, milliseconds since; null where nothing has changed since our start. */
function lastSwitch(turn: Turn, { lastSwitch: last }: Group): Reply {
  if (last === undefined) return NULL_ARRAY
  const { from, to, configEpoch } = last
  const addresses = [from, to].flatMap(({ host, port }) => [
    bulk(shownHost(turn.state, host)),
    bulk(String(port)),
  ])
  return array([...addresses, integer(configEpoch), integer(switchAgeMs(turn, last))])
}

const NO_QUORUM = 'Not enough available Sentinels to reach the specified quorum for this master'
const NO_MAJORITY = 'Not enough available Sentinels to reach the majority and authorize a failover'

/** Two answers in one: could enough of us agree that the master is down, and could one be elected? */
function checkQuorum(_turn: Turn, group: Group): Reply {
  const usable = usableSentinels(group)
  const lacks = []
  if (usable < group.config.quorum) lacks.push(NO_QUORUM)
  if (usable < majority(votersOf(group))) lacks.push(NO_MAJORITY)
  if (lacks.length > 0) return error(`NOQUORUM ${usable} usable Sentinels. ${lacks.join('. ')}`)
  return simple(`OK ${usable} usable Sentinels. Quorum and failover authorization can be reached`)
}

/** Per group: its name, then for the master and each replica the age and text of its last INFO. */
function infoCache(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const names = new Set(argv.slice(2))
  const groups = [...turn.state.groups.values()].filter(({ config }) => names.has(config.name))
  return array(
    groups.flatMap((group) => [
      bulk(group.config.name),
      array(dataInstancesOf(group).map((instance) => cachedInfo(turn, instance))),
    ]),
  )
}

function cachedInfo(turn: Turn, { infoAtMs, infoText }: DataInstance): Reply {
  if (infoAtMs === undefined) return array([integer(0), NULL])
  return array([integer(turn.now.monoMs - infoAtMs), bulk(infoText)])
}

const NAME = '<master-name>'

export const MASTERS = sentinelCommand(
  { name: 'masters', arity: 2, summary: 'Show all masters.' },
  masters,
)

export const MASTER = sentinelCommand(
  { name: 'master', arity: 3, usage: NAME, summary: 'Show a master.' },
  onGroup((turn, group) => instanceMap(turn, group.master)),
)

export const REPLICAS = sentinelCommand(
  {
    name: 'replicas',
    arity: 3,
    usage: NAME,
    summary: 'Show the replicas of a master.',
    since: '5.0.0',
  },
  onGroup(replicas),
)

export const MASTER_ADDRESS = sentinelCommand(
  {
    name: 'get-master-addr-by-name',
    arity: 3,
    usage: NAME,
    summary: 'Give the address of a master: of the new one as soon as it is promoted.',
  },
  masterAddress,
)

export const OTHER_QUERIES = [
  sentinelCommand(
    { name: 'sentinels', arity: 3, usage: NAME, summary: 'Show the other Sentinels of a master.' },
    onGroup((turn, group) => mapsOf(turn, [...group.peers.values()])),
  ),
  sentinelCommand(
    { name: 'myid', arity: 2, summary: 'Give the id of this Sentinel.', since: '6.2.0' },
    (turn) => bulk(turn.state.myid),
  ),
  sentinelCommand(
    {
      name: 'ckquorum',
      arity: 3,
      usage: NAME,
      summary: 'Check whether a failover could be agreed on and authorized now.',
    },
    onGroup(checkQuorum),
  ),
  sentinelCommand(
    {
      name: 'info-cache',
      arity: -3,
      usage: NAME,
      summary: 'Give the last INFO of a master and its replicas, with its age.',
      since: '3.2.0',
    },
    infoCache,
  ),
  sentinelCommand(
    {
      name: 'last-switch',
      arity: 3,
      usage: NAME,
      summary: 'Give the last change of a master: from where, to where, epoch, milliseconds ago.',
    },
    onGroup(lastSwitch),
  ),
  sentinelCommand(
    { name: 'pending-scripts', arity: 2, summary: 'List scripts that wait or run.' },
    pendingScripts,
  ),
]
