/** What a daemon does for its starter once it listens: writes a pid file, and reports that it is ready. */

import { rmSync, writeFileSync } from 'node:fs'
import { systemReason } from '../../io/files/acl-file.ts'
import type { Logger } from '../../io/log/logger.ts'
import { tellReady } from '../../io/process/background.ts'
import { tellStarted } from '../../io/process/once-started.ts'
import { isSupervised, notifySystemd } from '../../io/process/readiness.ts'

export interface Attendance {
  /** [pidfile] Empty for none, except for a daemon in the background. */
  readonly pidFile: string
  /** [supervised] */
  readonly supervised: string
  /** Started by a process that waits until we are ready. */
  readonly isBackground: boolean
  /** [unixsocket] Programs that start a server on a socket alone wait for the line that names it. */
  readonly socket?: string | undefined
}

/** Where Redis puts the pid file of a daemon that was not given one. */
const DEFAULT_PID_FILE = '/var/run/redis.pid'

export function announceReady(attendance: Attendance, logger: Logger): void {
  const { pidFile, supervised, isBackground, socket } = attendance
  if (socket) logger.log('notice', `The server is now ready to accept connections at ${socket}`)
  const path = pidFile || (isBackground ? DEFAULT_PID_FILE : '')
  const fault = path === '' ? undefined : writePidFile(path)
  if (fault !== undefined) logger.log('warning', fault)
  if (isSupervised(supervised)) {
    notifySystemd('--ready', 'Ready to accept connections', (text) => logger.log('warning', text))
  } else if (supervised === 'systemd') {
    logger.log(
      'warning',
      'supervised systemd, but systemd asks for nothing: NOTIFY_SOCKET is not set',
    )
  }
  if (isBackground) tellReady()
  tellStarted()
}

// [pidfile] Where scripts look for the process id. It is a convenience: failing to write it stops nothing.

/** Writes it, and removes it when the process ends by itself. Returns the reason if it cannot. */
function writePidFile(path: string): string | undefined {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch (error) {
    return `Failed to write PID file: ${systemReason(error)}`
  }
  process.once('exit', () => rmSync(path, { force: true }))
  return undefined
}
