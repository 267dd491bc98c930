import { readFileSync } from 'node:fs'

const CHECK_MS = 250

/**
 * Ends this process when the shell or the npm that started it is gone. npm passes signals on, but not
 * its own violent end, and there is a shell between npm and us.
 */
export function endWithParents() {
  const family = parents()
  const watch = setInterval(() => {
    if (parents() !== family) process.kill(process.pid, 'SIGTERM')
  }, CHECK_MS)
  watch.unref()
}

/** Our parent and, if the system tells, its parent. */
function parents() {
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined
  return isUnderNpm ? `${process.ppid} ${parentOf(process.ppid)}` : String(process.ppid)
}

function parentOf(pid) {
  if (process.platform !== 'linux') return ''
  try {
    // `pid (name) state ppid …`; the name may contain anything, so count from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  } catch {
    return 'gone'
  }
}
