/**
 * Telling an instance whom to follow: one transaction that changes the role, keeps it in the
 * instance's own configuration, and closes its clients' connections, so that they ask a Sentinel
 * again instead of writing to a node that is no master any more. INFO follows in the same pipeline:
 * its reply is the first moment the change can be seen.
 */
import { requestInfo } from './info.ts'
import type { Address } from './saved.ts'
import type { DataInstance, Replica, Turn } from './state.ts'
import { commandLink } from './state.ts'
import { send } from './turn.ts'

/** Sends the transaction; false when there is no connection to send it on. */
export function sendSlaveof(turn: Turn, replica: Replica, master: Address | 'no one'): boolean {
  const connection = commandLink(replica)
  if (connection === undefined) return false
  const target = master === 'no one' ? ['NO', 'ONE'] : [master.host, String(master.port)]
  const transaction = [
    ['MULTI'],
    ['SLAVEOF', ...target],
    ['CONFIG', 'REWRITE'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
    ['EXEC'],
  ]
  for (const argv of transaction) send(turn, connection, { kind: 'slaveof' }, argv)
  requestInfo(turn, replica)
  return true
}

export function follows(replica: Replica, master: Pick<DataInstance, 'host' | 'port'>): boolean {
  return replica.masterHost === master.host && replica.masterPort === master.port
}
