import { expect, test } from 'vitest'
import type { AnnouncedEvent } from '../../src/core/announced-event.ts'
import { incidentId } from '../../src/core/incident-id.ts'
import { eventDocument } from '../../src/hooks/event-document.ts'

const MASTER = { host: '10.0.0.1', port: 6379 }
const GROUP = { name: 'mymaster', configEpoch: 7, master: MASTER, failover: undefined }
const EVENT: AnnouncedEvent = {
  ...{ name: '+switch-master', level: 'warning', payload: '', group: GROUP, instance: undefined },
  ...{ epoch: 9, evidence: '', details: {}, by: 'a'.repeat(40), atMs: 0 },
}

test('a failover that has ended is named by its group and the epoch of its configuration', () => {
  // Whoever only follows may have heard of a later epoch by then.
  expect(incidentId(EVENT)).toBe('mymaster-7')
  expect(incidentId({ ...EVENT, name: '+failover-end' })).toBe('mymaster-7')
  expect(eventDocument(EVENT)).toMatchObject({ incident: 'mymaster-7' })
})

test('a failover of which nothing came is named by its own epoch', () => {
  expect(incidentId({ ...EVENT, name: '-failover-abort-not-elected' })).toBe('mymaster-9')
})

test('what ends no failover names no incident', () => {
  expect(incidentId({ ...EVENT, name: '+sdown' })).toBeUndefined()
  expect(eventDocument({ ...EVENT, name: '+odown' })).not.toHaveProperty('incident')
})
