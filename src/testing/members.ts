/**
 * The members of a new cluster: nodes that follow the first one of their group, and Sentinels that know each
 * other and the replicas from the beginning, as after a restart. So nothing has to be discovered before a
 * test can begin.
 */
import { utf8Bytes } from '../base/utf8.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_PERIODS,
  DEFAULT_SENTINEL,
  type GroupConfig,
  type SentinelConfig,
} from '../core/config.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import type { Members, MembersStart } from './members-start.ts'
import { HostedNodeMember } from './node-member.ts'
import { type FullOptions, runIdOf } from './options.ts'
import type { ManagedNode, ManagedSentinel } from './parts.ts'
import { HostedSentinelMember } from './sentinel-member.ts'
import { LOOPBACK, type MemberDoor, type Switchboard } from './switchboard.ts'

/** Sentinels of a test hear of a new replica or a returned node soon. */
const PERIODS = { ...DEFAULT_PERIODS, infoMs: 1_000, helloMs: 500, minLinkReconnectMs: 500 }

/** Opens every door first, since the members name each other's ports. Nothing is started yet. */
export async function createMembers(start: MembersStart): Promise<Members> {
  const { options, switchboard } = start
  const nodeDoors = await openAll(switchboard, nodeNames(options))
  const names = numbered('s', options.sentinels)
  const sentinelDoors = await openAll(switchboard, names)
  if (options.engine !== 'tcp') {
    const { createProcesses } = await import('./process-members.ts')
    return createProcesses(start, { nodes: nodeDoors, sentinels: sentinelDoors })
  }
  const nodes = nodeDoors.map((door, index) => createNode(start, door, index, nodeDoors))
  const groups = options.groups.map((name) => groupConfig(options, name, nodes))
  const peers = sentinelDoors.map(({ name, port }) => {
    return { host: LOOPBACK, port, runId: runIdOf(options, name) }
  })
  const sentinels = sentinelDoors.map((door, index) => {
    const config = sentinelConfig(options, door, groups)
    return createSentinel(start, door, config, {
      myid: peers[index]?.runId ?? '',
      currentEpoch: 0,
      groups: groups.map((group) => ({
        ...{ file: group, current: group, configEpoch: 0, leaderEpoch: 0, leader: '' },
        replicas: nodes
          .filter((node) => node.group === group.name && node.port !== group.port)
          .map(({ host, port }) => ({ host, port })),
        peers: peers.filter(({ port }) => port !== door.port),
      })),
      ...{ removed: [], settings: undefined, users: undefined },
    })
  })
  return { nodes, sentinels }
}

function nodeNames({ groups, replicas }: FullOptions): readonly string[] {
  return numbered('n', groups.length * (1 + replicas))
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
}

function openAll(switchboard: Switchboard, names: readonly string[]): Promise<MemberDoor[]> {
  return Promise.all(names.map((name) => switchboard.open(name)))
}

function createNode(
  { options, switchboard, clock, diary, cluster, tls }: MembersStart,
  door: MemberDoor,
  index: number,
  doors: readonly MemberDoor[],
): ManagedNode {
  const { groups, replicas, seed, password } = options
  const place = index % (1 + replicas)
  const master = doors[index - place] as MemberDoor
  const secrets = password === '' ? {} : { requirepass: password, masterauth: password }
  return new HostedNodeMember({
    ...{ name: door.name, door, switchboard, clock, cluster, seed, tls },
    group: groups[Math.floor(index / (1 + replicas))] as string,
    directives: { ...secrets, ...options.directives },
    users: options.users,
    replicaOf: place === 0 ? undefined : `${LOOPBACK} ${master.port}`,
    log: (member, level, text) => diary.logged(member, level, text),
  })
}

function groupConfig(
  options: FullOptions,
  name: string,
  nodes: readonly ManagedNode[],
): GroupConfig {
  const { quorum, downAfterMs, failoverTimeoutMs, detection, replicas, password } = options
  const master = nodes.find(({ group }) => group === name) as ManagedNode
  return {
    ...DEFAULT_GROUP,
    ...{ name, host: LOOPBACK, port: master.port },
    ...{ quorum, downAfterMs, failoverTimeoutMs, detection },
    parallelSyncs: Math.max(1, replicas),
    authPass: utf8Bytes(password),
  }
}

function sentinelConfig(
  { password }: FullOptions,
  { port }: MemberDoor,
  groups: readonly GroupConfig[],
): SentinelConfig {
  return { ...DEFAULT_SENTINEL, port, requirepass: utf8Bytes(password), groups, periods: PERIODS }
}

function createSentinel(
  { options, switchboard, clock, diary, cluster, tls }: MembersStart,
  door: MemberDoor,
  config: SentinelConfig,
  saved: SavedState,
): ManagedSentinel {
  return new HostedSentinelMember({
    ...{
      name: door.name,
      door,
      switchboard,
      clock,
      cluster,
      tls,
      seed: options.seed,
      config,
      saved,
    },
    log: (member, level, text) => diary.logged(member, level, text),
    onEvent: (member, event) => diary.announced(member, event),
  })
}
