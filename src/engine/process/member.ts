/** One process of a world: started, signalled, and watched for its end, whatever causes it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { assert } from '../../base/assert.ts'
import type { ProcessStatus } from '../../history/happening.ts'
import { emptyFolder } from './disk.ts'

export interface MemberStart {
  readonly name: string
  readonly host: string
  /** The folder with all files of the process. */
  readonly folder: string
  readonly logPath: string
  /** Writes the files that the process needs for its very first start into its empty folder. */
  readonly prepare: () => void
  /** What is run, as seen from the machine; `life` counts its starts. */
  readonly command: (life: number) => readonly string[]
  readonly changed: (member: RunningProcess, status: ProcessStatus) => void
  /** Takes each line of the process's standard output; undefined: that goes to the log. */
  readonly said: ((line: string) => void) | undefined
}

const LAST_WORDS_LINES = 5

export class RunningProcess {
  readonly name: string
  readonly host: string
  readonly folder: string
  readonly #start: MemberStart
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()
  #status: ProcessStatus = 'down'
  #isPrepared = false
  life = 0

  constructor(start: MemberStart) {
    this.#start = start
    this.name = start.name
    this.host = start.host
    this.folder = start.folder
  }

  get status(): ProcessStatus {
    return this.#status
  }

  start(): void {
    assert(this.#status === 'down', `${this.name} is down before it starts`)
    this.#prepareOnce()
    this.life++
    const [command = '', ...argv] = this.#start.command(this.life)
    const log = openSync(this.#start.logPath, 'a')
    const { said } = this.#start
    const child = spawn(command, argv, {
      cwd: this.folder,
      // A session of its own: Ctrl-C at the terminal reaches the runner, which ends the process in
      // order.
      detached: true,
      stdio: ['ignore', said === undefined ? log : 'pipe', log],
    })
    closeSync(log)
    this.#child = child
    this.#ended = this.#watch(child)
    this.#become('running')
  }

  /** The next start begins without any files, as the very first one did. */
  forgetFiles(): void {
    emptyFolder(this.folder)
    this.#isPrepared = false
  }

  /** SIGKILL; resolves when the process is gone and all its output has been read. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  /** SIGTERM: the process ends when it is done. */
  requestStop(): void {
    this.#child?.kill('SIGTERM')
  }

  /** SIGTERM, and SIGKILL if it is still there after so long. */
  async end(limitMs: number): Promise<void> {
    this.resume()
    this.requestStop()
    const limit = setTimeout(() => void this.kill(), limitMs)
    await this.#ended
    clearTimeout(limit)
  }

  /** SIGSTOP. */
  pause(): void {
    if (this.#status === 'running' && this.#child?.kill('SIGSTOP') === true) this.#become('paused')
  }

  /** SIGCONT. */
  resume(): void {
    if (this.#status === 'paused' && this.#child?.kill('SIGCONT') === true) this.#become('running')
  }

  /** The last lines of the process's log. */
  lastWords(): string {
    const lines = readFileSync(this.#start.logPath, 'utf8').trim().split('\n')
    return lines.slice(-LAST_WORDS_LINES).join('\n')
  }

  #prepareOnce(): void {
    if (this.#isPrepared) return
    mkdirSync(this.folder, { recursive: true })
    this.#start.prepare()
    this.#isPrepared = true
  }

  #watch(child: ChildProcess): Promise<void> {
    const { said } = this.#start
    if (child.stdout !== null && said !== undefined) {
      createInterface({ input: child.stdout }).on('line', said)
    }
    return new Promise((resolve) => {
      // A program that could not be started has no end of its own.
      child.once('error', () => resolve(this.#endedNow(child)))
      // A process whose output we read has ended only when all of its output has been read.
      child.once(said === undefined ? 'exit' : 'close', () => resolve(this.#endedNow(child)))
    })
  }

  #endedNow(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#become('down')
  }

  #become(status: ProcessStatus): void {
    this.#status = status
    this.#start.changed(this, status)
  }
}
