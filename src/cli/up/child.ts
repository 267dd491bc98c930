/**
 * The side of a demonstration cluster's member: a process that `vedette up` has started. It ends
 * with its parent and obeys the order to cut itself off. In a daemon none of this exists.
 */
import { Gate } from '../../io/network/demo-partition.ts'
import { dieWithParent } from '../../io/process/signals.ts'
import { MEMBERS_VARIABLE, type Order } from './environment.ts'

export interface Membership {
  readonly gate: Gate
}

/** Undefined for a process that `vedette up` did not start. */
export function joinCluster(): Membership | undefined {
  const members = process.env[MEMBERS_VARIABLE]
  if (members === undefined || process.send === undefined) return undefined
  dieWithParent()
  const addresses = new Set(members.split(','))
  const gate = new Gate((host) => addresses.has(host))
  process.on('message', (order: Order) => (order === 'cut' ? gate.cut() : gate.heal()))
  return { gate }
}
