/** What changes of users mean for open connections. */
import type { Account } from '../../acl/users.ts'
import { mayListenTo } from '../../session/subscriptions.ts'
import type { Client } from '../clients/client.ts'
import { hangUp } from '../clients/client-output.ts'
import type { Turn } from '../state.ts'

/** Closes the connections of a user who was deleted, or whose rules a file has changed. */
export function hangUpOn(turn: Turn, account: Account, caller: Client | undefined): void {
  for (const client of clientsOf(turn, account)) leave(turn, client, caller)
}

/** Closes connections with subscriptions that their user no longer has permission for. */
export function hangUpOnListeners(turn: Turn, account: Account, caller: Client): void {
  for (const client of clientsOf(turn, account)) {
    const { channels, patterns } = client
    if (!mayListenTo(account.user, channels, patterns)) leave(turn, client, caller)
  }
}

function clientsOf(turn: Turn, account: Account): readonly Client[] {
  return [...turn.state.clients.values()].filter((client) => client.account === account)
}

/** A user who removes their own permissions still gets the answer. */
function leave(turn: Turn, client: Client, caller: Client | undefined): void {
  client.decoder.isAuthenticated = false
  client.account = turn.state.access.users.default
  if (client === caller) client.isLeaving = true
  else hangUp(turn, client)
}
