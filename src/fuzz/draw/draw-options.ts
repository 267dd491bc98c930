/**
 * Draws what operators configure beside the bare necessities: rules about promotions, zones, hooks, scripts,
 * blocks, how long the dead are remembered, passwords, guards. Each stands in few runs, and most runs have
 * some. `UNDRAWN` says of every other option why no run has it.
 */
import type { Rng } from '../../base/rng.ts'
import type { GlobalSettingKey, GroupOptionKey, MoreOptions } from '../../history/topology.ts'
import type { PlannedGroup, PlannedNode, PlannedTopology } from '../members.ts'
import { between } from '../odds.ts'

export function drawOptions(rng: Rng, hasZones: boolean): MoreOptions {
  return {
    ...some(rng.fork('failover-block'), (own) => ({
      failoverBlockMs: own.pick([2_000, 8_000, 20_000]),
    })),
    ...some(rng.fork('reboot'), (own) => ({ rebootDownAfterMs: own.pick([200, 1_000, 5_000]) })),
    ...some(rng.fork('forget'), (own) => ({ forgetAfterMs: own.pick([40_000, 90_000]) })),
    ...some(rng.fork('scripts'), () => ({
      notificationScript: '/bin/notify',
      clientReconfigScript: '/bin/reconfigure',
    })),
    ...(hasZones
      ? { crossZonePromotion: rng.fork('zones').pick(['yes', 'yes', 'no'] as const) }
      : {}),
  }
}

/**
 * `/bin/true` allows; a program that does not exist fails, and then the failover goes on all the same: nothing that a
 * run waits for may depend on a hook that says no.
 */
export function drawHook(rng: Rng): Pick<PlannedGroup, 'preFailoverHook'> & MoreOptions {
  const hook = rng.chance(1, 6) ? rng.pick(['/bin/true', '/bin/true', '/bin/missing']) : ''
  if (hook === '') return { preFailoverHook: '' }
  return {
    preFailoverHook: hook,
    preFailoverHookTimeoutMs: rng.pick([500, 2_000]),
    preFailoverHookOnError: hook === '/bin/true' ? rng.pick(['proceed', 'refuse']) : 'proceed',
  }
}

/**
 * Rules about single nodes. The first master never is one that must not be promoted: there is always a node that may
 * replace a master.
 */
export function withRules(rng: Rng, nodes: readonly PlannedNode[]): readonly PlannedNode[] {
  if (!rng.chance(1, 4)) return nodes
  return nodes.map((node, index) => {
    const own = rng.fork(node.name)
    if (!own.chance(1, 2)) return node
    const words = index === 0 ? WISHES : [...WISHES, 'must-not' as const]
    return { ...node, promotion: own.pick(words) }
  })
}

const WISHES = ['prefer', 'neutral', 'prefer-not'] as const

/**
 * If a Sentinel may not leave the master's zone, a replica that refuses an emptied master might wait for ever, in
 * another zone.
 */
export function areUnguarded({ crossZonePromotion }: MoreOptions): boolean {
  return crossZonePromotion === 'no'
}

/** What a replica that is never promoted saves from an emptied master, it saves for an operator. */
export function isBarred({ settings, promotion }: PlannedNode): boolean {
  return promotion === 'must-not' || settings['replica-priority'] === 0
}

/** One replica may have no guard against a master that was emptied, and the best priority. */
export function withGuards(rng: Rng, nodes: readonly PlannedNode[]): readonly PlannedNode[] {
  const replicas = nodes.filter(({ replicaOf }) => replicaOf !== undefined)
  if (replicas.length < 2 || !rng.chance(1, 6)) return nodes
  const bare = rng.pick(replicas).name
  return nodes.map((node) => {
    if (node.name !== bare) return node
    const settings = { ...node.settings, 'replica-empty-master-guard': 'no', 'replica-priority': 5 }
    return { ...node, settings }
  })
}

/** Draws a number of replicas that all masters can meet, with bounds from tight to loose. */
export function drawMinReplicas(rng: Rng, nearest: number): PlannedTopology['settings'] {
  if (nearest < 1 || !rng.chance(1, 3)) return {}
  const needed = rng.chance(2, 3) ? 1 : between(rng, 1, nearest)
  return { 'min-replicas-to-write': needed, 'min-replicas-max-lag': between(rng, 1, 5) }
}

export function drawFiles(rng: Rng): PlannedTopology['settings'] {
  if (!rng.chance(1, 3)) return {}
  const policy = rng.fork('policy').pick(['everysec', 'everysec', 'always', 'no'])
  return { appendonly: 'yes', ...(policy === 'everysec' ? {} : { appendfsync: policy }) }
}

export function drawPassword(rng: Rng): string | undefined {
  return rng.chance(1, 8) ? 'drawn-secret' : undefined
}

function some<Values>(rng: Rng, draw: (rng: Rng) => Values): Values | object {
  return rng.chance(1, 6) ? draw(rng.fork('value')) : {}
}

/** Options of a group that no run draws, each with its reason. */
export const UNDRAWN: Partial<Record<GroupOptionKey, string>> = {
  authUser: 'users of data nodes are files of their own: test/net/access and test/core/access',
  authPassAlso: 'passwords change in steps, in an order that matters: test/core/links',
  renamedCommands: 'the nodes would have to rename them too: test/core/links',
  replication: 'strict groups have a profile of their own: vedette fuzz --profile strict',
  voters: 'as replication',
  writeQuorum: 'as replication',
  reads: 'as replication',
  clientAddresses:
    'changes no decision, only what clients from elsewhere are told: test/core/names',
  grayAfterMs: 'a full disk is gray until its next snapshot: test/core/detection and test/net',
}

/** The same for the settings of a Sentinel that concern no group. */
export const UNDRAWN_SETTINGS: Readonly<Record<GlobalSettingKey, string>> = {
  announceIp: 'addresses are those of the hosts; NAT is in test/core/discovery',
  announcePort: 'as announce-ip',
  resolveHostnames:
    'vedette fuzz --profile operators sets it; a resolver that fails and lies: test/core/names',
  announceHostnames: 'checkers know nodes by their addresses: test/core/names',
  sentinelUser: 'Sentinels share the one password that is drawn',
  sentinelPass: 'as sentinel-user',
  logLevel: 'changes no decision',
}
