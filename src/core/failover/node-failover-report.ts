/**
 * What data nodes do by themselves: since Redis 6.2 a master can hand its role to a replica, by FAILOVER,
 * and INFO shows its progress. A Sentinel has to know, because such a node holds PUBLISH back like any
 * write, and everything sent after a PUBLISH waits with it, PINGs included.
 */
import { parseInfo } from '../discovery/info-parser.ts'
import { sameAddress } from '../names/names.ts'
import type { Group, Instance, Replica, State, Turn } from '../state.ts'
import { isSdown } from '../state.ts'

/** Whether a hello sent there would be held back, now or before it arrives. */
export function holdsHellos(turn: Turn, instance: Instance): boolean {
  if (instance.kind === 'sentinel') return false
  if (instance.failoverReported === 'running') return true
  if (instance.kind === 'replica') return false
  const { group } = instance
  const { failover } = group
  const isHandingOver = failover?.kind === 'coordinated' || hasHandedOver(turn.state, group)
  if (isHandingOver) return failover === undefined || failover.release === 'due'
  return (
    failover === undefined &&
    expectsHandover(turn, instance.group, 2 * turn.state.config.periods.helloMs)
  )
}

/**
 * We voted for another Sentinel while the master is well: it was told to fail over, and if the failover
 * is coordinated, the master will hold writes back in a moment.
 */
export function expectsHandover(turn: Turn, group: Group, withinMs: number): boolean {
  if (group.yieldedTo === undefined || isSdown(group.master)) return false
  return turn.now.monoMs - group.yieldedTo.atMs < withinMs
}

/** The master has handed over, but the pause for writes that came with the order may still hold. */
function hasHandedOver(state: State, group: Group): boolean {
  return followedByMaster(state, group) !== undefined
}

/**
 * The replica that our master has handed its role to, as both say, although no Sentinel has told
 * us.
 */
export function heirOf(state: State, group: Group): Replica | undefined {
  const heir = followedByMaster(state, group)
  return heir?.roleReported === 'master' ? heir : undefined
}

/** The replica that our master says it follows. */
export function followedByMaster(state: State, { master, replicas }: Group): Replica | undefined {
  if (master.roleReported !== 'slave') return undefined
  const { masterHost, masterPort, masterLinkUp } = parseInfo(master.infoText)
  if (!masterLinkUp) return undefined
  const followed = { host: masterHost, port: masterPort }
  return [...replicas.values()].find((one) => sameAddress(state, one, followed))
}
