/** [pidfile] Where scripts look for the process id. It is a convenience: failing to write it stops nothing. */
import { rmSync, writeFileSync } from 'node:fs'
import { systemReason } from './acl-file.ts'

/** Writes it, and removes it when the process ends by itself. Gives the reason when it cannot. */
export function writePidFile(path: string): string | undefined {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch (error) {
    return `Failed to write PID file: ${systemReason(error)}`
  }
  process.once('exit', () => rmSync(path, { force: true }))
  return undefined
}
