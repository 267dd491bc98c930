/**
 * One simulated process: it lives, is stopped, dies and is started again, on one host with one disk
 * and clocks of its own. What runs in it is a program, a new one at every start, which sees the world
 * only through this shell. A stopped process (SIGSTOP, or an event loop that hangs) takes no input:
 * its kernel keeps them, and they are all delivered in their order when it goes on.
 */
import { assert } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import type { Disk } from './disk.ts'
import type { Host } from './hosts.ts'
import type { Network } from './network.ts'
import type { ProcessClock } from './process-clock.ts'
import type { Scheduler, Task } from './scheduler.ts'
import type { Shell } from './shell.ts'
import type { Socket, SocketHandler, SocketOwner } from './socket.ts'

export type ProcessStatus = 'down' | 'running' | 'paused'

/** What runs in a process. It starts in its constructor and is dropped when the process dies. */
export interface Program {
  wake(): void
  /** Monotonic milliseconds of this process; undefined when nothing is due. */
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
  /** The process has come up, gone down, been stopped or let go on. */
  changed(process: Process, status: ProcessStatus): void
}

export class Process implements SocketOwner, Shell {
  readonly name: string
  readonly host: Host
  readonly clock: ProcessClock
  readonly disk: Disk
  readonly #start: ProcessStart
  #status: ProcessStatus = 'down'
  /** By SIGSTOP. */
  #isStopped = false
  /** True time until which its event loop hangs. */
  #hangsUntilMs: number | undefined
  #program: Program | undefined
  /** Inputs that arrived while the process was stopped. */
  #inbox: Task[] = []
  readonly #sockets = new Set<Socket>()
  readonly #ports = new Set<number>()
  /** What the end of this life sets free. */
  readonly #releases: Task[] = []
  /** True time of the armed wake-up. Rings of earlier arms find another number here. */
  #armedAtMs: number | undefined
  /** How often the process was started. */
  life = 0

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
    // It may have given up while it started.
    if (this.#isUp()) this.#program = program
    this.#arm()
  }

  /** SIGKILL: what was written still leaves, every connection ends, saves under way stop where they are. */
  kill(): void {
    if (this.#status === 'down') return
    for (const socket of [...this.#sockets]) {
      if (!socket.isCarried) socket.close()
    }
    this.disk.crash()
    this.#end()
  }

  /** Its host loses power, or its address: it is gone without a word, and so is what was not synced. */
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
    this.#inbox = []
    this.#armedAtMs = undefined
    for (const port of this.#ports) this.#start.network.unlisten(this.host, port)
    this.#ports.clear()
    this.#isStopped = false
    this.#hangsUntilMs = undefined
    for (const release of this.#releases.splice(0)) release()
    this.#enter('down')
  }

  /** It ends by itself. */
  exit(): void {
    this.kill()
  }

  /** Called once when this life ends, for a program that holds what is no part of this world. */
  atEnd(release: Task): void {
    this.#releases.push(release)
  }

  /** SIGSTOP. */
  pause(): void {
    if (this.#status === 'down') return
    this.#isStopped = true
    this.#halt()
  }

  /** SIGCONT. It does not help an event loop that hangs. */
  resume(): void {
    this.#isStopped = false
    this.#goOn()
  }

  /** The event loop hangs for so long from now on, or until an earlier hang is over if that takes longer. */
  stall(forMs: number): void {
    const untilMs = this.#start.scheduler.nowMs + forMs
    if (this.#status === 'down' || untilMs <= (this.#hangsUntilMs ?? 0)) return
    this.#hangsUntilMs = untilMs
    this.#halt()
    this.#start.scheduler.at(untilMs, () => {
      // A longer hang, or another life, has a time of its own.
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
    this.#inbox = []
    // An input may kill or stop the process again; what is left then waits, or is lost with it.
    for (const input of inbox) this.deliver(input)
    this.#armedAtMs = undefined
    this.#arm()
  }

  /** Its clocks run at another rate from now on; what it waits for follows. */
  drift(rate: number): void {
    this.clock.drift(rate, this.#start.scheduler.nowMs)
    if (this.#status === 'running') this.#arm()
  }

  /** Resets its connections with those addresses. The other ends are other processes' sockets. */
  resetConnections(isMeant: (remoteHost: string) => boolean): void {
    for (const socket of this.#sockets) {
      if (isMeant(socket.ends.remoteHost)) socket.reset()
    }
  }

  /** SIGTERM. */
  requestStop(): void {
    this.deliver(() => this.#program?.stopRequested())
  }

  deliver(input: Task): void {
    if (this.#status === 'paused') this.#inbox.push(input)
    else if (this.#status === 'running') {
      input()
      this.#arm()
    }
  }

  listen(port: number, accept: (socket: Socket) => SocketHandler): void {
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

  /** What a name server would say of a host. */
  addressOf(hostName: string): string | undefined {
    return this.#start.network.addressOf(hostName)
  }

  /** Something outside of it takes so long; `done` is an input like any other, and of this life. */
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

  /** Arms the wake-up. One that stands for an earlier moment stays: it looks again when it rings. */
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
