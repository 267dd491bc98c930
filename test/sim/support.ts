import { createRng } from '../../src/base/rng.ts'
import { Wiring } from '../../src/history/wiring.ts'
import type { Host } from '../../src/sim/network/hosts.ts'
import { Network } from '../../src/sim/network/network.ts'
import type { Socket, SocketHandler, SocketOwner } from '../../src/sim/network/socket.ts'
import { Disk } from '../../src/sim/processes/disk.ts'
import { Process, type Program } from '../../src/sim/processes/process.ts'
import { ProcessClock } from '../../src/sim/processes/process-clock.ts'
import { Scheduler } from '../../src/sim/scheduler.ts'

export const LATENCY_MS = 5

/** A network of hosts `a`, `b`, `c`, each 5 ms from the others. */
export function createNetwork(jitterMs = 0) {
  const scheduler = new Scheduler()
  const wiring = new Wiring()
  const { reachability, conditions } = wiring
  const network = new Network({
    scheduler,
    wiring,
    latencyOf: () => ({ baseMs: LATENCY_MS, jitterMs }),
    rng: createRng('test'),
  })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => network.host(name)) as [Host, Host, Host]
  const rewire = (change: () => void): void => {
    change()
    network.routesChanged()
  }
  return { scheduler, reachability, conditions, network, rewire, a, b, c }
}

/** Owns sockets and writes down, with the time, what happens on them. */
export class Witness implements SocketOwner {
  readonly notes: string[] = []
  readonly sockets: Socket[] = []
  readonly #scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  deliver(input: () => void): void {
    input()
  }

  socketOpened(socket: Socket): void {
    this.sockets.push(socket)
  }

  socketEnded(): void {}

  handler(): SocketHandler {
    return {
      connected: () => this.#note('connected'),
      received: (bytes) => this.#note(`received ${bytes}`),
      closed: (reason) => this.#note(reason),
    }
  }

  accept = (): SocketHandler => {
    this.#note('accepted')
    return this.handler()
  }

  #note(text: string): void {
    this.notes.push(`${this.#scheduler.nowMs} ${text}`)
  }
}

type World = ReturnType<typeof createNetwork>

export const PORT = 6379

export function listen(world: World): Witness {
  const server = new Witness(world.scheduler)
  world.network.listen(world.b, PORT, { owner: server, accept: server.accept })
  return server
}

/** From `a` to `b`. */
export function connect(world: World, timeoutMs = 60_000): { client: Witness; socket: Socket } {
  const client = new Witness(world.scheduler)
  const socket = world.network.connect({
    from: world.a,
    host: world.b.ip,
    port: PORT,
    timeoutMs,
    owner: client,
    handler: client.handler(),
  })
  return { client, socket }
}

/** An established connection from `a` to `b`. */
export function connected(world: World) {
  const server = listen(world)
  const { client, socket } = connect(world)
  world.scheduler.runUntil(10)
  return { client, server, socket, accepted: server.sockets[0] as Socket }
}

/** A process on host `a` whose program the test provides. */
export function createProcess(program: (process: Process) => Partial<Program>) {
  const world = createNetwork()
  const { scheduler, network } = world
  const disk = new Disk({
    scheduler,
    rng: createRng('disk'),
    latency: { minMs: 10, maxMs: 10 },
  })
  const process = new Process({
    name: 'p',
    host: world.a,
    clock: new ProcessClock({ wallOffsetMs: 0, monoStartMs: 1_000 }),
    disk,
    scheduler,
    network,
    boot: (self) => ({
      wake: () => {},
      nextWakeUpMs: () => undefined,
      stopRequested: () => {},
      ...program(self),
    }),
    changed: () => {},
  })
  return { ...world, disk, process }
}
