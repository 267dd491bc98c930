/** What is owed to those who have started a daemon, once it listens: a pid file, and word that it is ready. */
import { tellReady } from '../io/background.ts'
import type { Logger } from '../io/logger.ts'
import { writePidFile } from '../io/pid-file.ts'
import { isSupervised, notifySystemd } from '../io/readiness.ts'

export interface Attendance {
  /** [pidfile] Empty: none, but for a daemon in the background. */
  readonly pidFile: string
  /** [supervised] */
  readonly supervised: string
  /** Started by one that waits for us to be ready. */
  readonly isBackground: boolean
}

/** Where Redis puts the pid file of a daemon that was given none. */
const DEFAULT_PID_FILE = '/var/run/redis.pid'

export function announceReady(attendance: Attendance, logger: Logger): void {
  const { pidFile, supervised, isBackground } = attendance
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
}
