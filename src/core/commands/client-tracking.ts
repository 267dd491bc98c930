/**
 * CLIENT TRACKING and its kin. A Sentinel holds no keys, so it never invalidates anything. But
 * clients set caching up before they know which server they talk to, so we check, keep and show
 * what they asked for as Redis does.
 */
import { integer, type Reply } from '../../resp/reply.ts'
import { changeTracking, redirectOf, sayCaching, trackingInfo } from '../../session/tracking.ts'
import type { Client } from '../clients/client.ts'
import type { Turn } from '../state.ts'

export function track({ state }: Turn, client: Client, argv: readonly string[]): Reply {
  return changeTracking(client, argv, (id) => state.clients.has(id))
}

export function caching(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  return sayCaching(client, argv)
}

export function redirection(_turn: Turn, client: Client): Reply {
  return integer(redirectOf(client))
}

export function describeTracking(turn: Turn, client: Client): Reply {
  return trackingInfo(client, isBroken(turn, redirectOf(client)))
}

/** The connection to which invalidations were to go is gone. */
export function isBroken(turn: Turn, redirect: number): boolean {
  return redirect > 0 && !turn.state.clients.has(redirect)
}
