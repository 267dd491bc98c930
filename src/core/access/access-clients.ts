/** What changes of users mean for the connections that are open. */
import { mayListen } from '../../acl/check.ts'
import type { Account } from '../../acl/users.ts'
import type { Client } from '../client.ts'
import { hangUp } from '../client-output.ts'
import type { Turn } from '../state.ts'

/** Closes the connections of somebody who is no user any more, or is another one than he was. */
export function hangUpOn(turn: Turn, account: Account, caller: Client | undefined): void {
  for (const client of clientsOf(turn, account)) leave(turn, client, caller)
}

/** Closes the connections that listen to what their user may not listen to any more. */
export function hangUpOnListeners(turn: Turn, account: Account, caller: Client): void {
  for (const client of clientsOf(turn, account)) {
    const may =
      [...client.channels].every((name) => mayListen(account.user, name, false)) &&
      [...client.patterns].every((name) => mayListen(account.user, name, true))
    if (!may) leave(turn, client, caller)
  }
}

function clientsOf(turn: Turn, account: Account): readonly Client[] {
  return [...turn.state.clients.values()].filter((client) => client.account === account)
}

/** Whoever takes his own rights away still gets his answer. */
function leave(turn: Turn, client: Client, caller: Client | undefined): void {
  client.isAuthenticated = false
  client.account = turn.state.access.users.default
  if (client === caller) client.isLeaving = true
  else hangUp(turn, client)
}
