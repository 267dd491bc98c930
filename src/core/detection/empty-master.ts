/**
 * Masters that came back without their data. A master that is restarted before any Sentinel calls it down,
 * and finds no file to load, is well by every PING, and in Redis its replicas throw their data away to
 * follow it. Our data nodes do not: a replica that holds more than the new history of its master offers
 * refuses to be emptied, and says so in INFO [replica-empty-master-guard].
 *
 * That is enough to act on, at once: the master is down in the sense that matters, because it has lost the
 * data it exists for. Only the replicas that still have the data can be promoted then, because offsets of
 * different histories cannot be compared. What was written to the empty master meanwhile is lost; so it is
 * demoted as soon as its successor is promoted, and not when the other replicas follow.
 *
 * An operator who empties a master on purpose tells its replicas (CONFIG SET replica-empty-master-guard
 * no).
 */
import { hostAndPort } from '../../base/ip.ts'
import { announce } from '../events.ts'
import { sameAddress } from '../names/names.ts'
import type { Group, Master, Replica, Turn } from '../state.ts'
import { isSdown } from '../state.ts'

/** Called when a replica has reported on its master. */
export function checkEmptied(turn: Turn, group: Group): void {
  const { master } = group
  // One that follows another node offers that one's data: it was demoted, and not emptied.
  const isEmptied = master.roleReported !== 'slave' && witnesses(turn, group).length > 0
  // A witness that has been promoted refuses nothing any more, but the master is no better for
  // that.
  if (!isEmptied && group.failover !== undefined) return
  if (isEmptied === (master.emptiedAtMs !== undefined)) return
  master.emptiedAtMs = isEmptied ? turn.now.monoMs : undefined
  if (isEmptied) announce(turn, '+empty-master', master, { reason: describeEmptied(turn, master) })
  else announce(turn, '-empty-master', master)
}

/** The replicas that still have the data; empty if the master has them, or no replica denies it. */
function witnesses(turn: Turn, { master, replicas }: Group): Replica[] {
  return [...replicas.values()].filter((replica) => {
    const { guard, masterHost, masterPort, roleReported } = replica
    if (guard === undefined || roleReported !== 'slave' || isSdown(replica)) return false
    return sameAddress(turn.state, { host: masterHost, port: masterPort }, master)
  })
}

/** In words, for operators. */
export function describeEmptied(turn: Turn, master: Master): string {
  const held = witnesses(turn, master.group).map(({ host, port, guard }) => {
    const own = `holds ${guard?.ownOffset} bytes of history`
    return `replica ${hostAndPort(host, port)} ${own} and was offered ${guard?.masterOffset}`
  })
  return `came back without its data: ${held.join(', ')}`
}
