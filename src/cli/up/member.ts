/** One process of the cluster, and the harm done to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MEMBERS_VARIABLE, type Order } from './environment.ts'
import type { Guard } from './guard.ts'
import type { Place } from './layout.ts'

export type MemberState = 'running' | 'paused' | 'cut off' | 'dead'

export interface MemberOptions {
  readonly program: 'server' | 'sentinel'
  readonly place: Place
  readonly configPath: string
  readonly logPath: string
  /** The addresses from which members connect; each member is told all of them. */
  readonly addresses: readonly string[]
  readonly guard: Guard
  /** Called after every change of `state`. */
  readonly onChange: (member: DemoMember) => void
}

const MAIN = fileURLToPath(new URL('../../launch/vedette.cjs', import.meta.url))
const LOG_TAIL_LINES = 10

export class DemoMember {
  readonly #options: MemberOptions
  #process: ChildProcess | undefined
  #state: MemberState = 'dead'
  #wasKilled = false
  /** It is to start again as soon as the process that was killed has ended. */
  #isWanted = false
  /** How the process last ended: an exit status or a signal. */
  #end = ''

  constructor(options: MemberOptions) {
    this.#options = options
  }

  get program(): 'server' | 'sentinel' {
    return this.#options.program
  }

  get port(): number {
    return this.#options.place.port
  }

  get state(): MemberState {
    return this.#state
  }

  /** Whether we killed the process when it last ended. */
  get wasKilled(): boolean {
    return this.#wasKilled
  }

  start(): void {
    // A process that was killed a moment ago may still hold the port.
    if (this.#process !== undefined) {
      this.#isWanted = true
      return
    }
    this.#wasKilled = false
    const { program, configPath, logPath, addresses, guard } = this.#options
    const log = openSync(logPath, 'a')
    const child = spawn(process.execPath, [MAIN, program, configPath], {
      // A session of its own: Ctrl-C at the terminal reaches us alone, and we end the members in
      // order.
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, [MEMBERS_VARIABLE]: addresses.join(',') },
    })
    closeSync(log)
    this.#process = child
    if (child.pid !== undefined) guard.watch(child.pid)
    child.once('error', (error) => this.#ended(child, error.message))
    child.once('exit', (status, signal) => this.#ended(child, signal ?? `exit status ${status}`))
    this.#become('running')
  }

  /**
   * SIGKILL: the process ends without a goodbye, as in a crash. It counts as dead at once: until the system says so,
   * it would pass for the master that runs, and could be killed again.
   */
  kill(): void {
    this.#wasKilled = true
    this.#isWanted = false
    if (this.#process?.kill('SIGKILL')) this.#become('dead')
  }

  /** SIGSTOP: the process hangs, its connections stay open and silent. */
  pause(): void {
    if (this.#process?.kill('SIGSTOP')) this.#become('paused')
  }

  /** Cuts the process off from the rest of the cluster; plain clients still reach it. */
  cut(): void {
    this.#order('cut')
    this.#become('cut off')
  }

  /** Undoes the harm, whatever it was. */
  bringBack(): void {
    switch (this.#state) {
      case 'dead':
        this.start()
        break
      case 'paused':
        this.#process?.kill('SIGCONT')
        this.#become('running')
        break
      case 'cut off':
        this.#order('heal')
        this.#become('running')
        break
      default:
    }
  }

  /** Ends the process for good; resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // Works on a paused process as well.
    this.kill()
    await ended
  }

  /** How the process ended, in one line. */
  get epitaph(): string {
    return `${this.program} ${this.port} has ended by itself: ${this.#end}; see ${this.#options.logPath}`
  }

  /** The end of the process' log. */
  lastWords(): string {
    const lines = readFileSync(this.#options.logPath, 'utf8').trim().split('\n')
    return lines.slice(-LOG_TAIL_LINES).join('\n')
  }

  #order(order: Order): void {
    // A process that ends just now cannot take the order; its exit is the answer.
    this.#process?.send(order, () => undefined)
  }

  #ended(child: ChildProcess, end: string): void {
    if (child.pid !== undefined) this.#options.guard.release(child.pid)
    if (this.#process !== child) return
    this.#process = undefined
    this.#end = end
    this.#become('dead')
    if (!this.#isWanted) return
    this.#isWanted = false
    this.start()
  }

  #become(state: MemberState): void {
    this.#state = state
    this.#options.onChange(this)
  }
}
