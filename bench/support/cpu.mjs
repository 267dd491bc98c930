/**
 * How much processor time a process has used, in all its threads: rates alone hide that the client is
 * the limit.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const isLinux = process.platform === 'linux'
const TICKS_PER_SECOND = isLinux
  ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  : undefined

/** Milliseconds of processor time since its start; undefined if the system does not tell. */
export function cpuMsOf(pid) {
  if (!isLinux) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // `pid (name) state …`: the name may contain anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]].map(Number)
  return ((user + system) * 1000) / TICKS_PER_SECOND
}
