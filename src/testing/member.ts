/**
 * A process of the cluster, as a test sees it: where it listens, and what can be done to it. The programs
 * are those of production, in this process; what surrounds them is ours: clocks that can jump, a network
 * that can be cut, a disk in memory that can be full.
 */
import type { Moment } from '../base/clock.ts'
import type { Surroundings } from '../io/host-environment.ts'
import type { Clock } from '../io/process/clock.ts'
import { DataFiles } from '../sim/processes/data-files.ts'
import type { ClusterClock } from './cluster-clock.ts'
import { LOOPBACK, type MemberDoor, type Switchboard, type TakeConnection } from './switchboard.ts'

/** `running`; `stopped` as by SIGSTOP: its connections stay, nothing is answered; `down`: it is not there. */
export type MemberStatus = 'running' | 'stopped' | 'down'

/** A program in one life of a member. */
export interface MemberProgram {
  readonly take: TakeConnection
  /** As SIGKILL: nothing is written, decided or kept open any more. */
  abandon(): void
  /** As SIGTERM: it ends by itself. */
  stop(): void
}

/** What the members of a cluster have in common. */
export interface MemberPlace {
  readonly name: string
  readonly door: MemberDoor
  readonly switchboard: Switchboard
  readonly clock: ClusterClock
  /** Told of everything a test does to the member, in words. */
  readonly note: (text: string) => void
}

/** How an error of a full disk is called. */
const DISK_FULL = 'ENOSPC'

export abstract class Member {
  readonly name: string
  /** Always 127.0.0.1. */
  readonly host = LOOPBACK
  readonly port: number
  /** Its wall clock and its monotonic clock; both go on by themselves. */
  readonly clock: MemberClock
  protected readonly place: MemberPlace
  #life = 0
  #status: MemberStatus = 'down'
  #program: MemberProgram | undefined
  /** What came while it was stopped, in order. */
  #held: (() => void)[] = []
  #wakeTimer: NodeJS.Timeout | undefined

  constructor(place: MemberPlace) {
    this.place = place
    this.name = place.name
    this.port = place.door.port
    const note = (ms: number) => place.note(`the clock of ${place.name} jumps by ${ms} ms`)
    this.clock = new MemberClock(place.clock, note)
  }

  get status(): MemberStatus {
    return this.#status
  }

  /** `127.0.0.1:PORT`. */
  get address(): string {
    return `${this.host}:${this.port}`
  }

  /** As SIGKILL: its connections break, new ones are refused. Nothing happens if it is down. */
  kill(): void {
    if (this.#status === 'down') return
    this.place.note(`${this.name} is killed`)
    this.halt()
  }

  /** As SIGSTOP: its connections stay, and nothing is answered until `resume`. */
  stop(): void {
    if (this.#status !== 'running') return
    this.place.note(`${this.name} is stopped`)
    this.#status = 'stopped'
  }

  /** As SIGCONT: it goes on where it was, and finds everything that came meanwhile. */
  resume(): void {
    if (this.#status !== 'stopped') return
    this.place.note(`${this.name} goes on`)
    this.#status = 'running'
    clearTimeout(this.#wakeTimer)
    for (const input of this.#held.splice(0)) input()
  }

  /** Stops it for so many milliseconds, as a long garbage collection or a suspended host would. */
  stall(ms: number): void {
    this.stop()
    this.place.note(`${this.name} stalls for ${ms} ms`)
    this.#wakeTimer = setTimeout(() => this.resume(), ms)
  }

  /** Starts it, with what its disk holds; a running one is killed first. */
  restart(): void {
    if (this.#status !== 'down') this.kill()
    this.place.note(`${this.name} is started`)
    this.start()
  }

  /** Kills it and takes its disk away, as when a container comes back without its volume. */
  loseData(): void {
    this.kill()
    this.place.note(`${this.name} loses its disk`)
    this.wipe()
  }

  /** From now on nothing can be written to its disk, until `emptyDisk`. */
  fillDisk(): void {
    this.place.note(`the disk of ${this.name} is full`)
    this.failDisk(DISK_FULL)
  }

  emptyDisk(): void {
    this.place.note(`the disk of ${this.name} has room again`)
    this.failDisk(undefined)
  }

  /** The program of a new life. */
  protected abstract boot(surroundings: Surroundings, life: number): MemberProgram
  protected abstract wipe(): void
  protected abstract failDisk(code: string | undefined): void

  /** Without a note: for the cluster itself. */
  start(): void {
    const life = ++this.#life
    this.#status = 'running'
    this.#program = this.boot(this.#surroundings(life), life)
    this.place.door.take = this.#program.take
  }

  /** Without a note: for the cluster itself. */
  halt(): void {
    this.#life++
    this.#status = 'down'
    this.#held = []
    clearTimeout(this.#wakeTimer)
    this.place.door.take = undefined
    this.#program?.abandon()
    this.#program = undefined
  }

  /** The program has ended by itself. */
  protected ended(life: number): void {
    if (life !== this.#life) return
    this.place.note(`${this.name} has ended`)
    this.halt()
  }

  #surroundings(life: number): Surroundings {
    return {
      clock: this.clock,
      dial: this.place.switchboard.dialFrom(this.name),
      admit: (input) => {
        if (life !== this.#life) return
        if (this.#status === 'stopped') this.#held.push(() => life === this.#life && input())
        else input()
      },
    }
  }
}

/** The clocks of one member: those of the cluster, and how far its wall clock was put on or back. */
export class MemberClock implements Clock {
  readonly #cluster: ClusterClock
  readonly #note: (ms: number) => void
  #aheadMs = 0

  constructor(cluster: ClusterClock, note: (ms: number) => void) {
    this.#cluster = cluster
    this.#note = note
  }

  /** Puts the wall clock on, or back if `ms` is negative, as an administrator or a bad NTP server does. */
  jump(ms: number): void {
    this.#note(ms)
    this.#aheadMs += ms
  }

  read(): Moment {
    const { monoMs, wallMs } = this.#cluster.read()
    return { monoMs, wallMs: wallMs + this.#aheadMs }
  }

  msUntil(monoMs: number): number {
    return monoMs - this.#cluster.nowMs
  }
}

/** The small files of a member, beside the folder of a data node. */
export class MemberDisk {
  readonly data = new DataFiles()
  readonly #files = new Map<string, string>()
  #fault: string | undefined

  read(name: string): string | undefined {
    return this.#files.get(name)
  }

  /** The reason why it failed; undefined: it is saved. */
  save(name: string, bytes: string): string | undefined {
    if (this.#fault !== undefined) return this.#fault
    this.#files.set(name, bytes)
    return undefined
  }

  failWith(code: string | undefined): void {
    this.#fault = code
    this.data.failWith(code === undefined ? undefined : { operation: 'write', code })
  }

  wipe(): void {
    this.#files.clear()
    this.data.wipe()
  }
}
