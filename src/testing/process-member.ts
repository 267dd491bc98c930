/**
 * A member that is a process of its own: our programs, or redis-server and redis-sentinel. It listens on a loopback
 * address of its own, behind the member's door, and connects to others from there: so the door knows which member connects, and
 * everything takes the ways that a test can cut. Signals stop and end it; what is known of it, it is asked.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Surroundings } from '../io/host-environment.ts'
import { HostedMember, type MemberPlace, type MemberProgram } from './member.ts'
import { guardChild } from './process-guard.ts'
import { type NodeLogin, Wire } from './wire.ts'

export interface ProcessMemberStart extends MemberPlace {
  /** The program and its arguments, to which the path of the configuration is added. */
  readonly command: readonly string[]
  /** The text of redis.conf or sentinel.conf, for a life that finds none. */
  readonly conf: (folder: string) => string
  /** What the program has made of that text in an earlier life, readable again; both are byte strings. */
  readonly mended?: (text: string) => string
  /** A folder of the member's own, which is not there yet. */
  readonly folder: string
  readonly address: string
  readonly login: Omit<NodeLogin, 'host' | 'port'>
  readonly log: (member: string, level: string, text: string) => void
}

/** What a process does not answer within this time is not known. */
const ANSWER_WITHIN_MS = 250
const CONNECT_AGAIN_MS = 10
const CONF = 'member.conf'
/** Redis' own programs say in four lines which line of their file is wrong. */
const LAST_LINES = 6

export abstract class ProcessMember extends HostedMember {
  readonly #start: ProcessMemberStart
  #child: ChildProcess | undefined
  #wire: Wire | undefined
  #words = ''
  /** What it said last in this life. */
  #last: string[] = []
  #hasAnswered = false
  #failure: string | undefined
  /** What has to happen one after the other: a process ends before the next one takes its folder. */
  #turns: Promise<void> = Promise.resolve()

  constructor(start: ProcessMemberStart) {
    super(start)
    this.#start = start
  }

  override get failure(): string | undefined {
    return this.#failure
  }

  override fillDisk(): void {
    throw new Error(
      `${this.name}: the disk of a process of its own cannot be filled without root; engine 'tcp' can`,
    )
  }

  override emptyDisk(): void {
    // It was never full.
  }

  override async gone(): Promise<void> {
    this.#wire?.close()
    await this.#turns
    rmSync(this.#start.folder, { recursive: true, force: true })
  }

  protected override jumped(): never {
    throw new Error(
      `${this.name}: the clock of a process of its own is the machine's; engine 'tcp' has clocks that jump`,
    )
  }

  protected override failDisk(): void {
    // See fillDisk.
  }

  protected override froze(isFrozen: boolean): void {
    if (process.platform === 'win32')
      throw new Error('Windows cannot stop a process; engine tcp can')
    this.#child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  protected override wipe(): void {
    this.#inTurn(() => rmSync(this.#start.folder, { recursive: true, force: true }))
  }

  protected override boot(_surroundings: Surroundings, life: number): MemberProgram {
    this.#last = []
    this.#hasAnswered = false
    this.#failure = undefined
    this.#inTurn(() => this.#spawn(life))
    return {
      take: (socket) => this.#take(socket),
      abandon: () => {
        this.#wire?.close()
        this.#wire = undefined
        // A process that is starting just now is ended as soon as it has started.
        this.#inTurn(() => this.#end())
      },
    }
  }

  /** Asks the process itself, past every partition. Rejects if it does not answer soon. */
  protected async ask(...argv: readonly string[]) {
    const { address, login } = this.#start
    if (this.#wire?.isOpen !== true) {
      this.#wire = new Wire({ host: address, port: this.port, ...login })
    }
    const wire = this.#wire
    const cancel = this.place.clock.after(ANSWER_WITHIN_MS, () => wire.close())
    try {
      const reply = await wire.send(...argv)
      this.#hasAnswered = true
      return reply
    } finally {
      cancel()
    }
  }

  /** A connection of its own to the process, once it listens; undefined if its life is over before. */
  protected async connected(life: number): Promise<Wire | undefined> {
    const { address, login } = this.#start
    while (this.isLife(life)) {
      const wire = new Wire({ host: address, port: this.port, ...login })
      try {
        await wire.send('PING')
        return wire
      } catch {
        // A clock that was stopped with the cluster lets no time pass any more.
        if (this.isLife(life)) await this.place.clock.pass(CONNECT_AGAIN_MS)
      }
    }
    return undefined
  }

  #inTurn(act: () => void | Promise<void>): void {
    this.#turns = this.#turns.then(act)
  }

  #spawn(life: number): void {
    if (!this.isLife(life)) return
    const { folder, conf, command, mended = (text) => text } = this.#start
    const path = join(folder, CONF)
    mkdirSync(folder, { recursive: true })
    // Redis' own programs rewrite their file: what they have learnt is kept.
    if (!existsSync(path)) writeFileSync(path, conf(folder))
    else writeFileSync(path, mended(readFileSync(path, 'latin1')), 'latin1')
    const [program = '', ...args] = command
    const child = spawn(program, [...args, path], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => this.#said(`${text}`))
    child.once('error', ({ message }) => {
      this.#said(`${message}\n`)
      this.#failed(life, 'cannot be run')
    })
    child.once('exit', (status, signal) => {
      if (this.#hasAnswered) return this.ended(life)
      // Its last lines may still be on their way.
      child.once('close', () => this.#failed(life, `exit status ${status ?? signal}`))
    })
    guardChild(child)
    this.#child = child
  }

  /** It has ended before anybody heard of it. */
  #failed(life: number, how: string): void {
    if (!this.isLife(life)) return
    if (this.#words !== '') this.#said('\n')
    const last = this.#last.map((line) => `\n  ${line}`).join('')
    this.#failure = `${this.name} could not start (${how}). It said last:${last}`
    this.ended(life)
  }

  #end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return Promise.resolve()
    return new Promise((resolve) => {
      child.once('close', () => resolve())
      child.kill('SIGKILL')
    })
  }

  #said(text: string): void {
    const lines = (this.#words + text).split('\n')
    this.#words = lines.pop() ?? ''
    for (const line of lines) this.#start.log(this.name, 'notice', line)
    const spoken = lines.filter((line) => line.trim() !== '')
    this.#last = [...this.#last, ...spoken].slice(-LAST_LINES)
  }

  /** From the door to the process and back. */
  #take(outer: Socket): void {
    const inner = connect({ host: this.#start.address, port: this.port })
    this.place.switchboard.keep(inner)
    inner.setNoDelay(true)
    inner.on('error', () => undefined)
    outer.on('error', () => undefined)
    outer.pipe(inner)
    inner.pipe(outer)
    inner.once('close', () => outer.destroy())
    outer.once('close', () => inner.destroy())
  }
}
