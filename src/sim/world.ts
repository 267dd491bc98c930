/**
 * A whole cluster on virtual time. One seed decides everything that is left to chance: the same
 * topology, seed and actions give the same run, byte for byte, on any machine.
 */

import type { Address } from '../base/ip.ts'
import { createRng, type Rng } from '../base/rng.ts'
import { type Action, describeAction, filledIn } from '../history/action.ts'
import type { Checker } from '../history/checkers/checker.ts'
import { createCheckers } from '../history/checkers/checkers.ts'
import type { Happening, ProcessStatus } from '../history/happening.ts'
import { Recorder } from '../history/recorder.ts'
import { latencyOf, type SentinelSpec, type Topology } from '../history/topology.ts'
import { Wiring } from '../history/wiring.ts'
import type { Question, Read, Write } from '../history/writes.ts'
import type { Reply } from '../resp/reply.ts'
import { WriteLog } from './clients/write-log.ts'
import { Faults } from './faults.ts'
import { AddressBook } from './network/address-book.ts'
import { Network } from './network/network.ts'
import type { Commands, ReplyHandler } from './processes/observer-program.ts'
import type { Process } from './processes/process.ts'
import { Processes } from './processes/processes.ts'
import { type Makers, Programs, SIMULATED } from './processes/programs.ts'
import { STATE_FILE } from './processes/sentinel-program.ts'
import { Scheduler } from './scheduler.ts'

/** No process or host of a scenario can have this name. */
const OBSERVER = '*observer*'

/** The parts of a world that may differ. */
export interface WorldParts {
  readonly make: Makers
  /** The address of the n-th host, from 1 on; undefined: from 10.0.0.1 on. */
  readonly ipOf?: (number: number) => string
}

const SIMULATED_PARTS: WorldParts = { make: SIMULATED }

export class SimWorld {
  readonly topology: Topology
  readonly #rng: Rng
  readonly #scheduler = new Scheduler()
  readonly #wiring = new Wiring([OBSERVER])
  readonly #network: Network
  readonly #recorder: Recorder
  readonly #log: WriteLog
  readonly #programs: Programs
  readonly #processes: Processes
  readonly #faults: Faults
  readonly #addresses = new AddressBook()

  constructor(topology: Topology, seed: string, parts: WorldParts = SIMULATED_PARTS) {
    this.topology = topology
    this.#rng = createRng(seed)
    this.#network = new Network({
      scheduler: this.#scheduler,
      wiring: this.#wiring,
      latencyOf: (from, to) => latencyOf(topology, from, to),
      rng: this.#rng.fork('network'),
      ...(parts.ipOf === undefined ? {} : { ipOf: parts.ipOf }),
    })
    this.#recorder = new Recorder(() => this.nowMs, this.#checkers(parts))
    this.#log = new WriteLog({
      nowMs: () => this.nowMs,
      nameOf: (address) => this.nameOf(address),
      isWithMajority: (node) => this.#isWithMajority(node),
    })
    this.#giveAddresses()
    this.#programs = new Programs({
      make: parts.make,
      topology,
      rng: this.#rng,
      addresses: this.#addresses,
      recorder: this.#recorder,
      log: this.#log,
    })
    this.#processes = this.#createProcesses()
    this.#faults = this.#createFaults()
    this.#startAll()
  }

  get nowMs(): number {
    return this.#scheduler.nowMs
  }

  /** When the next thing is due; undefined if nothing is left to happen. */
  get nextMs(): number | undefined {
    return this.#scheduler.nextMs
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

  get questions(): readonly Question[] {
    return this.#log.questions
  }

  /**
   * Runs until `atMs`, or until right after the first happening that `isMet` accepts. Returns the
   * time.
   */
  runUntil(atMs: number, isMet?: (happening: Happening) => boolean): number {
    this.#recorder.watch(isMet, () => this.#scheduler.stop())
    this.#scheduler.runUntil(atMs)
    this.#recorder.watch(undefined, () => {})
    this.#recorder.timePassed()
    return this.nowMs
  }

  /** Runs everything that is due by `atMs`, for a world that real time drives. */
  catchUp(atMs: number): void {
    this.#scheduler.runUntil(atMs)
  }

  /** Calls `found` right after each happening that `isWanted` accepts; undefined: after none. */
  watch(isWanted: ((happening: Happening) => boolean) | undefined, found: () => void): void {
    this.#recorder.watch(isWanted, found)
  }

  /**
   * The name of the process at an address, or the address itself if no process of ours is there.
   */
  nameOf(address: Address): string {
    return this.#addresses.nameOf(address)
  }

  addressOf(process: string): Address {
    return this.#addresses.of(process)
  }

  /** Applies an action to the world, now. */
  apply(action: Action): void {
    this.#recorder.record(undefined, { kind: 'fault', text: describeAction(action), action })
    this.#faults.apply(action)
    this.#processes.get(OBSERVER).deliver(() => this.#programs.observer?.lookClosely())
  }

  /** The run is over: every process ends, and releases what it uses outside of this world. */
  end(): void {
    for (const process of this.#processes.all()) this.#processes.kill(process)
  }

  /**
   * Sends a command from outside, past every partition; a dead or stopped process does not answer.
   */
  ask(
    process: string,
    argv: readonly string[],
    answered: ReplyHandler,
    before: Commands = [],
  ): void {
    const address = this.addressOf(process)
    const observer = this.#processes.get(OBSERVER)
    observer.deliver(() => this.#programs.observer?.ask(address, [...before, argv], answered))
  }

  /** Runs until the answer is there, or at most `limitMs`. */
  askAndWait(
    process: string,
    argv: readonly string[],
    limitMs: number,
    before: Commands = [],
  ): Reply | undefined {
    let answer: Reply | undefined
    let isAnswered = false
    const answered = (reply: Reply | undefined): void => {
      answer = reply
      isAnswered = true
    }
    this.ask(process, argv, answered, before)
    const untilMs = this.nowMs + limitMs
    while (!isAnswered && this.nowMs < untilMs) {
      this.runUntil(Math.min(this.#scheduler.nextMs ?? untilMs, untilMs))
    }
    return answer
  }

  /** Checkers of timing only make sense where the simulation controls time. */
  #checkers({ make }: WorldParts): readonly Checker[] {
    if (make !== SIMULATED) return createCheckers()
    const { topology } = this
    return createCheckers({
      topology,
      nameOf: (address) => this.nameOf(address),
      addressOf: (process) => this.addressOf(process),
    })
  }

  #giveAddresses(): void {
    const { nodes, sentinels, clients, liars } = this.topology
    for (const { name, host, port } of [...nodes, ...sentinels, ...liars]) {
      this.#addresses.set(name, { host: this.#network.host(host).ip, port })
      this.#addresses.alias(name, { host, port })
    }
    for (const { host } of clients) this.#network.host(host)
  }

  #createProcesses(): Processes {
    return new Processes({
      scheduler: this.#scheduler,
      network: this.#network,
      rng: this.#rng,
      boot: (process) => this.#programs.boot(process),
      changed: (process, status) => this.#statusChanged(process, status),
    })
  }

  #createFaults(): Faults {
    return new Faults({
      network: this.#network,
      wiring: this.#wiring,
      processes: this.#processes,
      moved: (process) => this.#moved(process),
      command: (process, argv) => {
        const words = filledIn(argv, (name) => this.addressOf(name))
        this.ask(process, words, (reply) => {
          if (reply?.kind === 'error') this.#recorder.refused(process, words, reply.text)
        })
      },
      measure: () => this.#measure(),
      lie: (process, to, lie) => process.deliver(() => this.#programs.lie(process.name, to, lie)),
    })
  }

  #measure(): void {
    for (const { name, disk, status, sockets } of this.#processes.all()) {
      const inside = this.#programs.sizesOf(name)
      if (inside === undefined || status !== 'running') continue
      const sizes = { ...inside, sockets, 'state file': disk.read(STATE_FILE)?.length ?? 0 }
      this.#recorder.record(name, { kind: 'sizes', sizes })
    }
    const sizes = { 'tasks of the scheduler': this.#scheduler.tasks }
    this.#recorder.record(undefined, { kind: 'sizes', sizes })
  }

  #startAll(): void {
    const { nodes, sentinels, clients, liars } = this.topology
    for (const { name, host } of [...nodes, ...sentinels, ...clients, ...liars]) {
      this.#processes.add(name, host)
    }
    const later = [...nodes, ...sentinels].filter(({ joinsLater }) => joinsLater)
    const isLater = new Set(later.map(({ name }) => name))
    for (const process of this.#processes.all()) {
      if (!isLater.has(process.name)) this.#processes.startSoon(process)
    }
    this.#processes.start(this.#processes.add(OBSERVER, OBSERVER))
  }

  #statusChanged(process: Process, status: ProcessStatus): void {
    if (process.name !== OBSERVER) this.#recorder.record(process.name, { kind: 'status', status })
  }

  /** Clients have no address of their own. */
  #moved({ name, host }: Process): void {
    if (!this.#addresses.has(name)) return
    this.#addresses.set(name, { host: host.ip, port: this.#addresses.of(name).port })
    this.#programs.moved(name)
  }

  /** Whether this node's host can talk to the hosts of more than half of all Sentinels. */
  #isWithMajority(node: string): boolean {
    const host = this.#processes.find(node)?.host.name
    if (host === undefined) return false
    if (this.#wiring.reachability.isWhole) return true
    const sentinels = this.topology.sentinels.filter((sentinel) => this.#hasJoined(sentinel))
    const near = sentinels.filter((other) => this.#wiring.reachability.converses(host, other.host))
    return near.length * 2 > sentinels.length
  }

  #hasJoined({ name, joinsLater }: SentinelSpec): boolean {
    return !joinsLater || this.#processes.get(name).life > 0
  }
}
