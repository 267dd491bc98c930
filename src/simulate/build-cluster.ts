/**
 * From the user's files and options to the cluster that is simulated, with everything that had to be
 * assumed.
 */

import { type Address, addressText } from '../base/ip.ts'
import { utf8Text } from '../base/utf8.ts'
import { advise } from '../config/check.ts'
import type { SentinelFile } from '../config/sentinel-file.ts'
import { DEFAULT_PERIODS, type GroupConfig } from '../core/config.ts'
import { wordsAbout } from '../core/failover/host-rules.ts'
import { votersIn } from '../core/failover/voters.ts'
import type { SavedGroup } from '../core/persistence/saved.ts'
import { moreOptionsSet, specOptionsOf } from '../history/topology.ts'
import { Boxes, isTelling, placeSentinels, type SentinelPlacement } from './boxes.ts'
import type { ClusterClient, ClusterGroup, ClusterNode, SimulatedCluster } from './cluster.ts'

export interface ClusterStart {
  readonly file: SentinelFile
  /** What the Sentinel has learnt so far, from its state file or a rewritten sentinel.conf. */
  readonly learnt: readonly SavedGroup[]
  /**
   * Directives of redis.conf that differ from the defaults: for the master, the first replica and so
   * on; the last entry is for all other nodes. Empty if no redis.conf was given.
   */
  readonly settings: readonly Readonly<Record<string, string>>[]
  readonly options: ClusterOptions
}

/** Undefined means as the configuration says, or a usual value. */
export interface ClusterOptions {
  readonly sentinels: number | undefined
  readonly replicas: number | undefined
  readonly layout: SentinelPlacement | undefined
  readonly writesPerSecond: number
}

const REPLICAS = 2
const SENTINELS = 3
const CLIENTS_PER_GROUP = 2
/** The form of names in scenario files. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export function buildCluster(start: ClusterStart): SimulatedCluster {
  const { file, options } = start
  const boxes = new Boxes()
  const groups = file.core.groups.map((group, index) => buildGroup(group, index, start, boxes))
  const clients = groups.flatMap((group) => clientsOf(group, groups.length))
  const sentinels = placeSentinels(
    {
      count: countSentinels(start),
      known: knownSentinels(start),
      layout: options.layout,
      nodeBoxes: groups.flatMap((group) => group.nodes.map(({ host }) => host)),
      clientBoxes: clients.map(({ host }) => host),
    },
    boxes,
  )
  return {
    file: file.name,
    groups,
    sentinels,
    clients,
    writesPerSecond: options.writesPerSecond,
    assumptions: assumptionsOf(start),
  }
}

function buildGroup(
  config: GroupConfig,
  index: number,
  start: ClusterStart,
  boxes: Boxes,
): ClusterGroup {
  const replicas = replicasOf(config, start)
  const count = start.options.replicas ?? (replicas.length || REPLICAS)
  const addresses = [masterAddress(config, start), ...replicas].slice(0, count + 1)
  const prefix = start.file.core.groups.length === 1 ? 'n' : `g${index + 1}n`
  const nodes = Array.from({ length: count + 1 }, (_, number): ClusterNode => {
    const address = addresses[number]
    return {
      name: `${prefix}${number + 1}`,
      host: boxes.forAddress(address, 'box'),
      address: address && addressText(address),
      ...(address === undefined
        ? { promotion: undefined, zone: undefined }
        : wordsAbout(config, address)),
      settings: settingsOf(config, address, start.settings[number] ?? start.settings.at(-1) ?? {}),
    }
  })
  const title = utf8Text(config.name)
  const name = isSayable(title, start) ? title : `group${index + 1}`
  return {
    title,
    name,
    ...specOptionsOf(config),
    // A hook that asks a service is asked in vain.
    ...moreOptionsSet(config),
    parallelSyncs: Math.max(1, config.parallelSyncs),
    nodes,
    doubts: doubts(config, start),
  }
}

function masterAddress(config: GroupConfig, start: ClusterStart): Address {
  return learntOf(start, config.name)?.current ?? config
}

/** Those that were met, and voters that were not. */
function replicasOf(config: GroupConfig, start: ClusterStart): readonly Address[] {
  const master = addressText(masterAddress(config, start))
  const told = [...(learntOf(start, config.name)?.replicas ?? []), ...votersIn(config)]
  const byText = new Map(told.map((address) => [addressText(address), address]))
  byText.delete(master)
  return [...byText.values()]
}

/** A node of a strict group that is none of its voters does not replicate synchronously. */
function settingsOf(
  config: GroupConfig,
  address: Address | undefined,
  said: ClusterNode['settings'],
): ClusterNode['settings'] {
  const voters = votersIn(config).map(addressText)
  if (voters.length === 0 || address === undefined) return said
  if (voters.includes(addressText(address))) return said
  return { ...said, 'sync-replication': 'no' }
}

/** What `vedette check` would say about this group if the file said how many Sentinels there are. */
function doubts(group: GroupConfig, start: ClusterStart): ClusterGroup['doubts'] {
  const { file } = start
  const alone = { ...file, core: { ...file.core, groups: [group] } }
  const problems = advise({ ...alone, sentinels: countSentinels(start) })
  return problems.map(({ code, message, hint }) => ({ code, message, hint }))
}

function isSayable(title: string, { file }: ClusterStart): boolean {
  return NAME.test(title) && file.core.groups.every(({ name }) => NAME.test(name))
}

/** Two for each group, on boxes that the applications of all groups share. */
function clientsOf(group: ClusterGroup, groups: number): readonly ClusterClient[] {
  return Array.from({ length: CLIENTS_PER_GROUP }, (_, index) => {
    const suffix = groups === 1 ? '' : `-${group.name}`
    return { name: `app${index + 1}${suffix}`, host: `apps${index + 1}`, group: group.name }
  })
}

function learntOf({ learnt }: ClusterStart, group: string): SavedGroup | undefined {
  return learnt.find(({ current }) => current.name === group)
}

function countSentinels(start: ClusterStart): number {
  const met = knownPeers(start).length
  return start.options.sentinels ?? start.file.sentinels ?? (met > 0 ? met + 1 : SENTINELS)
}

/** From the group that knows the most peers. */
function knownPeers({ learnt }: ClusterStart): readonly Address[] {
  const all = learnt.map(({ peers }) => peers)
  return all.reduce((most, peers) => (peers.length > most.length ? peers : most), [])
}

/** Includes this Sentinel, if it says where it is. */
function knownSentinels(start: ClusterStart): readonly Address[] {
  const { announceIp, port } = start.file.core
  const own = announceIp === '' ? [] : [{ host: announceIp, port }]
  return [...own, ...knownPeers(start)]
}

function assumptionsOf(start: ClusterStart): readonly string[] {
  const { file, options, settings } = start
  const told = file.core.groups.map((group) => replicasOf(group, start).length)
  const hasReplicas = options.replicas !== undefined || told.every((count) => count > 0)
  const hasSentinels =
    (options.sentinels ?? file.sentinels) !== undefined || knownPeers(start).length > 0
  const isPlaced = knownSentinels(start).filter(isTelling).length >= countSentinels(start)
  const hasLayout = options.layout !== undefined || isPlaced
  return [
    ...(hasReplicas ? [] : [`${REPLICAS} replicas a master (--replicas)`]),
    ...(hasSentinels ? [] : [`${SENTINELS} Sentinels (--sentinels)`]),
    ...(hasLayout ? [] : ['Sentinels on the boxes of the nodes (--layout)']),
    ...(settings.length === 0 ? ['redis.conf at its defaults (--server)'] : []),
    ...(hasAsyncVoters(start) ? ['sync-replication yes in the file of every voter'] : []),
    ...(hasUnknownZones(start) ? ['replicas without an address in no zone, under no rule'] : []),
    ...(hasOwnPeriods(file) ? ["the periods of the protocol as usual, not the file's own"] : []),
  ]
}

/** Whether a redis.conf was given that makes no voter of its node. */
function hasAsyncVoters({ file, settings }: ClusterStart): boolean {
  const isStrict = file.core.groups.some(({ replication }) => replication === 'strict')
  return isStrict && settings.some((said) => said['sync-replication'] !== 'yes')
}

/** Whether rules about addresses cannot be applied, because the addresses are unknown. */
function hasUnknownZones(start: ClusterStart): boolean {
  return start.file.core.groups.some((group) => {
    const { zones, promotionRules } = group
    const known = replicasOf(group, start).length
    const count = start.options.replicas ?? (known || REPLICAS)
    return (zones.length > 0 || promotionRules.length > 0) && known < count
  })
}

function hasOwnPeriods({ core }: SentinelFile): boolean {
  return JSON.stringify(core.periods) !== JSON.stringify(DEFAULT_PERIODS)
}
