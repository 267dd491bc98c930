/**
 * The last switch of each group, for clients that come late. Pub/Sub forgets: a client that subscribes to
 * `+switch-master` a moment after the switch never hears of it. That channel itself stays as it is, because
 * stock clients take every message there as news, and would reconnect to a master they already have.
 *
 * Not kept across restarts: a client that reconnects to a Sentinel asks it for the address anyway. SENTINEL
 * RESET keeps it, because that forgets which instances there are and not what has happened.
 */

import type { Address } from '../../base/ip.ts'
import type { Client } from '../clients/client.ts'
import { tell } from '../clients/subscriptions.ts'
import { eventText } from '../event-words.ts'
import { announce } from '../events.ts'
import { toldInside, toldTo } from '../names/told-address.ts'
import type { Group, Turn } from '../state.ts'
import type { LastSwitch } from './failover-kinds.ts'

/** Sends the last switch of each group to a new subscriber, and every later one to all. */
export const RETAINED_CHANNEL = '+switch-master-retained'

function switchWords({ config }: Group, from: Address, to: Address) {
  const old = { oldHost: from.host, oldPort: from.port }
  return { group: config.name, ...old, newHost: to.host, newPort: to.port }
}

/** The words of a switch for the log and for all who are told addresses as they are inside. */
export function switchWordsInside({ state }: Turn, group: Group, from: Address, to: Address) {
  const told = toldInside(state)
  return switchWords(group, told(from), told(to))
}

/**
 * Remembers a switch, and sends it to subscribers of the retained channel. It is in the log
 * already.
 */
export function retainSwitch(turn: Turn, group: Group, from: Address, to: Address): void {
  const { configEpoch } = group
  group.lastSwitch = {
    from: { host: from.host, port: from.port },
    to: { host: to.host, port: to.port },
    configEpoch,
    atMs: turn.now.monoMs,
  }
  announce(turn, RETAINED_CHANNEL, group, switchWordsInside(turn, group, from, to))
}

/** Sends a new subscriber what it has missed, in the order in which it happened. */
export function replaySwitches(turn: Turn, client: Client): void {
  const missed = [...turn.state.groups.values()].flatMap((group) =>
    group.lastSwitch === undefined ? [] : [{ group, ...group.lastSwitch }],
  )
  missed.sort((a, b) => a.atMs - b.atMs)
  for (const { group, from, to } of missed) {
    const told = toldTo(turn.state, client, group)
    const words = switchWords(group, told(from), told(to))
    tell(turn, client, RETAINED_CHANNEL, eventText(RETAINED_CHANNEL, words))
  }
}

/** In whole milliseconds. */
export function switchAgeMs(turn: Turn, { atMs }: LastSwitch): number {
  return Math.floor(turn.now.monoMs - atMs)
}
