/** The processes of a world: where they live, which have started, and how they start and end. */
import { assert } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import type { ProcessStatus } from '../../history/happening.ts'
import type { Network } from '../network/network.ts'
import type { Scheduler } from '../scheduler.ts'
import { Disk } from './disk.ts'
import { Process, type Program } from './process.ts'
import { ProcessClock } from './process-clock.ts'

/**
 * Processes start within this time, so that what they do once a second falls on any moment of it.
 */
const START_SPREAD_MS = 1_000
const SAVE_LATENCY = { minMs: 1, maxMs: 8 }

export interface ProcessesStart {
  readonly scheduler: Scheduler
  readonly network: Network
  readonly rng: Rng
  readonly boot: (process: Process) => Program
  readonly changed: (process: Process, status: ProcessStatus) => void
}

export class Processes {
  readonly #start: ProcessesStart
  readonly #all = new Map<string, Process>()
  /** Processes that have not started for the first time yet, and will by themselves. */
  readonly #unborn = new Set<Process>()

  constructor(start: ProcessesStart) {
    this.#start = start
  }

  get(name: string): Process {
    const process = this.#all.get(name)
    assert(process !== undefined, `${name} is a process of this world`)
    return process
  }

  find(name: string): Process | undefined {
    return this.#all.get(name)
  }

  all(): Iterable<Process> {
    return this.#all.values()
  }

  on(hostName: string): Process[] {
    const found = [...this.#all.values()].filter(({ host }) => host.name === hostName)
    assert(found.length > 0, `${hostName} is a host of this world`)
    return found
  }

  add(name: string, hostName: string): Process {
    assert(!this.#all.has(name), `${name} is the name of one process`)
    const { scheduler, network, boot, changed } = this.#start
    const rng = this.#start.rng.fork(`process/${name}`)
    const process = new Process({
      name,
      host: network.host(hostName),
      clock: createClock(rng.fork('clock')),
      disk: new Disk({ scheduler, rng: rng.fork('disk'), latency: SAVE_LATENCY }),
      scheduler,
      network,
      boot,
      changed,
    })
    this.#all.set(name, process)
    return process
  }

  /** The process starts by itself within the first second. */
  startSoon(process: Process): void {
    const delayMs = this.#start.rng.fork(`start/${process.name}`).below(START_SPREAD_MS)
    this.#unborn.add(process)
    this.#start.scheduler.at(delayMs, () => {
      if (this.#unborn.has(process)) this.start(process)
    })
  }

  /** Starts the process, and its host if that has no power; a stopped process continues. */
  start(process: Process): void {
    this.#unborn.delete(process)
    this.#start.network.setPower(process.host, true)
    if (process.status === 'down') process.start()
  }

  kill(process: Process): void {
    this.#unborn.delete(process)
    process.kill()
  }

  restart(process: Process, disk: 'kept' | 'empty'): void {
    this.kill(process)
    if (disk === 'empty') process.disk.wipe()
    this.start(process)
  }

  /** The process starts again, with files from a backup that was made so long ago. */
  rollBack(process: Process, byMs: number): void {
    this.kill(process)
    process.disk.rollBack(byMs)
    this.start(process)
  }

  losePower(hostName: string): void {
    for (const process of this.on(hostName)) {
      this.#unborn.delete(process)
      process.losePower()
      this.#start.network.setPower(process.host, false)
    }
  }

  /**
   * Every process on the host that has started, or was about to, dies and starts again at another
   * address.
   */
  readdress(hostName: string, disk: 'kept' | 'empty', moved: (process: Process) => void): void {
    const tenants = this.on(hostName)
    const comeUp = tenants.filter((process) => process.life > 0 || this.#unborn.has(process))
    this.losePower(hostName)
    this.#start.network.readdress(this.#start.network.host(hostName))
    for (const process of tenants) {
      if (disk === 'empty') process.disk.wipe()
      moved(process)
    }
    for (const process of comeUp) this.start(process)
  }
}

function createClock(rng: Rng): ProcessClock {
  // Clocks that agree would hide a mix-up of wall and monotonic time, or of two processes' times.
  return new ProcessClock({
    wallOffsetMs: rng.below(200) - 100,
    monoStartMs: 1_000 + rng.below(1_000_000),
  })
}
