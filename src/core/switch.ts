/**
 * The switch: the group gets a new master address, and everything known about the old constellation is
 * forgotten except who the peers are and which epochs were reached. The leader does this at the end of
 * its failover, everybody else on the first hello with a higher config epoch.
 */
import { announceText } from './events.ts'
import { sendHelloToAll } from './hello-send.ts'
import { createMaster, unwatch, watch } from './instances.ts'
import { addReplica } from './replicas.ts'
import { save } from './save.ts'
import type { Address } from './saved.ts'
import type { Group, Turn } from './state.ts'
import { dataInstancesOf } from './state.ts'

/** Replaces the master. The old one becomes a replica to be turned back when it returns. */
export function switchMaster(turn: Turn, group: Group, to: Address): void {
  const { name } = group.config
  const old = replacedBy(group, to)
  const change = `${name} ${old.host} ${old.port} ${to.host} ${to.port}`
  announceText(turn, 'warning', '+switch-master', group, change)
  const remembered = rememberedReplicas(group, to)
  changeAddress(turn, group, to)
  for (const { address, deposed } of remembered) addReplica(turn, group, address).deposed = deposed
  save(turn)
  sendHelloToAll(turn, group)
}

/** Whom clients were told until now: the promoted replica, if it loses its place to the old master. */
function replacedBy({ config, failover }: Group, to: Address): Address {
  const isBack = config.host === to.host && config.port === to.port
  return isBack && failover?.promoted !== undefined ? failover.promoted : config
}

interface Remembered {
  readonly address: Address
  readonly deposed: boolean
}

/** All known data nodes but the new master; the old master comes last. */
function rememberedReplicas(group: Group, to: Address): Remembered[] {
  const { master, replicas } = group
  return [...replicas.values(), master]
    .filter((one) => one.host !== to.host || one.port !== to.port)
    .map((one) => ({
      address: { host: one.host, port: one.port },
      deposed: one.kind === 'master' || one.deposed || one.promoted,
    }))
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
  for (const instance of dataInstancesOf(group)) unwatch(turn, instance)
  group.replicas.clear()
  group.failover = undefined
  group.odownSinceMs = undefined
  group.yieldedTo = undefined
  group.notBeforeMs = 0
  group.obstacle = undefined
  group.failedAttempts = 0
  turn.state.timers.clearAll(group)
  for (const peer of group.peers.values()) {
    peer.masterDown = false
    peer.opinionAtMs = undefined
    peer.vote = undefined
    peer.askPending = false
  }
}
