/**
 * The switch: the group gets a new master address, and everything known about the old constellation is
 * forgotten except who the peers are and which epochs were reached. The leader does this at the end of
 * its failover, everybody else on the first hello with a higher config epoch.
 */
import { callOffHandover } from './coordinated-commands.ts'
import { announceText } from './events.ts'
import { sendHelloToAll } from './hello-send.ts'
import { createMaster, unwatch, watch } from './instances.ts'
import { retainSwitch, switchPayload } from './last-switch.ts'
import { save } from './memory/save.ts'
import type { Address } from './memory/saved.ts'
import { sameAddress } from './names/names.ts'
import { addReplica } from './replicas.ts'
import type { DataInstance, Group, State, Turn } from './state.ts'
import { dataInstancesOf } from './state.ts'

/** Replaces the master, and says whom. The old one becomes a replica to be turned back when it returns. */
export function switchMaster(turn: Turn, group: Group, to: Address): Address {
  const old = replacedBy(turn.state, group, to)
  const change = switchPayload(turn.state, group, old, to)
  announceText(turn, 'warning', '+switch-master', group, change)
  retainSwitch(turn, group, old, to)
  const remembered = rememberedReplicas(turn.state, group, to)
  changeAddress(turn, group, to)
  for (const { address, deposed } of remembered) addReplica(turn, group, address).deposed = deposed
  save(turn)
  sendHelloToAll(turn, group)
  return old
}

/** Whom clients were told until now: the promoted replica, if it loses its place to the old master. */
function replacedBy(state: State, { config, failover }: Group, to: Address): Address {
  const isBack = sameAddress(state, config, to)
  return isBack && failover?.promoted !== undefined ? failover.promoted : config
}

interface Remembered {
  readonly address: Address
  readonly deposed: string | undefined
}

/** All known data nodes but the new master; the old master comes last. */
function rememberedReplicas(state: State, group: Group, to: Address): Remembered[] {
  const { master, replicas } = group
  return [...replicas.values(), master]
    .filter((one) => !sameAddress(state, one, to))
    .map((one) => ({
      address: { host: one.host, port: one.port },
      deposed: takenFrom(one),
    }))
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

/** Drops the constellation silently: no `-sdown`, no `-odown`, no end of a failover. */
export function forgetDataInstances(turn: Turn, group: Group): void {
  if (group.failover !== undefined) callOffHandover(turn, group, group.failover)
  for (const instance of dataInstancesOf(group)) unwatch(turn, instance)
  group.replicas.clear()
  group.failover = undefined
  group.odownSinceMs = undefined
  group.yieldedTo = undefined
  group.notBeforeMs = 0
  group.obstacle = undefined
  group.secondLook = undefined
  group.failedAttempts = 0
  turn.state.timers.clearAll(group)
  for (const peer of group.peers.values()) {
    peer.masterDown = false
    peer.opinionAtMs = undefined
    peer.vote = undefined
    peer.askPending = false
  }
}
