/**
 * [supervised] Telling systemd that we are ready. It listens on a datagram socket, which Node has none of,
 * so its own small program is asked to: the unit needs `NotifyAccess=all`. Nothing depends on it.
 */
import { execFile } from 'node:child_process'
import type { SentinelFile } from '../config/sentinel-file.ts'
import { reasonOf } from './start-error.ts'

const PATIENCE_MS = 5_000

/** Whether somebody waits to be told. */
export function isSupervised(supervised: SentinelFile['supervised'] | string): boolean {
  const isAsked = supervised === 'systemd' || supervised === 'auto'
  return isAsked && (process.env.NOTIFY_SOCKET ?? '') !== ''
}

/** `state` is `--ready`, `--stopping` or `--reloading`; the log hears when it did not work. */
export function notifySystemd(state: string, status: string, log: (text: string) => void): void {
  const args = [state, `--pid=${process.pid}`, `--status=${status}`]
  execFile('systemd-notify', args, { timeout: PATIENCE_MS }, (error) => {
    if (error !== null) log(`systemd was not told (${state.slice(2)}): ${reasonOf(error)}`)
  })
}
