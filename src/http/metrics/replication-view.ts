/**
 * How far the replicas of a group are behind, as their master said in its last INFO: its own offset and what
 * each replica had acknowledged stand in one text, so both are of one moment. Offsets that the master and a
 * replica report for themselves may be seconds apart, and their difference would be mostly traffic.
 */
import { isSdown, type Master, type Replica } from '../../core/state.ts'
import type { ReplicationFacts } from '../replication-facts.ts'

export interface ReplicationView {
  /** Undefined if it is unknown. */
  readonly masterOffset: number | undefined
  /** Undefined if the master is down, or does not list the replica. */
  lagBytes(replica: Replica): number | undefined
}

export function replicationView(
  master: Master,
  { masterOffset, acknowledged }: ReplicationFacts,
): ReplicationView {
  return {
    masterOffset: masterOffset ?? undefined,
    lagBytes: ({ host, port }) => {
      const reached = acknowledged.get(`${host}:${port}`)
      if (masterOffset === null || reached === undefined || isSdown(master)) return undefined
      return Math.max(0, masterOffset - reached)
    },
  }
}
