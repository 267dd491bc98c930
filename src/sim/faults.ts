/** Applies actions to the parts of a simulated world. */
import { unreachable } from '../base/assert.ts'
import type { Action } from '../history/action.ts'
import type { Lie } from '../history/lie.ts'
import type { Wiring } from '../history/wiring.ts'
import type { Network } from './network/network.ts'
import type { Process } from './processes/process.ts'
import type { Processes } from './processes/processes.ts'

export interface FaultsStart {
  readonly network: Network
  readonly wiring: Wiring
  readonly processes: Processes
  /** The process has another address. */
  readonly moved: (process: Process) => void
  readonly command: (process: string, argv: readonly string[]) => void
  readonly measure: () => void
  readonly lie: (process: Process, audience: readonly string[], lie: Lie) => void
}

export class Faults {
  readonly #start: FaultsStart

  constructor(start: FaultsStart) {
    this.#start = start
  }

  apply(action: Action): void {
    const { processes, wiring } = this.#start
    switch (action.kind) {
      case 'kill':
        return this.#each(action.processes, (process) => processes.kill(process))
      case 'stop':
        return this.#each(action.processes, (process) => process.requestStop())
      case 'start':
        return this.#each(action.processes, (process) => processes.start(process))
      case 'restart':
        return this.#each(action.processes, (process) => processes.restart(process, action.disk))
      case 'pause':
        return this.#each(action.processes, (process) => process.pause())
      case 'resume':
        return this.#each(action.processes, (process) => process.resume())
      case 'stall':
        return this.#each(action.processes, (process) => process.stall(action.forMs))
      case 'powerLoss':
        for (const host of action.hosts) processes.losePower(host)
        return
      case 'readdress':
        return processes.readdress(action.host, action.disk, this.#start.moved)
      case 'partition':
      case 'cut':
      case 'hold':
      case 'release':
      case 'shape':
      case 'heal':
        wiring.apply(action)
        return this.#start.network.routesChanged()
      case 'reset':
        return this.#reset(action.host, action.peer)
      case 'refuse':
        wiring.apply(action)
        return this.#reset(action.from, action.to)
      case 'clockJump':
        return processes.get(action.process).clock.jump(action.byMs)
      case 'clockDrift':
        return processes.get(action.process).drift(action.rate)
      case 'diskFailure':
        return processes.get(action.process).disk.failWith(action)
      case 'diskDelay':
        return processes.get(action.process).disk.slowDown(action.byMs)
      case 'diskRepair':
        return processes.get(action.process).disk.repair()
      case 'rollBack':
        return processes.rollBack(processes.get(action.process), action.byMs)
      case 'memoryUse':
        return processes.get(action.process).useMemory(action.share)
      case 'command':
        return this.#start.command(action.process, action.argv)
      case 'measure':
        return this.#start.measure()
      case 'lie':
        return this.#start.lie(processes.get(action.process), action.audience, action.lie)
      default:
        return unreachable(action)
    }
  }

  /**
   * Both ends of each connection are sockets of some process, so this looks through all processes.
   */
  #reset(host: string, peer: string | undefined): void {
    const { network, wiring, processes } = this.#start
    for (const process of processes.all()) {
      const mine = process.host.name
      process.resetConnections((ip) => {
        const other = network.hostEverAt(ip)?.name
        if (other === undefined || other === mine || wiring.reachability.isOutside(mine, other))
          return false
        return isPair(mine, other, host, peer) || isPair(other, mine, host, peer)
      })
    }
  }

  #each(names: readonly string[], act: (process: Process) => void): void {
    for (const name of names) act(this.#start.processes.get(name))
  }
}

function isPair(a: string, b: string, host: string, peer: string | undefined): boolean {
  return a === host && (peer === undefined || b === peer)
}
