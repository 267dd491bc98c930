/**
 * Where the members of the cluster live: ports, and the address from which each connects. All of
 * them are on 127.0.0.1; the distinct source addresses let a data node tell the rest of its cluster
 * from plain clients, and only so can it be cut off.
 */
import { createServer } from 'node:net'
import { StartError } from '../../io/start-error.ts'

export const HOST = '127.0.0.1'

export interface Place {
  readonly port: number
  /** Undefined if the system has only one loopback address. */
  readonly sourceAddress: string | undefined
}

export interface DemoLayout {
  /** The first one starts as the master. */
  readonly nodes: readonly Place[]
  readonly sentinels: readonly Place[]
}

/**
 * Sentinels listen this far above the data nodes, and their pages so far above the Sentinels. The command
 * line takes no more members than fit in between.
 */
const SENTINEL_OFFSET = 100
const PAGE_OFFSET = 50
const FIRST_PORT = 7000
const LAST_PORT = 65_535
/** Clusters side by side: 7000, 7200, 7400, … */
const PORT_STEP = 2 * SENTINEL_OFFSET

/** Takes these ports, or the first free ones. Throws a StartError if they are taken, or are no ports. */
export async function planLayout(
  nodes: number,
  sentinels: number,
  port: number | undefined,
): Promise<DemoLayout> {
  const base = port ?? (await findBase(nodes, sentinels))
  const ports = portsFrom(base, nodes, sentinels)
  if (port !== undefined) await demandFree(allOf(ports), port)
  const hasAddresses = await canListen('127.0.1.1', 0)
  const place = (subnet: number) => (at: number, index: number) => ({
    port: at,
    sourceAddress: hasAddresses ? `127.0.${subnet}.${index + 1}` : undefined,
  })
  return { nodes: ports.nodes.map(place(1)), sentinels: ports.sentinels.map(place(2)) }
}

/** Where a Sentinel of this port has its page. */
export function pagePort(sentinelPort: number): number {
  return sentinelPort + PAGE_OFFSET
}

type DemoPorts = ReturnType<typeof portsFrom>

function allOf({ nodes, sentinels }: DemoPorts): readonly number[] {
  return [...nodes, ...sentinels, ...sentinels.map(pagePort)]
}

function portsFrom(base: number, nodes: number, sentinels: number) {
  const range = (first: number, length: number) => Array.from({ length }, (_, i) => first + i)
  return { nodes: range(base, nodes), sentinels: range(base + SENTINEL_OFFSET, sentinels) }
}

async function findBase(nodes: number, sentinels: number): Promise<number> {
  for (let base = FIRST_PORT; base < 60_000; base += PORT_STEP) {
    const taken = await firstTaken(allOf(portsFrom(base, nodes, sentinels)))
    if (taken === undefined) return base
  }
  throw new StartError('E_ADDRESS_IN_USE', 'no free ports were found', 'choose some with --port')
}

async function demandFree(ports: readonly number[], base: number): Promise<void> {
  const last = Math.max(...ports)
  if (last > LAST_PORT) {
    throw new StartError(
      'E_OPTIONS',
      `--port ${base} leaves no room: the cluster would need port ${last}, and the last one is ${LAST_PORT}`,
      `choose a --port of at most ${base - (last - LAST_PORT)}, or leave it out`,
    )
  }
  const taken = await firstTaken(ports)
  if (taken === undefined) return
  throw new StartError(
    'E_ADDRESS_IN_USE',
    `port ${taken} is in use`,
    `the cluster needs ${ports.join(', ')}; choose another --port, or leave it out`,
  )
}

async function firstTaken(ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) if (!(await canListen(HOST, port))) return port
  return undefined
}

function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ host, port }, () => server.close(() => resolve(true)))
  })
}
