/**
 * The scripts of a Sentinel as processes. They get our environment, our folder and our three standard
 * files, and no shell stands between. Their exit is what counts, not the end of their output: what a
 * script leaves running in the background holds nobody up.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { utf8Text } from '../base/utf8.ts'
import type { Event } from '../core/event.ts'
import type { JobId } from '../core/ids.ts'
import { reasonOf } from './start-error.ts'

/** What the kernel says when it has no process to give; it may have one a moment later. */
const FORK_FAILURES: readonly unknown[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']

export class Scripts {
  readonly #feed: (event: Event) => void
  readonly #children = new Map<JobId, ChildProcess>()
  #isAbandoned = false

  constructor(feed: (event: Event) => void) {
    this.#feed = feed
  }

  /**
   * Runs `argv`, path first. To make a process takes milliseconds during which nothing else is done, so
   * what was decided together with it, a question to the peers for one, goes out first.
   */
  run(job: JobId, argv: readonly string[]): void {
    setImmediate(() => {
      if (!this.#isAbandoned) this.#start(job, argv)
    })
  }

  /** SIGKILL. Its end is told as any other. */
  kill(job: JobId): void {
    this.#children.get(job)?.kill('SIGKILL')
  }

  /** What runs goes on unheard, and nothing more is started. */
  abandon(): void {
    this.#isAbandoned = true
  }

  #start(job: JobId, argv: readonly string[]): void {
    try {
      this.#watch(job, launch(argv))
    } catch (error) {
      // Some failures come as events and some as exceptions.
      this.#failed(job, error)
    }
  }

  #watch(job: JobId, child: ChildProcess): void {
    const { pid } = child
    child.on('error', (error) => {
      // One that runs can only fail to be killed, and then it is still there.
      if (pid === undefined) this.#failed(job, error)
    })
    if (pid === undefined) return
    this.#children.set(job, child)
    child.once('exit', (status, signal) => this.#ended(job, status, signal))
    // Nobody waits for a script when this process has nothing else left to do.
    child.unref()
    this.#tell({ kind: 'scriptStarted', job, pid })
  }

  #ended(job: JobId, status: number | null, signal: NodeJS.Signals | null): void {
    this.#children.delete(job)
    const number = signal === null ? 0 : constants.signals[signal]
    this.#tell({ kind: 'scriptEnded', job, status: status ?? 0, signal: number })
  }

  #failed(job: JobId, error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const failed = FORK_FAILURES.includes(code) ? 'fork' : 'exec'
    this.#tell({ kind: 'scriptNotStarted', job, failed, reason: reasonOf(error) })
  }

  #tell(event: Event): void {
    if (!this.#isAbandoned) this.#feed(event)
  }
}

/**
 * The words are byte strings and go to the program as UTF-8; what is no UTF-8 arrives as Latin-1 would.
 * A path without a slash means our folder: programs are not searched for.
 */
function launch(argv: readonly string[]): ChildProcess {
  const [path = '', ...words] = argv.map(utf8Text)
  const file = path.includes('/') ? path : `./${path}`
  return spawn(file, words, { argv0: path, stdio: 'inherit' })
}
