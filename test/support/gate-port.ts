import { type NodePort, SIMULATED_PROCESS } from '../../src/server/port.ts'

/** What stands behind a gate: tells what has left, as `connection:bytes` and `connection:closed`. */
export function gatePort(left: string[]): NodePort {
  return {
    write: (connection, bytes) => void left.push(`${connection}:${bytes}`),
    queuedBytes: () => 100,
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
}
