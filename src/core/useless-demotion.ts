/**
 * A master that was replaced because it refuses writes, or because it lost its data, is alive. Few refuse
 * every write: what fits into the last of its memory, or deletes, it goes on to acknowledge; an emptied one
 * takes them all. So it is not left alone until the switch, which waits for the other replicas, like a dead
 * one is. The moment its successor is promoted it is told to follow it, and its clients are sent away.
 *
 * The writes between the promotion and this order, a round trip, are lost all the same. Only a coordinated
 * failover loses none.
 */
import { sendSlaveof } from './slaveof.ts'
import type { Failover, Group, Turn } from './state.ts'

export function demoteUselessMaster(turn: Turn, { master }: Group, failover: Failover): void {
  const { promoted, kind } = failover
  const isUseless = master.gray !== undefined || master.emptiedAtMs !== undefined
  if (!isUseless || promoted === undefined || kind === 'coordinated') return
  sendSlaveof(turn, master, promoted)
}
