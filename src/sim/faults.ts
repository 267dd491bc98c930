/** Does actions to the parts of a simulated world. */
import { unreachable } from '../base/assert.ts'
import type { Action } from './action.ts'
import type { LinkConditions } from './link-conditions.ts'
import type { Network } from './network.ts'
import type { Process } from './process.ts'
import type { Processes } from './processes.ts'
import type { Reachability } from './reachability.ts'

export interface FaultsStart {
  readonly network: Network
  readonly reachability: Reachability
  readonly conditions: LinkConditions
  readonly processes: Processes
  /** The process has another address. */
  readonly moved: (process: Process) => void
  readonly command: (process: string, argv: readonly string[]) => void
}

export class Faults {
  readonly #start: FaultsStart

  constructor(start: FaultsStart) {
    this.#start = start
  }

  apply(action: Action): void {
    const { processes } = this.#start
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
        this.#rewire(action)
        return this.#start.network.routesChanged()
      case 'reset':
        return this.#reset(action.host, action.peer)
      case 'refuse':
        this.#start.reachability.refuse(action.from, action.to)
        return this.#reset(action.from, action.to)
      case 'clockJump':
        return processes.get(action.process).clock.jump(action.byMs)
      case 'clockDrift':
        return processes.get(action.process).drift(action.rate)
      case 'failDisk':
        return processes.get(action.process).disk.failWith(action)
      case 'repairDisk':
        return processes.get(action.process).disk.failWith(undefined)
      case 'command':
        return this.#start.command(action.process, action.argv)
      default:
        return unreachable(action)
    }
  }

  #rewire(action: Wiring): void {
    const { reachability, conditions } = this.#start
    switch (action.kind) {
      case 'partition':
        return reachability.partition(action.groups)
      case 'cut':
        return reachability.cut(action.from, action.to)
      case 'hold':
        return reachability.hold(action.from, action.to)
      case 'release':
        return reachability.release()
      case 'shape':
        return conditions.shape(action.from, action.to, action.shape)
      case 'heal':
        reachability.heal()
        return conditions.heal()
      default:
        return unreachable(action)
    }
  }

  /** Both ends of each connection are some process's socket, so all processes are looked through. */
  #reset(host: string, peer: string | undefined): void {
    const { network, reachability, processes } = this.#start
    for (const process of processes.all()) {
      const mine = process.host.name
      process.resetConnections((ip) => {
        const other = network.hostEverAt(ip)?.name
        if (other === undefined || other === mine || reachability.isOutside(mine, other))
          return false
        return isPair(mine, other, host, peer) || isPair(other, mine, host, peer)
      })
    }
  }

  #each(names: readonly string[], act: (process: Process) => void): void {
    for (const name of names) act(this.#start.processes.get(name))
  }
}

type Wiring = Action & {
  readonly kind: 'partition' | 'cut' | 'hold' | 'release' | 'shape' | 'heal'
}

function isPair(a: string, b: string, host: string, peer: string | undefined): boolean {
  return a === host && (peer === undefined || b === peer)
}
