/**
 * [daemonize] Node cannot fork, so going to the background is being started once more, in a session of
 * its own. The one that was started first waits until the other listens, so that its exit status tells
 * whether there is a server now; until then the other's complaints are passed on.
 */
import { spawn } from 'node:child_process'

const MARK = 'VEDETTE_BACKGROUND'

/** Whether this process is the one in the background. Its children are not. */
export function takeBackgroundMark(): boolean {
  const isMarked = process.env[MARK] !== undefined && process.send !== undefined
  delete process.env[MARK]
  return isMarked
}

/** Starts this program again. Resolves to the exit status: 0 once the other one is ready. */
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
    // 'close' comes after all its complaints.
    child.once('close', (status) => resolve(status === 0 ? 1 : (status ?? 1)))
  })
}

/** In the background: we listen, the one that waits may go. */
export function tellReady(): void {
  // Nobody reads what we complain about from now on.
  process.stderr.on('error', () => undefined)
  process.send?.('ready', () => {
    if (process.connected) process.disconnect()
  })
}
