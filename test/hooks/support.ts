import type { AnnouncedEvent } from '../../src/core/announced-event.ts'

/** The master of a group is agreed to be down. */
export function odown(change: Partial<AnnouncedEvent> = {}): AnnouncedEvent {
  return {
    ...{ name: '+odown', level: 'warning', payload: 'master g\xc3\xa9 10.0.0.1 6379 #quorum 2/2' },
    group: {
      ...{ name: 'g\xc3\xa9', configEpoch: 3, master: { host: '10.0.0.1', port: 6379 } },
      failover: undefined,
    },
    instance: { role: 'master', host: '10.0.0.1', port: 6379, runId: '' },
    ...{ epoch: 4, evidence: 'quorum 2/2', by: 'a'.repeat(40), atMs: Date.UTC(2026, 10, 23) },
    details: { agreeing: 2, needed: 2 },
    ...change,
  }
}
