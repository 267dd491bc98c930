/**
 * The switch: the group gets a new master address, and everything known about the old constellation is
 * forgotten except the peers and the epochs. The leader does this at the end of its failover, every
 * other Sentinel on the first hello with a higher config epoch.
 */

import { type Address, hostAndPort } from '../../base/ip.ts'
import { sendHelloToAll } from '../discovery/hello-send.ts'
import { addReplica, REPLICAS_MAX } from '../discovery/replicas.ts'
import { announce } from '../events.ts'
import { createMaster, unwatch, watch } from '../instances.ts'
import { sameAddress } from '../names/names.ts'
import { armPause } from '../pause/pause.ts'
import { save } from '../persistence/save.ts'
import type { DataInstance, Group, State, Turn } from '../state.ts'
import { dataInstancesOf } from '../state.ts'
import { log } from '../turn.ts'
import { callOffHandover } from './coordinated-commands.ts'
import { retainSwitch, switchWordsInside } from './last-switch.ts'

/**
 * Replaces the master, and returns the old one. That becomes a replica, to be turned back when it returns; one that is
 * `stray` is left alone, because it would lose its data.
 */
export function switchMaster(turn: Turn, group: Group, to: Address, isStray = false): Address {
  const old = replacedBy(turn.state, group, to)
  // Clients and proxies act on the event: what it says must have survived a crash by then.
  save(turn)
  announce(turn, '+switch-master', group, switchWordsInside(turn, group, old, to))
  retainSwitch(turn, group, old, to)
  const remembered = rememberedReplicas(turn.state, group, to, isStray)
  if (isStray) leaveAlone(turn, group, old)
  changeAddress(turn, group, to)
  for (const { address, deposed } of remembered) addReplica(turn, group, address).deposed = deposed
  sendHelloToAll(turn, group)
  return old
}

/**
 * The master that clients were told until now: the promoted replica, if it loses its place to the old
 * master.
 */
function replacedBy(state: State, { config, failover }: Group, to: Address): Address {
  const isBack = sameAddress(state, config, to)
  return isBack && failover?.promoted !== undefined ? failover.promoted : config
}

function leaveAlone(turn: Turn, { config }: Group, { host, port }: Address): void {
  const address = hostAndPort(host, port)
  log(turn, 'warning', `${config.name}: ${address} is left as it is: only our file names it`)
}

interface Remembered {
  readonly address: Address
  readonly deposed: string | undefined
}

/**
 * All known data nodes except the new master; the old master comes last. If there are too many, those that
 * have never answered are left out, the newest first: each hello can name another new master.
 */
function rememberedReplicas(
  state: State,
  group: Group,
  to: Address,
  isStray: boolean,
): Remembered[] {
  const { master, replicas } = group
  const known = [...replicas.values(), ...(isStray ? [] : [master])]
  const others = known.filter((one) => !sameAddress(state, one, to))
  const places = REPLICAS_MAX - others.filter(isProven).length
  let unproven = 0
  return others
    .filter((one) => isProven(one) || ++unproven <= places)
    .map((one) => ({
      address: { host: one.host, port: one.port },
      deposed: takenFrom(one),
    }))
}

function isProven({ infoAtMs }: DataInstance): boolean {
  return infoAtMs !== undefined
}

/** The claim to be the master that a switch takes from a node, see `Replica.deposed`. */
function takenFrom(one: DataInstance): string | undefined {
  if (one.kind === 'replica' && !one.promoted) return one.deposed
  return one.roleReported === 'master' ? one.replid : ''
}

/** A group whose master is at a new address, with nothing else known about it yet. */
function changeAddress(turn: Turn, group: Group, to: Address): void {
  forgetDataInstances(turn, group)
  group.config = { ...group.config, host: to.host, port: to.port }
  group.master = createMaster(group, turn.now.monoMs)
  watch(turn, group.master)
}

/** Drops all data nodes silently: without `-sdown`, `-odown`, or the end of a failover. */
export function forgetDataInstances(turn: Turn, group: Group): void {
  if (group.failover !== undefined) callOffHandover(turn, group, group.failover)
  for (const instance of dataInstancesOf(group)) unwatch(turn, instance)
  group.replicas.clear()
  group.failover = undefined
  group.odownSinceMs = undefined
  group.yieldedTo = undefined
  group.notBeforeMs = 0
  group.obstacle = undefined
  group.masterRecheck = undefined
  group.hook = undefined
  group.failedAttempts = 0
  turn.state.timers.clearAll(group)
  armPause(turn, group)
  for (const peer of group.peers.values()) {
    peer.masterDown = false
    peer.opinionAtMs = undefined
    peer.vote = undefined
    peer.askPending = false
  }
}
