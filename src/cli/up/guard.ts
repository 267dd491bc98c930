/**
 * The guard outlives a crash of `vedette up`: a tiny shell process that knows the members' process
 * ids and waits at the other end of a pipe. When the pipe ends, for whatever reason, the guard
 * kills all members that still run (also paused processes, which could not end themselves) and
 * removes the temporary folder and the file of the remote control.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** Lines on its input: `+ pid` and `- pid`. `$1` is the folder to remove, or empty; `$2` the file, or empty. */
const SCRIPT = `
trap '' INT TERM HUP
pids=
while read -r verb pid; do
  case $verb in
    +) pids="$pids $pid" ;;
    -) rest=
       for one in $pids; do [ "$one" = "$pid" ] || rest="$rest $one"; done
       pids=$rest ;;
  esac
done
[ -z "$pids" ] || kill -9 $pids
[ -z "$1" ] || rm -rf "$1"
[ -z "$2" ] || rm -f "$2"
`

export class Guard {
  readonly #shell: ChildProcess | undefined
  readonly #folder: string | undefined

  /** `folder` is removed at the end, and `file`; undefined: no folder is. */
  constructor(folder: string | undefined, file = '') {
    this.#folder = folder
    // Without a shell the members still end with their parent, except paused ones.
    if (process.platform === 'win32') return
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'vedette-guard', folder ?? '', file], {
      // A session of its own: Ctrl-C at the terminal must not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // The cluster goes on without a guard that died.
    this.#shell.on('error', () => undefined)
    this.#shell.stdin?.on('error', () => undefined)
  }

  /** From now on the guard kills this process if it outlives `vedette up`. */
  watch(pid: number): void {
    this.#shell?.stdin?.write(`+ ${pid}\n`)
  }

  /** The process has ended; another process may soon have its id. */
  release(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`)
  }

  /** Resolves when everything has been cleaned up. */
  async close(): Promise<void> {
    const shell = this.#shell
    if (shell?.pid === undefined || shell.exitCode !== null) {
      if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
      return
    }
    const ended = new Promise((resolve) => shell.once('exit', resolve))
    shell.stdin?.end()
    await ended
  }
}
