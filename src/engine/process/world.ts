/** A world of real processes: hosts are network namespaces, time is the machine's. */
import { unreachable } from '../../base/assert.ts'
import type { Reply } from '../../resp/reply.ts'
import { isRole } from '../../scenario/language/roles.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { World } from '../../scenario/world.ts'
import { type Action, describeAction } from '../../sim/action.ts'
import { createCheckers } from '../../sim/checkers/checkers.ts'
import type { Address, Happening } from '../../sim/happening.ts'
import type { ProcessStatus } from '../../sim/process.ts'
import { Recorder } from '../../sim/recorder.ts'
import type { Topology } from '../../sim/topology.ts'
import type { Read, Write } from '../../sim/write-log.ts'
import { RealShell } from '../real-shell.ts'
import { Addresses } from './addresses.ts'
import { askOnce } from './asking.ts'
import type { Against } from './cast.ts'
import { ClientLog } from './client-log.ts'
import { RunClock } from './clock.ts'
import { fillDisk, makeRoom } from './disk.ts'
import { guardWorld, releaseWorld } from './guard.ts'
import type { Machine } from './machine.ts'
import type { Member } from './member.ts'
import { HostNetwork } from './network.ts'
import { Onlooker } from './onlooker.ts'
import { allAcquainted, allAnswer, allInSync } from './settle.ts'
import { Troupe } from './troupe.ts'
import { Ways } from './ways.ts'

const ANSWER_LIMIT_MS = 5_000

export interface WorldStart {
  readonly file: ScenarioFile
  readonly against: Against
  readonly machine: Machine
}

/** Stands when this resolves: the clock has just started, and so have the clients. */
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
  readonly #ways: Ways
  readonly #troupe: Troupe
  readonly #onlooker: Onlooker
  readonly #shell = new RealShell({ name: 'onlooker', life: 1, onExit: () => {} })
  readonly #hangs = new Set<NodeJS.Timeout>()
  readonly #dark = new Set<string>()
  #isClosed = false

  constructor({ file, against, machine }: WorldStart, network: HostNetwork) {
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
    this.#ways = new Ways({ hosts, topology, canDelay: machine.canDelay, ipOf })
    this.#troupe = new Troupe({
      casting: { against, topology, addressOf },
      network,
      clock: this.#clock,
      log: this.#log,
      ownDisks: failingDisks(file),
      changed: (member, status) => this.#changed(member, status),
    })
    this.#onlooker = new Onlooker({
      ...{ shell: this.#shell, topology, addressOf, nameOf },
      record: (process, what) => this.#recorder.record(process, what),
    })
  }

  /** Brings everybody up, in the order in which they find each other at once. */
  async open(): Promise<void> {
    const { nodes, sentinels, clients } = this.#topology
    await this.#troupe.mountDisks()
    await this.#reshape()
    const ask = (process: string, argv: readonly string[]) => this.ask(process, argv)
    await this.#startAll(nodes)
    if (!(await allInSync(this.#topology, ask))) this.#note('not every replica is in sync')
    await this.#startAll(sentinels)
    if (!(await allAcquainted(this.#topology, ask))) {
      this.#note('not every Sentinel knows all the others and all replicas')
    }
    this.#clock.start()
    for (const { name } of clients) this.#troupe.get(name).start()
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
    switch (action.kind) {
      case 'kill':
        return await this.#each(action.processes, (member) => member.kill())
      case 'stop':
        return await this.#each(action.processes, (member) => member.requestStop())
      case 'pause':
        return await this.#each(action.processes, (member) => member.pause())
      case 'resume':
        return await this.#each(action.processes, (member) => member.resume())
      case 'start':
        return await this.#each(action.processes, (member) => this.#lightUp(member))
      case 'restart':
        return await this.#each(action.processes, (member) => this.#restart(member, action.disk))
      case 'stall':
        return await this.#each(action.processes, (member) => this.#stall(member, action.forMs))
      case 'powerLoss':
        return await this.#losePower(action.hosts)
      case 'readdress':
        return await this.#readdress(action.host, action.disk)
      case 'reset':
        return await this.#reset(action.host, action.peer)
      case 'failDisk':
        return fillDisk(this.#troupe.get(action.process).folder)
      case 'repairDisk':
        return makeRoom(this.#troupe.get(action.process).folder)
      case 'command':
        // What comes of it is seen like everything else; waiting for it would stop the clock's user.
        void this.ask(action.process, action.argv)
        return
      case 'clockJump':
      case 'clockDrift':
        throw new Error(`${describeAction(action)}: real processes share the machine's clock`)
      case 'refuse':
        throw new Error(`${describeAction(action)}: the bridge answers for nobody`)
      case 'partition':
      case 'cut':
      case 'hold':
      case 'release':
      case 'shape':
      case 'heal':
        this.#ways.apply(action)
        return await this.#reshape()
      default:
        return unreachable(action)
    }
  }

  async ask(process: string, argv: readonly string[]): Promise<Reply | undefined> {
    const limit = { argv, limitMs: ANSWER_LIMIT_MS }
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

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const hang of this.#hangs) clearTimeout(hang)
    this.#onlooker.close()
    this.#shell.abandon()
    await this.#troupe.close()
    this.#network.close()
    releaseWorld()
  }

  async #startAll(specs: readonly { name: string; joinsLater: boolean }[]): Promise<void> {
    const names = specs.filter(({ joinsLater }) => !joinsLater).map(({ name }) => name)
    for (const name of names) this.#troupe.get(name).start()
    if (await allAnswer(names, (process, argv) => this.ask(process, argv))) return
    const words = names.map((name) => `${name}: ${this.#troupe.get(name).lastWords()}`)
    throw new Error(`not all of ${names.join(', ')} answer\n${words.join('\n')}`)
  }

  #changed(member: Member, status: ProcessStatus): void {
    if (this.#isClosed) return
    this.#recorder.record(member.name, { kind: 'status', status })
    if (!this.#addresses.has(member.name)) return
    if (status === 'down') this.#onlooker.unwatch(member.name)
    else if (!this.#onlooker.isWatching(member.name)) this.#onlooker.watch(member.name)
  }

  async #each(names: readonly string[], act: (member: Member) => void | Promise<void>) {
    await Promise.all(names.map((name) => act(this.#troupe.get(name))))
  }

  /** A host without power gets it back when something on it is to run; one that runs goes on. */
  async #lightUp(member: Member): Promise<void> {
    if (this.#dark.delete(member.host)) await this.#network.setLink(member.host, 'up')
    if (member.status === 'down') member.start()
  }

  async #restart(member: Member, disk: 'kept' | 'empty'): Promise<void> {
    await member.kill()
    if (disk === 'empty') member.forgetFiles()
    await this.#lightUp(member)
  }

  #stall(member: Member, forMs: number): void {
    const { life } = member
    member.pause()
    const hang = setTimeout(() => {
      this.#hangs.delete(hang)
      if (member.life === life) member.resume()
    }, forMs)
    this.#hangs.add(hang)
  }

  /** First the link, so that no kernel says goodbye for the dead. */
  async #losePower(hosts: readonly string[]): Promise<void> {
    for (const host of hosts) this.#dark.add(host)
    await Promise.all(hosts.map((host) => this.#network.setLink(host, 'down')))
    await Promise.all(this.#troupe.on(hosts).map((member) => member.kill()))
  }

  async #readdress(host: string, disk: 'kept' | 'empty'): Promise<void> {
    await this.#losePower([host])
    this.#addresses.moved(host, await this.#network.readdress(host))
    await this.#reshape()
    const known = this.#troupe.on([host]).filter(({ life }) => life > 0)
    await Promise.all(known.map((member) => this.#restart(member, disk)))
  }

  async #reset(host: string, peer: string | undefined): Promise<void> {
    const others = hostsOf(this.#topology).filter((other) => other !== host)
    const peers = peer === undefined ? others : [peer]
    const ips = peers.map((other) => this.#network.ipOf(other))
    await this.#network.reset(host, ips)
  }

  async #reshape(): Promise<void> {
    await this.#network.setDrops(this.#ways.drops())
    await this.#network.setQueues(this.#ways.queues())
  }

  #note(text: string): void {
    this.#recorder.record(undefined, { kind: 'log', level: 'warning', text })
  }

  /** The hosts of more than half of all Sentinels can be talked to from this node's host. */
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

/** Whose disk a step may fail; of a role anybody's. */
function failingDisks({ steps, topology }: ScenarioFile): ReadonlySet<string> {
  const actions = steps.flatMap((step) => step.actions)
  const named = actions.flatMap((one) => (one.kind === 'failDisk' ? [one.process] : []))
  const all = [...topology.nodes, ...topology.sentinels].map(({ name }) => name)
  return new Set(named.some(isRole) ? all : named)
}
