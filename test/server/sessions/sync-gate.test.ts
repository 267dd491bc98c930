/** [replication: strict] The gate that waits for voters. What it does with writes and reads is tested with the nodes. */
import { expect, test } from 'vitest'
import { type NodePort, SIMULATED_PROCESS } from '../../../src/server/port.ts'
import { SyncGate, type SyncProgress } from '../../../src/server/sessions/sync-gate.ts'

function newStage() {
  const left: string[] = []
  const port: NodePort = {
    write: (connection, bytes) => void left.push(`${connection}:${bytes}`),
    queuedBytes: () => 0,
    close: (connection) => void left.push(`${connection}:closed`),
    connect: () => undefined,
    saveSettings: () => undefined,
    askFile: () => ({ kind: 'done' }),
    appendNow: () => undefined,
    ready: () => undefined,
    processFacts: () => SIMULATED_PROCESS,
    log: () => undefined,
    exit: (status) => void left.push(`exit ${status}`),
  }
  const gate = new SyncGate(port)
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
