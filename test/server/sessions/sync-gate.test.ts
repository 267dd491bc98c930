/** [replication: strict] The gate that waits for voters. What it does with writes and reads is tested with the nodes. */
import { expect, test } from 'vitest'
import { SyncGate, type SyncProgress } from '../../../src/server/sessions/sync-gate.ts'
import { gatePort } from '../../support/gate-port.ts'

function newStage() {
  const left: string[] = []
  const gate = new SyncGate(gatePort(left))
  const reach = (offset: number, confirmedOffset: number, nowMs = 0): void => {
    const progress: SyncProgress = { isGuarding: true, offset, confirmedOffset, nowMs }
    gate.progress = progress
    gate.release()
  }
  return { gate, left, reach }
}

test('an end that waits alone, because the last bytes have left, is not waited for for ever (strict seed 724032)', () => {
  const { gate, left, reach } = newStage()
  reach(10, 5)
  gate.write(1, 'a')
  reach(20, 5)
  gate.close(1)
  reach(20, 10)
  expect([left, gate.waitingSinceMs]).toEqual([['1:a'], 0])
  // Too late for the rest: the connection is cut off.
  for (const connection of gate.overdue(0)) gate.close(connection, true)
  expect(left).toEqual(['1:a', '1:closed'])
  expect(gate.waitingSinceMs).toBeUndefined()
})
