/**
 * A process of the cluster: where it listens, and what can be done to it. The programs are those of
 * production; what surrounds them is ours: clocks that can jump, a network that can be cut, a disk that can be
 * full.
 */
import type { Moment } from '../base/clock.ts'
import type { Surroundings } from '../io/host-environment.ts'
import type { Clock } from '../io/process/clock.ts'
import { DataFiles } from '../sim/processes/data-files.ts'
import type { Member, MemberClock, MemberStatus, NodeMember, Partition, Slowness } from './api.ts'
import { checkMs, shown } from './arguments.ts'
import { alreadyStopped, type ClusterClock } from './cluster-clock.ts'
import type { ClusterTls } from './cluster-tls.ts'
import { checkFromMember } from './network.ts'
import type { Managed } from './parts.ts'
import { LOOPBACK, type MemberDoor, type Switchboard, type TakeConnection } from './switchboard.ts'

/** A program in one life of a member. */
export interface MemberProgram {
  readonly take: TakeConnection
  /** As SIGKILL: nothing is written, decided or kept open any more. */
  abandon(): void
}

/** What the members of a cluster have in common. */
export interface MemberPlace {
  readonly name: string
  readonly door: MemberDoor
  readonly switchboard: Switchboard
  readonly clock: ClusterClock
  /** What members may ask of the cluster that they are in; a server alone has no network. */
  readonly cluster: MemberSurroundings
  /** For a member in this process; undefined: its connections are not encrypted. */
  readonly tls?: ClusterTls | undefined
}

export interface MemberSurroundings {
  /** Told of everything a test does to the member, in words. */
  note(text: string): void
  partition(partition: Partition): void
  slow(slowness: Slowness): void
}

/** How an error of a full disk is called. */
const DISK_FULL = 'ENOSPC'

export abstract class HostedMember implements Member, Managed {
  readonly name: string
  readonly host = LOOPBACK
  readonly port: number
  readonly clock: HostedClock
  protected readonly place: MemberPlace
  readonly #startsMs: number[] = []
  #life = 0
  #status: MemberStatus = 'down'
  #program: MemberProgram | undefined
  /** What came while it was stopped, in order. */
  #held: (() => void)[] = []
  #cancelWake: (() => void) | undefined

  constructor(place: MemberPlace) {
    this.place = place
    this.name = place.name
    this.port = place.door.port
    this.clock = new HostedClock(place.clock, (ms) => this.jumped(ms))
  }

  get status(): MemberStatus {
    return this.#status
  }

  get address(): string {
    return `${this.host}:${this.port}`
  }

  get failure(): string | undefined {
    return undefined
  }

  get startsMs(): readonly number[] {
    return this.#startsMs
  }

  kill(): void {
    if (this.#status === 'down') return
    this.note(`${this.name} is killed`)
    this.halt()
  }

  stop(): void {
    if (this.#status !== 'running') return
    this.note(`${this.name} is stopped`)
    this.froze(true)
    this.#status = 'stopped'
  }

  resume(): void {
    if (this.#status !== 'stopped') return
    this.note(`${this.name} goes on`)
    this.froze(false)
    this.#status = 'running'
    this.#cancelWake?.()
    for (const input of this.#held.splice(0)) input()
  }

  stall(ms: number): void {
    checkMs('stall', ms)
    if (this.place.clock.isStopped) throw alreadyStopped()
    if (this.#status === 'down') return
    this.stop()
    this.note(`${this.name} stalls for ${ms} ms`)
    this.#cancelWake = this.place.clock.after(ms, () => this.resume())
  }

  restart(): void {
    if (this.place.clock.isStopped) throw alreadyStopped()
    if (this.#status !== 'down') this.kill()
    this.note(`${this.name} is started`)
    this.start()
  }

  loseData(): void {
    this.kill()
    this.note(`${this.name} loses its disk`)
    this.wipe()
  }

  fillDisk(): void {
    this.note(`the disk of ${this.name} is full`)
    this.failDisk(DISK_FULL)
  }

  emptyDisk(): void {
    this.note(`the disk of ${this.name} has room again`)
    this.failDisk(undefined)
  }

  partition(options: Omit<Partition, 'from'> = {}): void {
    checkFromMember('partition', options)
    this.place.cluster.partition({ from: this, ...options })
  }

  slow(ms: number, options: Omit<Partition, 'from'> = {}): void {
    checkFromMember('slow', options)
    this.place.cluster.slow({ from: this, ms, ...options })
  }

  /** The program of a new life. */
  protected abstract boot(
    surroundings: Surroundings,
    life: number,
    master?: NodeMember,
  ): MemberProgram
  protected abstract wipe(): void
  protected abstract failDisk(code: string | undefined): void

  start(master?: NodeMember): void {
    const life = ++this.#life
    this.#status = 'running'
    this.#startsMs.push(this.place.clock.nowMs)
    this.#program = this.boot(this.#surroundings(life), life, master)
    const { take } = this.#program
    this.place.door.take = this.place.tls?.secured(take) ?? take
  }

  halt(): void {
    this.#life++
    this.#status = 'down'
    this.#held = []
    this.#cancelWake?.()
    this.place.door.take = undefined
    this.#program?.abandon()
    this.#program = undefined
  }

  correctClock(): void {
    this.clock.correct()
  }

  refresh(): Promise<void> {
    return Promise.resolve()
  }

  gone(): Promise<void> {
    return Promise.resolve()
  }

  /** It is stopped, or goes on. */
  protected froze(_isFrozen: boolean): void {
    // What is in this process is not admitted any input.
  }

  protected jumped(ms: number): void {
    this.note(`the clock of ${this.name} jumps by ${ms} ms`)
  }

  protected isLife(life: number): boolean {
    return life === this.#life
  }

  protected note(text: string): void {
    this.place.cluster.note(text)
  }

  /** The program has ended by itself. */
  protected ended(life: number): void {
    if (life !== this.#life) return
    this.note(`${this.name} has ended`)
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

/** As far as a clock of a scenario jumps: ten thousand hours. */
const MOST_JUMP_MS = 36_000_000_000

/** The clocks of one member: those of the cluster, and how far its wall clock was put on or back. */
class HostedClock implements Clock, MemberClock {
  readonly #cluster: ClusterClock
  readonly #note: (ms: number) => void
  #aheadMs = 0

  /** `note` is called before the clock jumps, and throws if it cannot. */
  constructor(cluster: ClusterClock, note: (ms: number) => void) {
    this.#cluster = cluster
    this.#note = note
  }

  jump(ms: number): void {
    if (!(typeof ms === 'number' && Math.abs(ms) <= MOST_JUMP_MS)) {
      const range = `milliseconds up to ${MOST_JUMP_MS}, negative ones for back`
      throw new TypeError(`clock.jump: ${range}, not ${shown(ms)}`)
    }
    if (this.#cluster.isStopped) throw alreadyStopped()
    this.#note(ms)
    this.#aheadMs += ms
  }

  get isWrong(): boolean {
    return this.#aheadMs !== 0
  }

  correct(): void {
    this.#aheadMs = 0
  }

  read(): Moment {
    const { monoMs, wallMs } = this.#cluster.read()
    return { monoMs, wallMs: wallMs + this.#aheadMs }
  }

  msUntil(monoMs: number): number {
    return monoMs - this.#cluster.nowMs
  }

  after(ms: number, fire: () => void): () => void {
    return this.#cluster.after(ms, fire)
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
