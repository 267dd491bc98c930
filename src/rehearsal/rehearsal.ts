/**
 * Failovers that a Sentinel plays through with itself, for the sake of the engine: what runs only when a master has
 * died has then been compiled, and the failover that counts is not the first one. Production's machine on virtual time,
 * three times, so that candidate and voters are all in this process.
 */
import { createRng } from '../base/rng.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL, type SentinelConfig } from '../core/config.ts'
import { Wiring } from '../history/wiring.ts'
import { Network } from '../sim/network/network.ts'
import type { Process, Program } from '../sim/processes/process.ts'
import { Processes } from '../sim/processes/processes.ts'
import { type MachineWitness, SentinelProgram } from '../sim/processes/sentinel-program.ts'
import { Scheduler } from '../sim/scheduler.ts'
import { PORT, StandIn } from './stand-in.ts'

/** One rehearsal; whoever asks for the next piece decides when it is played. A piece takes some milliseconds at most. */
export type Rehearsal = Generator<void, void>

/** One failover for each replica. */
const NODES = ['node1', 'node2', 'node3', 'node4', 'node5']
const SENTINELS = ['sentinel1', 'sentinel2', 'sentinel3']
const LATENCY = { baseMs: 1, jitterMs: 0 }
/** By then all know each other. */
const MEET_MS = 100
/** From the death of a master until its successor leads, and the dead one has been given up as a replica. */
const FAILOVER_MS = 650

const NOBODY: MachineWitness = {
  born: () => {},
  heard: () => {},
  done: () => {},
  stepped: () => {},
  saved: () => {},
}

/** `witness` sees all three Sentinels. */
export function* rehearseFailovers(witness: MachineWitness = NOBODY): Rehearsal {
  const stage = new Stage(witness)
  yield* stage.open()
  yield* stage.play(MEET_MS)
  while (stage.killMaster()) yield* stage.play(FAILOVER_MS)
}

class Stage {
  readonly #witness: MachineWitness
  readonly #rng = createRng('rehearsal')
  readonly #scheduler = new Scheduler()
  readonly #network = new Network({
    scheduler: this.#scheduler,
    wiring: new Wiring(),
    latencyOf: () => LATENCY,
    rng: this.#rng.fork('network'),
  })
  readonly #processes = new Processes({
    scheduler: this.#scheduler,
    network: this.#network,
    rng: this.#rng.fork('processes'),
    boot: (process) => this.#boot(process),
    changed: () => {},
  })
  readonly #nodes: StandIn[] = []

  constructor(witness: MachineWitness) {
    this.#witness = witness
  }

  /** Starts one process with each piece, on a host of its own. */
  *open(): Rehearsal {
    for (const name of [...NODES, ...SENTINELS]) {
      this.#processes.start(this.#processes.add(name, name))
      yield
    }
  }

  /** False if there is none: all are dead. */
  killMaster(): boolean {
    const master = this.#nodes.find((node) => node.isRunningMaster)
    if (master !== undefined) this.#processes.kill(master.process)
    return master !== undefined
  }

  /** A moment with each piece. */
  *play(forMs: number): Rehearsal {
    const endMs = this.#scheduler.nowMs + forMs
    while (this.#scheduler.nowMs < endMs) {
      this.#scheduler.runUntil(Math.min(endMs, this.#scheduler.nextMs ?? endMs))
      yield
    }
  }

  #boot(process: Process): Program {
    if (SENTINELS.includes(process.name)) return this.#sentinel(process)
    const node = new StandIn(process, this.#nodes)
    this.#nodes.push(node)
    return node
  }

  #sentinel(process: Process): Program {
    const rng = this.#rng.fork(process.name)
    return new SentinelProgram({ process, config: this.#config(), rng, witness: this.#witness })
  }

  #config(): SentinelConfig {
    const { ip: host } = this.#network.host('node1')
    const where = { name: 'rehearsal', host, port: PORT, quorum: 2 }
    const rules = { downAfterMs: 1_000, failoverTimeoutMs: 1_000, detection: 'evidence' } as const
    return { ...DEFAULT_SENTINEL, groups: [{ ...DEFAULT_GROUP, ...where, ...rules }] }
  }
}
