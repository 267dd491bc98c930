/**
 * The last switch of each group, for clients that come late. Pub/Sub forgets: whoever subscribes to
 * `+switch-master` a moment after the switch never hears of it. That channel itself stays as it is, because
 * stock clients take whatever comes there for news, and would connect anew to a master they have.
 *
 * Not kept across restarts: a client that finds a Sentinel anew asks it for the address anyway. Kept by
 * SENTINEL RESET, which forgets who is there and not what has happened.
 */
import type { Client } from './client.ts'
import type { Address } from './memory/saved.ts'
import { shownHost } from './names/names.ts'
import type { Group, LastSwitch, State, Turn } from './state.ts'
import { publish, tell } from './subscriptions.ts'

/** Told on it: the last switch of each group to a new subscriber, and every later one to all. */
export const RETAINED_CHANNEL = '+switch-master-retained'

/** `<group> <old-host> <old-port> <new-host> <new-port>`. */
export function switchPayload(state: State, group: Group, from: Address, to: Address): string {
  const [oldHost, newHost] = [from, to].map(({ host }) => shownHost(state, host))
  return `${group.config.name} ${oldHost} ${from.port} ${newHost} ${to.port}`
}

/** Remembers a switch, and tells those who listen for it here. The log has it already. */
export function retainSwitch(turn: Turn, group: Group, from: Address, to: Address): void {
  const { configEpoch } = group
  group.lastSwitch = {
    from: { host: from.host, port: from.port },
    to: { host: to.host, port: to.port },
    configEpoch,
    atMs: turn.now.monoMs,
  }
  publish(turn, RETAINED_CHANNEL, switchPayload(turn.state, group, from, to))
}

/** Tells a new subscriber what it has missed, in the order it happened. */
export function replaySwitches(turn: Turn, client: Client): void {
  const missed = [...turn.state.groups.values()].flatMap((group) =>
    group.lastSwitch === undefined ? [] : [{ group, ...group.lastSwitch }],
  )
  missed.sort((a, b) => a.atMs - b.atMs)
  for (const { group, from, to } of missed) {
    tell(turn, client, RETAINED_CHANNEL, switchPayload(turn.state, group, from, to))
  }
}

/** Whole milliseconds. */
export function switchAgeMs(turn: Turn, { atMs }: LastSwitch): number {
  return Math.floor(turn.now.monoMs - atMs)
}
