/**
 * [daemonize] Node cannot fork, so a program goes to the background by being started again, in a
 * session of its own. The first process waits until the second one listens, so that its exit status
 * says whether there is a server now; until then it passes the second one's complaints on.
 */
import { spawn } from 'node:child_process'

const MARK = 'VEDETTE_BACKGROUND'

/** Whether this process is the one in the background. Its children are not. */
export function takeBackgroundMark(): boolean {
  const isMarked = process.env[MARK] !== undefined && process.send !== undefined
  delete process.env[MARK]
  return isMarked
}

/** Starts this program again. Resolves to the exit status: 0 once the new process is ready. */
export function goToBackground(stdin: string | undefined): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, [MARK]: '1' },
  })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin, 'latin1')
  child.stderr?.on('data', (chunk) => process.stderr.write(chunk))
  return new Promise((resolve) => {
    child.once('message', () => {
      child.stderr?.destroy()
      child.unref()
      resolve(0)
    })
    child.once('error', () => resolve(1))
    // 'close' comes after all complaints of the process.
    child.once('close', (status) => resolve(status === 0 ? 1 : (status ?? 1)))
  })
}

/** Called in the background: we are listening, so the first process may exit. */
export function tellReady(): void {
  // From now on no process reads our complaints.
  process.stderr.on('error', () => undefined)
  process.send?.('ready', () => {
    if (process.connected) process.disconnect()
  })
}
