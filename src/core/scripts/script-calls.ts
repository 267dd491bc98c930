/** When scripts are called, and with which words. Programs of operators parse them. */

import type { Address } from '../memory/saved.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Turn } from '../state.ts'
import { enqueueScript } from './script-queue.ts'

/** [notification-script] What Redis cuts an event's text to, in bytes; here it bounds the queue. */
const MAX_PAYLOAD_BYTES = 1_023

/** Tells the operator of an event that is worth a warning. */
export function callNotificationScript(
  turn: Turn,
  group: Group,
  channel: string,
  payload: string,
): void {
  const path = group.config.notificationScript
  if (path !== '') enqueueScript(turn, [path, channel, payload.slice(0, MAX_PAYLOAD_BYTES)])
}

/** Who calls it: the leader at the promotion, everybody else on hearing of it. */
export type ReconfigRole = 'leader' | 'observer'

/**
 * Tells the operator's programs where the master is from now on. The leader does not wait for its
 * replicas with this, and so it is not called a second time when its failover ends.
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
