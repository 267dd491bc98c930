/**
 * The side of a demonstration cluster's member: a process that `vedette up` has started. It ends with
 * its parent and does as it is told about being cut off. Nothing of this exists for a daemon.
 */
import { Gate } from '../io/gate.ts'
import { dieWithParent } from '../io/signals.ts'
import { MEMBERS_VARIABLE, type Order } from './environment.ts'

export interface Membership {
  readonly gate: Gate
}

/** Undefined for a daemon of its own. */
export function joinCluster(): Membership | undefined {
  const members = process.env[MEMBERS_VARIABLE]
  if (members === undefined || process.send === undefined) return undefined
  dieWithParent()
  const addresses = new Set(members.split(','))
  const gate = new Gate((host) => addresses.has(host))
  process.on('message', (order: Order) => (order === 'cut' ? gate.cut() : gate.heal()))
  return { gate }
}
