/**
 * Groups of one master: two names for one deployment, as while clients move from an old name to a new one. A failover
 * of one of them is for all. C Sentinel fails over each by itself: two replicas are promoted, and from then on the
 * groups take them from one another.
 */
import type { Address } from '../../base/ip.ts'
import { groupsByMasterAddress } from '../instances.ts'
import { callReconfigScript, type ReconfigRole } from '../scripts/script-calls.ts'
import type { Group, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { beginBlock, liftBlock, seemsAutomatic } from './flapping.ts'
import { switchMaster } from './switch.ts'
import { isStrict } from './voters.ts'

/**
 * A failover has led `group` from one master to another. The groups that had the same one go with it, if they know of no
 * later failover. Strict groups do not: what is master there, voters decide.
 */
export function takeAlong(
  turn: Turn,
  group: Group,
  from: Address,
  to: Address,
  role: ReconfigRole,
): void {
  if (isStrict(group)) return
  for (const other of groupsByMasterAddress(turn.state, from.host, from.port)) {
    if (other === group || isStrict(other) || other.configEpoch >= group.configEpoch) continue
    const names = [other, group].map(({ config }) => config.name)
    log(turn, 'notice', `${names.join(' goes with ')}: both had one master`)
    other.configEpoch = group.configEpoch
    followSwitch(turn, other, to, role)
  }
}

/** A switch that another leader has made, or this one in the name of another group. Returns the old master. */
export function followSwitch(
  turn: Turn,
  group: Group,
  to: Address,
  role: ReconfigRole,
  isStray = false,
): Address {
  const isAutomatic = seemsAutomatic(turn, group)
  const from = switchMaster(turn, group, to, isStray)
  if (isAutomatic) beginBlock(turn, group)
  else liftBlock(turn, group)
  callReconfigScript(turn, group, role, from, to)
  return from
}
