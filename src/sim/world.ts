/**
 * A whole cluster on virtual time. One seed decides everything that is left to chance: the same
 * topology, seed and actions give the same run, byte for byte, on any machine.
 */
import { assert, unreachable } from '../base/assert.ts'
import { createRng, type Rng } from '../base/rng.ts'
import type { Reply } from '../resp/reply.ts'
import { type Action, describeAction } from './action.ts'
import { createCheckers } from './checkers/checkers.ts'
import { Disk } from './disk.ts'
import type { Address, Happening } from './happening.ts'
import { Network } from './network.ts'
import type { Answered } from './observer-program.ts'
import { Process, type ProcessStatus } from './process.ts'
import { ProcessClock } from './process-clock.ts'
import { Programs } from './programs.ts'
import { Reachability } from './reachability.ts'
import { Recorder } from './recorder.ts'
import { Scheduler } from './scheduler.ts'
import type { Topology } from './topology.ts'
import { type Read, type Write, WriteLog } from './write-log.ts'

/** No process or host of a scenario can have this name. */
const OBSERVER = '*observer*'
/** Processes come up within this time, so that what they do once a second falls on any moment of it. */
const START_SPREAD_MS = 1_000
const SAVE_LATENCY = { minMs: 1, maxMs: 8 }

export class SimWorld {
  readonly topology: Topology
  readonly #rng: Rng
  readonly #scheduler = new Scheduler()
  readonly #reachability = new Reachability([OBSERVER])
  readonly #network: Network
  readonly #recorder: Recorder
  readonly #log: WriteLog
  readonly #programs: Programs
  readonly #processes = new Map<string, Process>()
  /** Those whose first start is still to come. */
  readonly #unborn = new Set<Process>()
  readonly #addresses = new Map<string, Address>()
  readonly #names = new Map<string, string>()

  constructor(topology: Topology, seed: string) {
    this.topology = topology
    this.#rng = createRng(seed)
    this.#network = new Network({
      scheduler: this.#scheduler,
      reachability: this.#reachability,
      latency: topology.latency,
      rng: this.#rng.fork('network'),
    })
    this.#recorder = new Recorder(() => this.nowMs, createCheckers())
    this.#log = new WriteLog({
      nowMs: () => this.nowMs,
      nameOf: (address) => this.nameOf(address),
      isWithMajority: (node) => this.#isWithMajority(node),
    })
    this.#giveAddresses()
    this.#programs = new Programs({
      topology,
      rng: this.#rng,
      addresses: this.#addresses,
      recorder: this.#recorder,
      log: this.#log,
    })
    this.#startAll()
  }

  get nowMs(): number {
    return this.#scheduler.nowMs
  }

  get happenings(): readonly Happening[] {
    return this.#recorder.happenings
  }

  get writes(): readonly Write[] {
    return this.#log.writes
  }

  get reads(): readonly Read[] {
    return this.#log.reads
  }

  /** Goes on until `atMs`, or until right after the first happening that `isMet` wants. Gives the time. */
  runUntil(atMs: number, isMet?: (happening: Happening) => boolean): number {
    this.#recorder.watch(isMet, () => this.#scheduler.stop())
    this.#scheduler.runUntil(atMs)
    this.#recorder.watch(undefined, () => {})
    return this.nowMs
  }

  /** The name of the process at an address, or the address itself when nobody of ours is there. */
  nameOf(address: Address): string {
    const text = `${address.host}:${address.port}`
    return this.#names.get(text) ?? text
  }

  addressOf(process: string): Address {
    const address = this.#addresses.get(process)
    assert(address !== undefined, `${process} is a process with an address`)
    return address
  }

  /** Does something to the world, now. */
  apply(action: Action): void {
    this.#recorder.record(undefined, { kind: 'fault', text: describeAction(action) })
    switch (action.kind) {
      case 'kill':
        return this.#each(action.processes, (process) => this.#kill(process))
      case 'stop':
        return this.#each(action.processes, (process) => process.requestStop())
      case 'restart':
        return this.#each(action.processes, (process) => this.#restart(process, action.disk))
      case 'pause':
        return this.#each(action.processes, (process) => process.pause())
      case 'resume':
        return this.#each(action.processes, (process) => process.resume())
      case 'partition':
        return this.#rewire(() => this.#reachability.partition(action.groups))
      case 'cut':
        return this.#rewire(() => this.#reachability.cut(action.from, action.to))
      case 'heal':
        return this.#rewire(() => this.#reachability.heal())
      case 'clockJump':
        return this.#process(action.process).clock.jump(action.byMs)
      case 'failDisk':
        return this.#process(action.process).disk.failWith(action.reason)
      case 'repairDisk':
        return this.#process(action.process).disk.failWith(undefined)
      case 'start':
      case 'stall':
      case 'powerLoss':
      case 'readdress':
      case 'hold':
      case 'release':
      case 'shape':
      case 'reset':
      case 'clockDrift':
        return assert(false, `${action.kind} is not built yet`)
      case 'command':
        return this.ask(action.process, action.argv, () => {})
      default:
        return unreachable(action)
    }
  }

  /** Sends a command from outside, past every partition; a dead or stopped process does not answer. */
  ask(process: string, argv: readonly string[], answered: Answered): void {
    const address = this.addressOf(process)
    const observer = this.#process(OBSERVER)
    observer.deliver(() => this.#programs.observer?.ask(address, argv, answered))
  }

  /** Runs until the answer is there, or at most `limitMs`. */
  askAndWait(process: string, argv: readonly string[], limitMs: number): Reply | undefined {
    let answer: Reply | undefined
    let isAnswered = false
    this.ask(process, argv, (reply) => {
      answer = reply
      isAnswered = true
    })
    const untilMs = this.nowMs + limitMs
    while (!isAnswered && this.nowMs < untilMs) {
      this.runUntil(Math.min(this.#scheduler.nextMs ?? untilMs, untilMs))
    }
    return answer
  }

  #giveAddresses(): void {
    const { nodes, sentinels, clients } = this.topology
    for (const { name, host, port } of [...nodes, ...sentinels]) {
      const address = { host: this.#network.host(host).ip, port }
      this.#addresses.set(name, address)
      this.#names.set(`${address.host}:${port}`, name)
    }
    for (const { host } of clients) this.#network.host(host)
  }

  #startAll(): void {
    const { nodes, sentinels, clients } = this.topology
    for (const { name, host } of [...nodes, ...sentinels, ...clients]) this.#add(name, host)
    for (const process of this.#processes.values()) {
      const delayMs = this.#rng.fork(`start/${process.name}`).below(START_SPREAD_MS)
      this.#unborn.add(process)
      this.#scheduler.at(delayMs, () => {
        if (this.#unborn.delete(process)) process.start()
      })
    }
    this.#add(OBSERVER, OBSERVER).start()
  }

  #add(name: string, hostName: string): Process {
    assert(!this.#processes.has(name), `${name} is the name of one process`)
    const scheduler = this.#scheduler
    const rng = this.#rng.fork(`process/${name}`)
    const process = new Process({
      name,
      host: this.#network.host(hostName),
      clock: createClock(rng.fork('clock')),
      disk: new Disk({ scheduler, rng: rng.fork('disk'), latency: SAVE_LATENCY }),
      scheduler,
      network: this.#network,
      boot: (self) => this.#programs.boot(self),
      changed: (self, status) => this.#statusChanged(self, status),
    })
    this.#processes.set(name, process)
    return process
  }

  #statusChanged(process: Process, status: ProcessStatus): void {
    if (process.name !== OBSERVER) this.#recorder.record(process.name, { kind: 'status', status })
  }

  #kill(process: Process): void {
    this.#unborn.delete(process)
    process.kill()
  }

  #restart(process: Process, disk: 'kept' | 'empty'): void {
    this.#kill(process)
    if (disk === 'empty') process.disk.wipe()
    process.start()
  }

  #rewire(change: () => void): void {
    change()
    this.#network.routesChanged()
  }

  #each(names: readonly string[], act: (process: Process) => void): void {
    for (const name of names) act(this.#process(name))
  }

  #process(name: string): Process {
    const process = this.#processes.get(name)
    assert(process !== undefined, `${name} is a process of this world`)
    return process
  }

  /** The hosts of more than half of all Sentinels can be talked to from this node's host. */
  #isWithMajority(node: string): boolean {
    const host = this.#processes.get(node)?.host.name
    if (host === undefined) return false
    if (this.#reachability.isWhole) return true
    const { sentinels } = this.topology
    const near = sentinels.filter((other) => this.#reachability.converses(host, other.host))
    return near.length * 2 > sentinels.length
  }
}

function createClock(rng: Rng): ProcessClock {
  // Clocks that agree would hide a mix-up of wall and monotonic time, or of two processes' times.
  return new ProcessClock({
    wallOffsetMs: rng.below(200) - 100,
    monoStartMs: 1_000 + rng.below(1_000_000),
  })
}
