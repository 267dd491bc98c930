/**
 * One simulated process: it lives, is stopped, dies and is started again, on one host with one disk
 * and clocks of its own. A program runs in it, a new one at every start, which sees the world only
 * through this shell. A stopped process (SIGSTOP, or an event loop that hangs) takes no input: its
 * kernel keeps it. When the process continues it takes the input as Node does, in one or two turns
 * of its event loop and all at one time of its clocks; inbox.ts says in which order.
 */
import { assert } from '../../base/assert.ts'
import type { Moment } from '../../base/clock.ts'
import type { ProcessStatus } from '../../history/happening.ts'
import type { Host } from '../network/hosts.ts'
import { Inbox } from '../network/inbox.ts'
import type { Network } from '../network/network.ts'
import type { InputSource, Socket, SocketHandler, SocketOwner } from '../network/socket.ts'
import type { Scheduler, Task } from '../scheduler.ts'
import type { Disk } from './disk.ts'
import type { ProcessClock } from './process-clock.ts'
import type { Shell } from './shell.ts'

/** The program in a process. It starts in its constructor and is dropped when the process dies. */
export interface Program {
  wake(): void
  /** Monotonic milliseconds of this process; undefined if nothing is due. */
  nextWakeUpMs(): number | undefined
  /** SIGTERM. */
  stopRequested(): void
}

export interface ProcessStart {
  readonly name: string
  readonly host: Host
  readonly clock: ProcessClock
  readonly disk: Disk
  readonly scheduler: Scheduler
  readonly network: Network
  boot(process: Process): Program
  /** The process has started, ended, been stopped or continued. */
  changed(process: Process, status: ProcessStatus): void
}

export class Process implements SocketOwner, Shell {
  readonly name: string
  readonly host: Host
  readonly clock: ProcessClock
  readonly disk: Disk
  readonly #start: ProcessStart
  #status: ProcessStatus = 'down'
  /** Stopped by SIGSTOP. */
  #isStopped = false
  /** The true time until which its event loop hangs. */
  #hangsUntilMs: number | undefined
  #program: Program | undefined
  /** Input that arrived while the process was stopped. */
  #inbox = new Inbox()
  readonly #sockets = new Set<Socket>()
  readonly #ports = new Set<number>()
  /** Called when this life ends. */
  readonly #releases: Task[] = []
  /**
   * True time of the armed wake-up. An earlier wake-up finds another time here, and does nothing.
   */
  #armedAtMs: number | undefined
  /** How many times the process was started. */
  life = 0
  /** The share of the heap that is said to be in use; undefined: the program does not look at it. */
  #heapShare: number | undefined

  constructor(start: ProcessStart) {
    this.#start = start
    this.name = start.name
    this.host = start.host
    this.clock = start.clock
    this.disk = start.disk
  }

  get status(): ProcessStatus {
    return this.#status
  }

  now(): Moment {
    return this.clock.momentAt(this.#start.scheduler.nowMs)
  }

  start(): void {
    assert(this.#status === 'down', `${this.name} is down before it starts`)
    this.life++
    this.#enter('running')
    const program = this.#start.boot(this)
    // The program may have exited while it started.
    if (this.#isUp()) this.#program = program
    this.#arm()
  }

  /**
   * SIGKILL: what was written still leaves, every connection ends, saves under way stop where they
   * are.
   */
  kill(): void {
    if (this.#status === 'down') return
    for (const socket of [...this.#sockets]) {
      if (!socket.isCarried) socket.close()
    }
    this.disk.crash()
    this.#end()
  }

  /**
   * The process's host loses power, or its address: the process disappears silently, and so does
   * what was not synced.
   */
  losePower(): void {
    this.disk.losePower()
    if (this.#status === 'down') return
    for (const socket of [...this.#sockets]) {
      socket.vanish(() => socket.ends.localHost === this.host.ip)
    }
    this.#end()
  }

  #end(): void {
    this.#program = undefined
    this.#inbox = new Inbox()
    this.#armedAtMs = undefined
    for (const port of this.#ports) this.#start.network.unlisten(this.host, port)
    this.#ports.clear()
    this.#isStopped = false
    this.#hangsUntilMs = undefined
    this.#heapShare = undefined
    for (const release of this.#releases.splice(0)) release()
    this.#enter('down')
  }

  /** The process ends by itself. */
  exit(): void {
    this.kill()
  }

  /** Called once when this life ends, for a program that uses something outside of this world. */
  atEnd(release: Task): void {
    this.#releases.push(release)
  }

  /** SIGSTOP. */
  pause(): void {
    if (this.#status === 'down') return
    this.#isStopped = true
    this.#halt()
  }

  /** SIGCONT. An event loop that hangs goes on hanging. */
  resume(): void {
    this.#isStopped = false
    this.#goOn()
  }

  /**
   * The event loop hangs for this long from now on, or until an earlier hang is over if that takes
   * longer.
   */
  stall(forMs: number): void {
    const untilMs = this.#start.scheduler.nowMs + forMs
    if (this.#status === 'down' || untilMs <= (this.#hangsUntilMs ?? 0)) return
    this.#hangsUntilMs = untilMs
    this.#halt()
    this.#start.scheduler.at(untilMs, () => {
      // A longer hang, or another life, has its own time.
      if (this.#hangsUntilMs !== untilMs) return
      this.#hangsUntilMs = undefined
      this.#goOn()
    })
  }

  #halt(): void {
    if (this.#status === 'running') this.#enter('paused')
  }

  #goOn(): void {
    if (this.#status !== 'paused' || this.#isStopped || this.#hangsUntilMs !== undefined) return
    this.#enter('running')
    const inbox = this.#inbox
    this.#inbox = new Inbox()
    const [first, second] = inbox.looks()
    // An input may kill or stop the process again; the rest then waits, or is lost with it.
    for (const { input, source } of first) this.deliver(input, source)
    this.#ring()
    for (const { input, source } of second) this.deliver(input, source)
    this.#armedAtMs = undefined
    this.#arm()
  }

  /** From now on the process's clocks run at another rate; its wake-up is moved accordingly. */
  drift(rate: number): void {
    this.clock.drift(rate, this.#start.scheduler.nowMs)
    if (this.#status === 'running') this.#arm()
  }

  /** How many connections its kernel holds for it. */
  get sockets(): number {
    return this.#sockets.size
  }

  get heapShare(): number | undefined {
    return this.#heapShare
  }

  /** From now on, in this life, that share of the heap is in use. The program looks at once. */
  useMemory(share: number): void {
    if (this.#status === 'down') return
    this.#heapShare = share
    if (this.#status === 'running') this.#arm()
  }

  /**
   * Resets the process's connections with those addresses. Their other ends are sockets of other
   * processes.
   */
  resetConnections(isMeant: (remoteHost: string) => boolean): void {
    for (const socket of this.#sockets) {
      if (isMeant(socket.ends.remoteHost)) socket.reset()
    }
  }

  /** SIGTERM. */
  requestStop(): void {
    this.deliver(() => this.#program?.stopRequested())
  }

  deliver(input: Task, source?: InputSource): void {
    if (this.#status === 'paused') this.#inbox.put(input, source)
    else if (this.#status === 'running') {
      input()
      this.#arm()
    }
  }

  listen(port: number, accept: (socket: Socket) => SocketHandler): void {
    // The program may have exited while it was made, as one does whose disk fails.
    if (!this.#isUp()) return
    this.#ports.add(port)
    this.#start.network.listen(this.host, port, { owner: this, accept })
  }

  connect(host: string, port: number, timeoutMs: number, handler: SocketHandler): Socket {
    const from = this.host
    return this.#start.network.connect({ from, host, port, timeoutMs, owner: this, handler })
  }

  socketOpened(socket: Socket): void {
    this.#sockets.add(socket)
  }

  socketEnded(socket: Socket): void {
    this.#sockets.delete(socket)
  }

  /** Saves to this process's disk; `done` is an input like any other. */
  save(path: string, bytes: string, done: (failure: string | undefined) => void): void {
    this.disk.save(path, bytes, (failure) => this.deliver(() => done(failure)))
  }

  /** What a name server would answer for a host. */
  addressOf(hostName: string): string | undefined {
    return this.#start.network.addressOf(hostName)
  }

  /**
   * Something outside of the process takes this long; `done` is an input like any other, and is
   * dropped when this life ends.
   */
  after(delayMs: number, done: Task): void {
    const { life } = this
    this.#start.scheduler.after(delayMs, () => {
      if (life === this.life) this.deliver(done)
    })
  }

  #isUp(): boolean {
    return this.#status !== 'down'
  }

  #enter(status: ProcessStatus): void {
    this.#status = status
    this.#start.changed(this, status)
  }

  /**
   * Arms the wake-up. A wake-up that is armed for an earlier moment stays: it checks again when it
   * fires.
   */
  #arm(): void {
    const wakeMs = this.#program?.nextWakeUpMs()
    if (wakeMs === undefined) return
    const dueMs = Math.max(this.clock.trueMsOf(wakeMs), this.#start.scheduler.nowMs)
    if (this.#armedAtMs !== undefined && this.#armedAtMs <= dueMs) return
    this.#armedAtMs = dueMs
    const life = this.life
    this.#start.scheduler.at(dueMs, () => {
      if (life === this.life && this.#armedAtMs === dueMs) this.#ring()
    })
  }

  #ring(): void {
    if (this.#status !== 'running') return
    this.#armedAtMs = undefined
    const wakeMs = this.#program?.nextWakeUpMs()
    if (wakeMs !== undefined && wakeMs <= this.now().monoMs) this.#program?.wake()
    this.#arm()
  }
}
