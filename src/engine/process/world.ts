/** A world of real processes: hosts are network namespaces, time is the machine's. */
import type { Address } from '../../base/ip.ts'
import { type Action, describeAction, filledIn } from '../../history/action.ts'
import { createCheckers } from '../../history/checkers/checkers.ts'
import type { Happening, ProcessStatus } from '../../history/happening.ts'
import { Recorder } from '../../history/recorder.ts'
import type { Topology } from '../../history/topology.ts'
import type { Question, Read, Write } from '../../history/writes.ts'
import type { Reply } from '../../resp/reply.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { World } from '../../scenario/world.ts'
import { Exchange } from '../../sim/clients/exchange.ts'
import type { Shell } from '../../sim/processes/shell.ts'
import { RealShell } from '../real-shell.ts'
import { Addresses } from './addresses.ts'
import { ClientLog } from './client-log.ts'
import { RunClock } from './clock.ts'
import { failingDisks, ProcessFaults } from './faults.ts'
import { type HostCapabilities, removeOurs } from './machine.ts'
import type { RunningProcess } from './member.ts'
import { HostNetwork } from './network.ts'
import { ProcessObserver } from './observer.ts'
import { BridgePaths } from './paths.ts'
import type { Against } from './process-spec.ts'
import { type RecordsLost, RunningProcesses } from './processes.ts'
import { allAcquainted, allAnswer, allInSync } from './settle.ts'

const ANSWER_LIMIT_MS = 5_000

export interface WorldStart {
  readonly file: ScenarioFile
  readonly against: Against
  readonly machine: HostCapabilities
  /** The folder for the records of the Sentinels; undefined: they keep none. */
  readonly records?: string | undefined
  readonly recordsLost?: RecordsLost | undefined
}

/** Resolves when the cluster is up: the clock has just started, and so have the clients. */
export async function createProcessWorld(start: WorldStart): Promise<World> {
  guardWorld()
  let network: HostNetwork | undefined
  let world: ProcessWorld | undefined
  try {
    network = await HostNetwork.create(hostsOf(start.file.topology))
    world = new ProcessWorld(start, network)
    await world.open()
    return world
  } catch (error) {
    await world?.close()
    network?.close()
    if (world === undefined) releaseWorld()
    throw error
  }
}

class ProcessWorld implements World {
  readonly #topology: Topology
  readonly #network: HostNetwork
  readonly #addresses: Addresses
  readonly #clock = new RunClock()
  readonly #recorder: Recorder
  readonly #log: ClientLog
  readonly #ways: BridgePaths
  readonly #processes: RunningProcesses
  readonly #observer: ProcessObserver
  readonly #shell = new RealShell({ name: 'observer', life: 1, onExit: () => {} })
  readonly #faults: ProcessFaults
  #isClosed = false

  constructor({ file, against, machine, records, recordsLost }: WorldStart, network: HostNetwork) {
    const { topology } = file
    this.#topology = topology
    this.#network = network
    this.#addresses = new Addresses(topology, (host) => network.ipOf(host))
    const addressOf = (process: string): Address => this.#addresses.of(process)
    const nameOf = (address: Address): string => this.#addresses.nameOf(address)
    this.#recorder = new Recorder(() => this.#clock.nowMs(), createCheckers())
    this.#log = new ClientLog({
      nameOf: (text) => this.#addresses.nameAt(text),
      isWithMajority: (node) => this.#isWithMajority(node),
    })
    const ipOf = (host: string): string => network.ipOf(host)
    const hosts = hostsOf(topology)
    this.#ways = new BridgePaths({ hosts, topology, canDelay: machine.canDelay, ipOf })
    this.#processes = new RunningProcesses({
      casting: { against, topology, addressOf, hasBlackBox: records !== undefined },
      records,
      recordsLost,
      network,
      clock: this.#clock,
      log: this.#log,
      ownDisks: failingDisks(file),
      changed: (member, status) => this.#changed(member, status),
    })
    this.#faults = new ProcessFaults({
      ...{ hosts, network, addresses: this.#addresses, ways: this.#ways },
      members: this.#processes,
      command: (process, argv) => {
        const words = filledIn(argv, addressOf)
        void this.ask(process, words).then((reply) => {
          if (reply?.kind === 'error') this.#recorder.refused(process, words, reply.text)
        })
      },
    })
    this.#observer = new ProcessObserver({
      ...{ shell: this.#shell, topology, addressOf, nameOf },
      record: (process, what) => this.#recorder.record(process, what),
    })
  }

  /** Starts all processes, in the order in which they find each other at once. */
  async open(): Promise<void> {
    const { nodes, sentinels, clients } = this.#topology
    await this.#processes.mountDisks()
    await this.#faults.reshape()
    const ask = (process: string, argv: readonly string[]) => this.ask(process, argv)
    await this.#startAll(nodes)
    if (!(await allInSync(this.#topology, ask))) this.#note('not every replica is in sync')
    await this.#startAll(sentinels)
    if (!(await allAcquainted(this.#topology, ask))) {
      this.#note('not every Sentinel knows all the others and all replicas')
    }
    this.#clock.start()
    for (const { name } of clients) this.#processes.get(name).start()
  }

  runUntil(atMs: number, isMet?: (happening: Happening) => boolean): Promise<number> {
    return new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer)
        this.#recorder.watch(undefined, () => {})
        resolve(this.#clock.nowMs())
      }
      const timer = setTimeout(stop, Math.max(0, atMs - this.#clock.nowMs()))
      this.#recorder.watch(isMet, stop)
    })
  }

  async apply(action: Action): Promise<void> {
    this.#recorder.record(undefined, { kind: 'fault', text: describeAction(action), action })
    await this.#faults.apply(action)
  }

  async ask(
    process: string,
    argv: readonly string[],
    before: readonly (readonly string[])[] = [],
  ): Promise<Reply | undefined> {
    const limit = { commands: [...before, argv], limitMs: ANSWER_LIMIT_MS }
    return await askOnce(this.#shell, this.#addresses.of(process), limit)
  }

  nameOf(address: Address): string {
    return this.#addresses.nameOf(address)
  }

  happenings(): readonly Happening[] {
    return this.#recorder.happenings
  }

  writes(): readonly Write[] {
    return this.#log.writes
  }

  reads(): readonly Read[] {
    return this.#log.reads
  }

  questions(): readonly Question[] {
    return this.#log.questions
  }

  /** Each process is late by itself. */
  latestMs(): undefined {
    return undefined
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#faults.close()
    this.#observer.close()
    this.#shell.abandon()
    await this.#processes.close()
    this.#network.close()
    releaseWorld()
  }

  async #startAll(specs: readonly { name: string; joinsLater: boolean }[]): Promise<void> {
    const names = specs.filter(({ joinsLater }) => !joinsLater).map(({ name }) => name)
    for (const name of names) this.#processes.get(name).start()
    if (await allAnswer(names, (process, argv) => this.ask(process, argv))) return
    const words = names.map((name) => `${name}: ${this.#processes.get(name).lastWords()}`)
    throw new Error(`not all of ${names.join(', ')} answer\n${words.join('\n')}`)
  }

  #changed(member: RunningProcess, status: ProcessStatus): void {
    if (this.#isClosed) return
    this.#recorder.record(member.name, { kind: 'status', status })
    if (!this.#addresses.has(member.name)) return
    if (status === 'down') this.#observer.unwatch(member.name)
    else if (!this.#observer.isWatching(member.name)) this.#observer.watch(member.name)
  }

  #note(text: string): void {
    this.#recorder.record(undefined, { kind: 'log', level: 'warning', text })
  }

  /** Whether this node's host can talk to the hosts of more than half of all Sentinels. */
  #isWithMajority(node: string): boolean {
    const host = this.#topology.nodes.find(({ name }) => name === node)?.host
    if (host === undefined) return false
    const { sentinels } = this.#topology
    const near = sentinels.filter((one) => this.#ways.converses(host, one.host))
    return near.length * 2 > sentinels.length
  }
}

function hostsOf({ nodes, sentinels, clients }: Topology): readonly string[] {
  return [...new Set([...nodes, ...sentinels, ...clients].map(({ host }) => host))]
}

// Commands to a process, on a connection of its own, from the observer's place.

/** The reply to the last command; undefined: it did not come in time. */
function askOnce(
  shell: Shell,
  address: Address,
  {
    commands,
    limitMs,
  }: { readonly commands: readonly (readonly string[])[]; readonly limitMs: number },
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const finish = (reply: Reply | undefined): void => {
      clearTimeout(limit)
      exchange.close()
      resolve(reply)
    }
    let left = commands.length
    const exchange = new Exchange(shell, address, limitMs, {
      connected: () => {
        for (const argv of commands) exchange.send(argv)
      },
      replied: (reply) => {
        left--
        if (left === 0) finish(reply)
      },
      lost: () => finish(undefined),
    })
    const limit = setTimeout(() => finish(undefined), limitMs)
  })
}

/** Worlds that are open when this process is told to end, or ends by itself, end with it. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

let open = 0

function guardWorld(): void {
  open++
  if (open > 1) return
  process.on('exit', removeOurs)
  for (const signal of SIGNALS) process.on(signal, endWith)
}

function releaseWorld(): void {
  open--
  if (open > 0) return
  process.off('exit', removeOurs)
  for (const signal of SIGNALS) process.off(signal, endWith)
}

/** Cleans up, then lets the signal do what it would have done without us. */
function endWith(signal: NodeJS.Signals): void {
  removeOurs()
  process.off('exit', removeOurs)
  for (const one of SIGNALS) process.off(one, endWith)
  process.kill(process.pid, signal)
}
