/**
 * The SENTINEL subcommands that only read: which instances we watch, where the master is, whether a
 * failover could succeed.
 */
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
import type { Client } from '../clients/client.ts'
import { quorumVerdict } from '../election/quorum.ts'
import { switchAgeMs } from '../failover/last-switch.ts'
import { toldTo } from '../names/told-address.ts'
import { instanceMap, masterMap } from '../report/instance-map.ts'
import type { ScriptJob } from '../scripts/script-job.ts'
import {
  currentMaster,
  type DataInstance,
  dataInstancesOf,
  type Group,
  type Instance,
  type Turn,
} from '../state.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

function mapFor(turn: Turn, client: Client, instance: Instance): Reply {
  return instanceMap(turn, instance, toldTo(turn.state, client, instance.group))
}

function mapsOf(turn: Turn, client: Client, instances: readonly Instance[]): Reply {
  return array(instances.map((instance) => mapFor(turn, client, instance)))
}

function masters(turn: Turn, client: Client): Reply {
  return array([...turn.state.groups.values()].map((group) => masterOf(turn, client, group)))
}

function masterOf(turn: Turn, client: Client, group: Group): Reply {
  return masterMap(turn, group, toldTo(turn.state, client, group))
}

/** Replicas that do not want to be announced are watched and may be promoted, but are not shown. */
function replicas(turn: Turn, group: Group, _argv: readonly string[], client: Client): Reply {
  return mapsOf(
    turn,
    client,
    [...group.replicas.values()].filter((replica) => replica.announced),
  )
}

/**
 * The question that every client asks first. An unknown name gets a null reply and not an error.
 */
function masterAddress(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const group = turn.state.groups.get(argv[2] ?? '')
  if (group === undefined) return NULL_ARRAY
  const { host, port } = toldTo(turn.state, client, group)(currentMaster(group))
  return bulks([host, String(port)])
}

/**
 * Old and new address, config epoch, milliseconds since the switch; null if there was none since
 * our start.
 */
function lastSwitch(turn: Turn, group: Group, _argv: readonly string[], client: Client): Reply {
  const { lastSwitch: last } = group
  if (last === undefined) return NULL_ARRAY
  const { from, to, configEpoch } = last
  const told = toldTo(turn.state, client, group)
  const addresses = [from, to]
    .map(told)
    .flatMap(({ host, port }) => [bulk(host), bulk(String(port))])
  return array([...addresses, integer(configEpoch), integer(switchAgeMs(turn, last))])
}

function checkQuorum({ state }: Turn, group: Group): Reply {
  const { isReachable, text } = quorumVerdict(state, group)
  return isReachable ? simple(text) : error(text)
}

/**
 * For each group its name, then for the master and each replica the age and text of its last INFO.
 */
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
  onGroup((turn, group, _argv, client) => masterOf(turn, client, group)),
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
    onGroup((turn, group, _argv, client) => mapsOf(turn, client, [...group.peers.values()])),
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
      isOurs: true,
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

/** SENTINEL PENDING-SCRIPTS: which scripts wait, which run, and how often each has been tried. */
function pendingScripts(turn: Turn): Reply {
  const jobs = [...turn.state.scripts.jobs.values()]
  return array(jobs.map((job) => describe(job, turn.now.monoMs)))
}

/** Numbers go as bulk strings, as in all maps of a Sentinel. */
function describe({ argv, run, notBeforeMs, executions }: ScriptJob, nowMs: number): Reply {
  const time =
    run === undefined
      ? field('run-delay', Math.max(0, notBeforeMs - nowMs))
      : field('run-time', nowMs - run.sinceMs)
  return {
    kind: 'map',
    entries: [
      [bulk('argv'), bulks(argv)],
      field('flags', run === undefined ? 'scheduled' : 'running'),
      field('pid', run?.pid ?? 0),
      time,
      field('retry-num', executions),
    ],
  }
}

function field(name: string, value: string | number): readonly [Reply, Reply] {
  return [bulk(name), bulk(String(value))]
}
