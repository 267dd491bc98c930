/**
 * Applies actions to real processes and the bridge between their hosts, and says which actions are
 * impossible.
 */
import { unreachable } from '../../base/assert.ts'
import { type Action, describeAction } from '../../history/action.ts'
import { isRole } from '../../scenario/language/roles.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { Addresses } from './addresses.ts'
import { fillDisk, makeRoom } from './disk.ts'
import type { HostCapabilities } from './machine.ts'
import type { RunningProcess } from './member.ts'
import type { HostNetwork } from './network.ts'
import type { BridgePaths } from './paths.ts'
import type { RunningProcesses } from './processes.ts'

export const NETEM = 'this kernel has no netem queue (CONFIG_NET_SCH_NETEM; modprobe sch_netem)'

/** What no machine can do. */
const IMPOSSIBLE = {
  clockJump: 'real processes share the clock of the machine',
  clockDrift: 'real processes share the clock of the machine',
  lie: 'liars live in the simulated world only',
  measure: 'real processes cannot be looked into',
  diskDelay: 'a real disk cannot be made slow',
  rollBack: 'no backups are made of the state files of real processes',
  memoryUse: 'how much memory a real process needs is its own business',
  refuse:
    'the bridge between real hosts drops packets or lets them pass, and cannot answer for a host',
} as const

/** Why this machine cannot do it; undefined: it can. */
export function actionRefusal(action: Action, machine: HostCapabilities): string | undefined {
  switch (action.kind) {
    case 'clockJump':
    case 'clockDrift':
    case 'lie':
    case 'refuse':
    case 'diskDelay':
    case 'measure':
    case 'rollBack':
    case 'memoryUse':
      return IMPOSSIBLE[action.kind]
    case 'diskFailure':
      return action.operation === 'sync'
        ? 'a real disk cannot be made to fail its syncs'
        : undefined
    case 'reset':
      return machine.canReset ? undefined : 'ss -K does not work here (CONFIG_INET_DIAG_DESTROY)'
    case 'shape': {
      const { latencyMs, jitterMs, duplication, bytesPerSecond } = action.shape
      const isDelay = [latencyMs, jitterMs, duplication].some((value) => (value ?? 0) > 0)
      if (isDelay && !machine.canDelay) return NETEM
      if (bytesPerSecond === undefined || machine.canThrottle) return undefined
      return 'this kernel has no HTB queue (CONFIG_NET_SCH_HTB; modprobe sch_htb)'
    }
    default:
      return undefined
  }
}

/** The processes whose disk a step may fail; for a role, every process. */
export function failingDisks({ steps, topology }: ScenarioFile): ReadonlySet<string> {
  const actions = steps.flatMap((step) => step.actions)
  const named = actions.flatMap((one) => (one.kind === 'diskFailure' ? [one.process] : []))
  const all = [...topology.nodes, ...topology.sentinels].map(({ name }) => name)
  return new Set(named.some(isRole) ? all : named)
}

export interface FaultTargets {
  readonly hosts: readonly string[]
  readonly network: HostNetwork
  readonly addresses: Addresses
  readonly ways: BridgePaths
  readonly members: RunningProcesses
  /** Sends a command and waits for no answer: its effects are observed like everything else. */
  readonly command: (process: string, argv: readonly string[]) => void
}

export class ProcessFaults {
  readonly #targets: FaultTargets
  readonly #hangs = new Set<NodeJS.Timeout>()
  /** Hosts without power. */
  readonly #dark = new Set<string>()

  constructor(targets: FaultTargets) {
    this.#targets = targets
  }

  async apply(action: Action): Promise<void> {
    const { members, ways } = this.#targets
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
      case 'diskFailure':
        return fillDisk(members.get(action.process).folder)
      case 'diskRepair':
        return makeRoom(members.get(action.process).folder)
      case 'command':
        return this.#targets.command(action.process, action.argv)
      case 'clockJump':
      case 'clockDrift':
      case 'refuse':
      case 'lie':
      case 'diskDelay':
      case 'measure':
      case 'rollBack':
      case 'memoryUse':
        throw new Error(`${describeAction(action)}: ${IMPOSSIBLE[action.kind]}`)
      case 'partition':
      case 'cut':
      case 'hold':
      case 'release':
      case 'shape':
      case 'heal':
        ways.apply(action)
        return await this.reshape()
      default:
        return unreachable(action)
    }
  }

  /** Sets the present state of the paths at the bridge. */
  async reshape(): Promise<void> {
    const { network, ways } = this.#targets
    await network.setDrops(ways.drops())
    await network.setQueues(ways.queues())
  }

  close(): void {
    for (const hang of this.#hangs) clearTimeout(hang)
  }

  async #each(names: readonly string[], act: (member: RunningProcess) => void | Promise<void>) {
    await Promise.all(names.map((name) => act(this.#targets.members.get(name))))
  }

  /**
   * A host without power gets it back if a process on it is to run; a stopped process continues.
   */
  async #lightUp(member: RunningProcess): Promise<void> {
    const { network } = this.#targets
    if (this.#dark.delete(member.host)) await network.setLink(member.host, 'up')
    if (member.status === 'down') member.start()
  }

  async #restart(member: RunningProcess, disk: 'kept' | 'empty'): Promise<void> {
    await member.kill()
    if (disk === 'empty') member.forgetFiles()
    await this.#lightUp(member)
  }

  #stall(member: RunningProcess, forMs: number): void {
    const { life } = member
    member.pause()
    const hang = setTimeout(() => {
      this.#hangs.delete(hang)
      if (member.life === life) member.resume()
    }, forMs)
    this.#hangs.add(hang)
  }

  /** The link goes down first, so that no kernel ends the connections of the dead processes. */
  async #losePower(hosts: readonly string[]): Promise<void> {
    const { network, members } = this.#targets
    for (const host of hosts) this.#dark.add(host)
    await Promise.all(hosts.map((host) => network.setLink(host, 'down')))
    await Promise.all(members.on(hosts).map((member) => member.kill()))
  }

  async #readdress(host: string, disk: 'kept' | 'empty'): Promise<void> {
    const { network, addresses, members } = this.#targets
    await this.#losePower([host])
    addresses.moved(host, await network.readdress(host))
    await this.reshape()
    const known = members.on([host]).filter(({ life }) => life > 0)
    await Promise.all(known.map((member) => this.#restart(member, disk)))
  }

  async #reset(host: string, peer: string | undefined): Promise<void> {
    const { hosts, network } = this.#targets
    const peers = peer === undefined ? hosts.filter((other) => other !== host) : [peer]
    await network.reset(
      host,
      peers.map((other) => network.ipOf(other)),
    )
  }
}
