/**
 * Ends what a test could not end, when its own process is over. A signal, Ctrl-C and a test runner that
 * terminates its worker leave no time for handlers. So a small process of its own holds the other end of a
 * pipe: the kernel closes the pipe with the test's process, whatever ended that.
 */
import { type ChildProcess, spawn } from 'node:child_process'

/** `+pid`, `-pid` once it has ended, `/folder` to remove; the end of the input is the end of the test. */
const PROGRAM = `
const { rmSync } = require('node:fs')
const pids = new Set()
const folders = []
let rest = ''
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    if (line[0] === '+') pids.add(Number(line.slice(1)))
    else if (line[0] === '-') pids.delete(Number(line.slice(1)))
    else folders.push(line.slice(1))
  }
})
const end = (pid) => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    pids.delete(pid) // It has ended by itself.
  }
}
const remove = (path) => rmSync(path, { recursive: true, force: true, maxRetries: 5 })
process.stdin.on('end', () => {
  for (const pid of [...pids]) end(pid)
  setTimeout(() => folders.forEach(remove), 200)
})
`

let guardian: ChildProcess | undefined

/** When the test's process ends, this child does, too. */
export function guardChild(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  tell(`+${pid}`)
  child.once('exit', () => tell(`-${pid}`))
}

/** When the test's process ends, this folder is removed, if it is still there. */
export function guardFolder(path: string): void {
  tell(`/${path}`)
}

function tell(line: string): void {
  guardian ??= startGuardian()
  guardian.stdin?.write(`${line}\n`)
}

/** In a group of its own, which the terminal's Ctrl-C does not reach, and nothing that a test waits for. */
function startGuardian(): ChildProcess {
  const started = spawn(process.execPath, ['--eval', PROGRAM], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    // Not what the test runner loads into each process.
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  started.unref()
  const pipe = started.stdin as (typeof started)['stdin'] & { unref?: () => void }
  pipe?.unref?.()
  const again = () => {
    if (guardian === started) guardian = undefined
  }
  // Without it a test goes on as well; the next process gets another one.
  pipe?.on('error', again)
  started.on('error', again)
  started.on('exit', again)
  return started
}
