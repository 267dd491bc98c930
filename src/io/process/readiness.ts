/**
 * [supervised] Tells systemd that we are ready. systemd listens on a datagram socket, which Node does not
 * support, so we run systemd's own small program: the unit needs `NotifyAccess=all`. Nothing depends on
 * it.
 */
import { execFile } from 'node:child_process'
import type { SentinelFile } from '../../config/sentinel-file.ts'
import { reasonOf } from '../start-error.ts'

const PATIENCE_MS = 5_000

/** Whether systemd waits for a notification. */
export function isSupervised(supervised: SentinelFile['supervised'] | string): boolean {
  const isAsked = supervised === 'systemd' || supervised === 'auto'
  return isAsked && (process.env.NOTIFY_SOCKET ?? '') !== ''
}

/** `state` is `--ready`, `--stopping` or `--reloading`; a failure is only logged. */
export function notifySystemd(state: string, status: string, log: (text: string) => void): void {
  const args = [state, `--pid=${process.pid}`, `--status=${status}`]
  execFile('systemd-notify', args, { timeout: PATIENCE_MS }, (error) => {
    if (error !== null) log(`systemd was not told (${state.slice(2)}): ${reasonOf(error)}`)
  })
}
