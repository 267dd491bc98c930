/**
 * A world on real sockets, in one Node process and in real time. Machines, hosts and links are
 * those of production; network, disks and clocks are those of the simulated world, so that every
 * fault means the same here as there.
 */

import type { Happening } from '../../history/happening.ts'
import type { Topology } from '../../history/topology.ts'
import { REAL_TIMERS } from '../../io/process/timers.ts'
import type { Reply } from '../../resp/reply.ts'
import type { World } from '../../scenario/world.ts'
import type { Process } from '../../sim/processes/process.ts'
import type { Makers } from '../../sim/processes/programs.ts'
import type { Shell } from '../../sim/processes/shell.ts'
import { SimWorld } from '../../sim/world.ts'
import { RealShell } from '../real-shell.ts'
import { type AddressBlock, claimBlock } from './addresses.ts'
import { hostNode } from './hosted-node.ts'
import { hostSentinel } from './hosted-sentinel.ts'
import { ProxyNetwork } from './proxy-network.ts'
import { RealTime } from './real-time.ts'

const ANSWER_LIMIT_MS = 5_000

export interface TcpWorld extends World {
  /**
   * How far the world was behind the clock at the worst moment so far: a loaded machine shows here.
   */
  latestMs(): number
}

export async function createTcpWorld(topology: Topology, seed: string): Promise<TcpWorld> {
  const block = await claimBlock()
  const time = new RealTime()
  const fabric = new ProxyNetwork(time)
  const world = new SimWorld(topology, seed, {
    make: makersOf(fabric),
    ipOf: (number) => block.announced(number),
  })
  const parts = { block, time, fabric, world, waiting: new Set<() => void>() }
  try {
    await openDoors(parts)
  } catch (error) {
    await close(parts)
    throw error
  }
  time.begin(world)
  return assemble(parts)
}

interface Parts {
  readonly block: AddressBlock
  readonly time: RealTime
  readonly fabric: ProxyNetwork
  readonly world: SimWorld
  /** Functions that end the waits in progress, in case the world ends first. */
  readonly waiting: Set<() => void>
}

function makersOf(fabric: ProxyNetwork): Makers {
  return {
    node: (start) => hostNode(fabric, start),
    sentinel: (start) => hostSentinel(fabric, start),
    shell: (process) => shellOf(fabric, process),
  }
}

function shellOf(fabric: ProxyNetwork, process: Process): Shell {
  const { name, life } = process
  const surroundings = fabric.surroundings(process)
  const shell = new RealShell({ name, life, surroundings, onExit: () => process.exit() })
  process.atEnd(() => shell.abandon())
  return shell
}

/** Called before any process starts: opening takes a moment of real time, starting must not. */
async function openDoors({ world, fabric }: Parts): Promise<void> {
  const { nodes, sentinels } = world.topology
  const addresses = [...nodes, ...sentinels].map(({ name }) => world.addressOf(name))
  await Promise.all(addresses.map(({ host, port }) => fabric.open(host, port)))
}

function assemble(parts: Parts): TcpWorld {
  const { time, world } = parts
  return {
    runUntil: (atMs, isMet) => runUntil(parts, atMs, isMet),
    apply: async (action) => time.enter(() => world.apply(action)),
    ask: (process, argv, before = []) => ask(parts, process, [...before, argv]),
    nameOf: (address) => world.nameOf(address),
    happenings: () => world.happenings,
    writes: () => world.writes,
    reads: () => world.reads,
    questions: () => world.questions,
    latestMs: () => time.latestMs,
    close: () => close(parts),
  }
}

function runUntil(
  { time, world, waiting }: Parts,
  atMs: number,
  isMet?: (happening: Happening) => boolean,
): Promise<number> {
  return new Promise((resolve) => {
    const done = () => {
      REAL_TIMERS.clearTimeout(timer)
      waiting.delete(done)
      world.watch(undefined, () => undefined)
      resolve(time.nowMs)
    }
    waiting.add(done)
    // A timer of Node may fire a millisecond early.
    const wait = (): NodeJS.Timeout =>
      REAL_TIMERS.setTimeout(
        () => {
          if (time.preciseMs >= atMs) time.enter(done)
          else timer = wait()
        },
        Math.ceil(atMs - time.preciseMs),
      )
    let timer = wait()
    world.watch(isMet, done)
  })
}

function ask(
  { time, world, waiting }: Parts,
  process: string,
  commands: readonly (readonly string[])[],
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const answered = (reply: Reply | undefined) => {
      REAL_TIMERS.clearTimeout(timer)
      waiting.delete(giveUp)
      resolve(reply)
    }
    const giveUp = () => answered(undefined)
    const timer = REAL_TIMERS.setTimeout(giveUp, ANSWER_LIMIT_MS)
    waiting.add(giveUp)
    const last = commands.at(-1) ?? []
    time.enter(() => world.ask(process, last, answered, commands.slice(0, -1)))
  })
}

async function close({ block, time, fabric, world, waiting }: Parts): Promise<void> {
  for (const end of [...waiting]) end()
  time.end()
  world.end()
  await fabric.close()
  await block.release()
  // Closed sockets are gone at the end of this turn of the event loop, after the immediates.
  for (let turn = 0; turn < 2; turn++)
    await new Promise((resolve) => REAL_TIMERS.setImmediate(resolve))
}
