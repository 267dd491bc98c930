/**
 * The scripts of a Sentinel as processes. They get our environment, our folder and our three standard
 * files, without a shell in between. Their exit counts, not the end of their output: a process that a
 * script leaves running in the background delays nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { constants } from 'node:os'
import { utf8Text } from '../../base/utf8.ts'
import type { Event } from '../../core/event.ts'
import type { JobId } from '../../core/ids.ts'
import { reasonOf } from '../start-error.ts'

/** What the kernel says when it cannot create a process now; a moment later it may. */
const FORK_FAILURES: readonly unknown[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']

export class Scripts {
  readonly #feed: (event: Event) => void
  readonly #children = new Map<JobId, ChildProcess>()
  #isAbandoned = false

  constructor(feed: (event: Event) => void) {
    this.#feed = feed
  }

  /**
   * Runs `argv`, path first. Creating a process takes milliseconds during which nothing else happens,
   * so the other effects of the same decision, such as a question to the peers, leave first.
   */
  run(job: JobId, argv: readonly string[]): void {
    setImmediate(() => {
      if (!this.#isAbandoned) this.#start(job, argv)
    })
  }

  /** Sends SIGKILL. The script's end is reported like any other. */
  kill(job: JobId): void {
    this.#children.get(job)?.kill('SIGKILL')
  }

  /** Running scripts go on unwatched, and no more are started. */
  abandon(): void {
    this.#isAbandoned = true
  }

  #start(job: JobId, argv: readonly string[]): void {
    try {
      this.#watch(job, argv, launch(argv))
    } catch (error) {
      // Some failures arrive as events and some as exceptions.
      this.#failed(job, argv[0] ?? '', error)
    }
  }

  #watch(job: JobId, [path = '']: readonly string[], child: ChildProcess): void {
    const { pid } = child
    child.on('error', (error) => {
      // A running script can only fail to be killed, and then it still runs.
      if (pid === undefined) this.#failed(job, path, error)
    })
    if (pid === undefined) return
    this.#children.set(job, child)
    child.once('exit', (status, signal) => this.#ended(job, status, signal))
    // A running script does not keep this process alive.
    child.unref()
    this.#tell({ kind: 'scriptStarted', job, pid })
  }

  #ended(job: JobId, status: number | null, signal: NodeJS.Signals | null): void {
    this.#children.delete(job)
    const number = signal === null ? 0 : constants.signals[signal]
    this.#tell({ kind: 'scriptEnded', job, status: status ?? 0, signal: number })
  }

  #failed(job: JobId, path: string, error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const failed = FORK_FAILURES.includes(code) ? 'fork' : 'exec'
    this.#tell({ kind: 'scriptNotStarted', job, failed, reason: startReason(path, error) })
  }

  #tell(event: Event): void {
    if (!this.#isAbandoned) this.#feed(event)
  }
}

const MAX_FIRST_LINE_BYTES = 256

/** Why a program did not start. The kernel says ENOENT of a script that is there if its interpreter is not. */
export function startReason(path: string, error: unknown): string {
  const reason = reasonOf(error)
  const interpreter = reason === 'ENOENT' ? interpreterOf(programFile(utf8Text(path))) : undefined
  if (interpreter === undefined) return reason
  const cause = interpreter.endsWith('\r') ? '; its lines end as on Windows, with a CR' : ''
  return `its interpreter, ${interpreter.trimEnd()}, is missing${cause} (${reason})`
}

/** What the first line names behind `#!`; undefined: the file cannot be read, or is no script. */
function interpreterOf(file: string): string | undefined {
  try {
    const start = Buffer.alloc(MAX_FIRST_LINE_BYTES)
    const descriptor = openSync(file, 'r')
    const length = readSync(descriptor, start)
    closeSync(descriptor)
    return /^#![ \t]*([^ \t\n]+)/.exec(start.toString('utf8', 0, length))?.[1]
  } catch {
    return undefined
  }
}

/** A path without a slash means our folder: the PATH is not searched. */
export function programFile(path: string): string {
  return path.includes('/') ? path : `./${path}`
}

/**
 * The words are byte strings and go to the program as UTF-8; bytes that are not valid UTF-8 are read as
 * Latin-1.
 */
function launch(argv: readonly string[]): ChildProcess {
  const [path = '', ...words] = argv.map(utf8Text)
  return spawn(programFile(path), words, { argv0: path, stdio: 'inherit' })
}
