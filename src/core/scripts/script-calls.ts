/** When scripts are called, and with which arguments. Operators' programs parse them. */

import type { Address } from '../../base/ip.ts'
import type { EventName } from '../event-table.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Turn } from '../state.ts'
import { enqueueScript } from './script-queue.ts'

/**
 * [notification-script] The length to which Redis cuts an event's text, in bytes; here it bounds
 * the queue.
 */
const MAX_PAYLOAD_BYTES = 1_023

/** Tells the operator about an event of level warning. */
export function callNotificationScript(
  turn: Turn,
  group: Group,
  channel: EventName,
  payload: string,
): void {
  const path = group.config.notificationScript
  if (path !== '') enqueueScript(turn, [path, channel, payload.slice(0, MAX_PAYLOAD_BYTES)])
}

/** Which Sentinel calls it: the leader at the promotion, all others when they hear of it. */
export type ReconfigRole = 'leader' | 'observer'

/**
 * Tells the operator's programs where the master is from now on. The leader does not wait for its
 * replicas, and so does not call it again when its failover ends.
 */
export function callReconfigScript(
  turn: Turn,
  group: Group,
  role: ReconfigRole,
  from: Address,
  to: Address,
): void {
  const { name, clientReconfigScript: path } = group.config
  if (path === '') return
  const addresses = [from, to].flatMap(({ host, port }) => [
    shownHost(turn.state, host),
    String(port),
  ])
  // There is no other state than `start`, but scripts count their arguments.
  enqueueScript(turn, [path, name, role, 'start', ...addresses])
}
