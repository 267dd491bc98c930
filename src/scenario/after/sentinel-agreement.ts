/** Whether all Sentinels name the same master, in the same config epoch. */
import type { Reply } from '../../resp/reply.ts'
import type { SentinelSpec } from '../../sim/topology.ts'
import type { World } from '../world.ts'

/** What a Sentinel answered about one group. */
export interface SentinelView {
  readonly sentinel: string
  /** Name of the node, or its address; undefined: it did not say. */
  readonly master: string | undefined
  readonly configEpoch: number | undefined
}

export async function readSentinels(
  world: World,
  group: string,
  sentinels: readonly SentinelSpec[],
): Promise<readonly SentinelView[]> {
  const views: SentinelView[] = []
  for (const { name: sentinel } of sentinels) {
    const address = await world.ask(sentinel, ['SENTINEL', 'get-master-addr-by-name', group])
    const fields = await world.ask(sentinel, ['SENTINEL', 'MASTER', group])
    const master = nameIn(address, world)
    views.push({ sentinel, master, configEpoch: numberOf(fields, 'config-epoch') })
  }
  return views
}

/** In words; empty: they agree. */
export function sentinelDifferences(
  group: string,
  views: readonly SentinelView[],
): readonly string[] {
  if (views.length === 0) return [`${group}: no Sentinel runs`]
  const silent = views.filter(
    ({ master, configEpoch }) => master === undefined || configEpoch === undefined,
  )
  if (silent.length > 0) {
    return silent.map(({ sentinel }) => `${group}: ${sentinel} does not tell the master`)
  }
  const told = new Set(views.map(({ master, configEpoch }) => `${master} in epoch ${configEpoch}`))
  if (told.size === 1) return []
  return views.map(
    ({ sentinel, master, configEpoch }) =>
      `${group}: ${sentinel} names ${master} in config epoch ${configEpoch}`,
  )
}

function nameIn(reply: Reply | undefined, world: World): string | undefined {
  if (reply?.kind !== 'array') return undefined
  const [host, port] = reply.items
  if (host?.kind !== 'bulk' || port?.kind !== 'bulk') return undefined
  return world.nameOf({ host: host.bytes, port: Number(port.bytes) })
}

/** Of a flat list of names and values, or a map. */
function numberOf(reply: Reply | undefined, name: string): number | undefined {
  const value = fieldOf(reply, name)
  return value?.kind === 'bulk' ? Number(value.bytes) : undefined
}

function fieldOf(reply: Reply | undefined, name: string): Reply | undefined {
  const isName = (one: Reply): boolean => one.kind === 'bulk' && one.bytes === name
  if (reply?.kind === 'map') return reply.entries.find(([field]) => isName(field))?.[1]
  if (reply?.kind !== 'array') return undefined
  const place = reply.items.findIndex((one, at) => at % 2 === 0 && isName(one))
  return place < 0 ? undefined : reply.items[place + 1]
}
