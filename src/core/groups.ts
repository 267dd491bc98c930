/** Adding, removing, resetting and reconfiguring groups, at the start and at run time. */
import type { GroupConfig } from './config.ts'
import { checkDown, checkOdown } from './detection/down.ts'
import { announce } from './events.ts'
import { forgetDataInstances, switchMaster } from './failover/switch.ts'
import { hasOptionValue } from './group-options.ts'
import { createMaster, unwatch, watch } from './instances.ts'
import { reopenLinks } from './links/links.ts'
import { tellAddresses } from './names/told-address.ts'
import { NEVER_PAUSED } from './pause/pause-record.ts'
import type { Group, Turn } from './state.ts'
import { currentMaster, dataInstancesOf, instancesOf } from './state.ts'

/**
 * Starts monitoring. `file` is the group as the user's file has it, undefined if it was made at run
 * time. `configEpoch` is what an earlier run has learnt: `+monitor` says it.
 */
export function addGroup(
  turn: Turn,
  config: GroupConfig,
  file: GroupConfig | undefined,
  configEpoch = 0,
): Group {
  const group = createGroup(turn, config, file)
  group.configEpoch = configEpoch
  turn.state.groups.set(config.name, group)
  watch(turn, group.master)
  announce(turn, '+monitor', group.master, { quorum: config.quorum })
  return group
}

/**
 * Stops monitoring. A group of the user's file stays removed across restarts until the file
 * changes.
 */
export function removeGroup(turn: Turn, group: Group): void {
  announce(turn, '-monitor', group.master)
  for (const instance of instancesOf(group)) unwatch(turn, instance)
  turn.state.timers.clearAll(group)
  turn.state.groups.delete(group.config.name)
  if (group.file !== undefined) turn.state.removed.push(group.file)
}

/**
 * Forgets replicas, peers and any failover, and starts afresh at the same address. Epochs stay. So does a replica that
 * has been promoted: others know it by the same config epoch, and would take the old master from us for the newer one.
 */
export function resetGroup(turn: Turn, group: Group): void {
  const current = currentMaster(group)
  if (current !== group.master) switchMaster(turn, group, current)
  forgetDataInstances(turn, group)
  for (const peer of group.peers.values()) unwatch(turn, peer)
  group.peers.clear()
  group.master = createMaster(group, turn.now.monoMs)
  watch(turn, group.master)
  announce(turn, '+reset-master', group.master)
}

/** Puts changed options into effect: new deadlines at once, new credentials on new connections. */
export function reconfigureGroup(turn: Turn, group: Group, config: GroupConfig): void {
  const before = group.config
  group.config = config
  if (before.authUser !== config.authUser || before.authPass !== config.authPass) {
    for (const { link } of dataInstancesOf(group)) reopenLinks(turn, link)
  } else if (!hasOptionValue(before.authPassAlso, config.authPassAlso)) {
    // One of them may be what a node has been waiting for; the others are left in peace.
    for (const { link } of dataInstancesOf(group)) {
      if (link.authRefusal !== undefined) reopenLinks(turn, link)
    }
  }
  for (const instance of dataInstancesOf(group)) tellAddresses(turn, instance)
  for (const instance of instancesOf(group)) checkDown(turn, instance)
  checkOdown(turn, group)
}

const NO_SLOTS: ReadonlyMap<string, number> = new Map()

function createGroup(turn: Turn, config: GroupConfig, file: GroupConfig | undefined): Group {
  const group = {
    kind: 'group',
    config,
    file,
    deadlines: new Map(),
    replicas: new Map(),
    peers: new Map(),
    configEpoch: 0,
    // If the group was removed, we may have voted in it: SENTINEL MONITOR must not give those votes again.
    leaderEpoch: turn.state.currentEpoch,
    leader: '',
    candidateHost: undefined,
    odownSinceMs: undefined,
    failover: undefined,
    yieldedTo: undefined,
    notBeforeMs: 0,
    renewedAtMs: undefined,
    obstacle: undefined,
    masterRecheck: undefined,
    hook: undefined,
    password: undefined,
    blockedUntilMs: undefined,
    failedAttempts: 0,
    lastSwitch: undefined,
    pause: NEVER_PAUSED,
    isolatedAtMs: undefined,
    electionByHand: undefined,
    slots: NO_SLOTS,
  } satisfies Omit<Group, 'master'>
  // The master's record points back at its group, so one of the two has to come first.
  return Object.assign(group, {
    master: createMaster(group as Group, turn.now.monoMs),
  })
}
