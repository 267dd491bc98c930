/**
 * Finds every node and every Sentinel: those the configuration names, those this Sentinel has learnt, and
 * those that they name in turn. Each address is looked at once.
 */
import { hostAndPort } from '../../../base/ip.ts'
import { processOf } from '../../status/info.ts'
import { addressOf } from '../../status/view.ts'
import { isReached, type SeenNode, type SeenSentinel } from './facts.ts'

/** No deployment has more; a made-up list must not keep us busy for ever. */
const MOST = 64

export interface Named {
  readonly address: string
  /** What named it. */
  readonly by: string
}

type Look<Facts> = (named: Named) => Promise<Facts>

/** Wave by wave: the addresses that the last wave named and that have not been looked at yet. */
async function search<Facts>(
  first: readonly Named[],
  look: Look<Facts>,
  namedBy: (facts: Facts) => readonly Named[],
): Promise<readonly Facts[]> {
  const found: Facts[] = []
  const asked = new Set<string>()
  let next = unasked(first, asked)
  while (next.length > 0) {
    for (const { address } of next) asked.add(address)
    const wave = await Promise.all(next.map(look))
    found.push(...wave)
    next = unasked(wave.flatMap(namedBy), asked)
  }
  return found
}

function unasked(named: readonly Named[], asked: ReadonlySet<string>): readonly Named[] {
  const byAddress = new Map(named.map((one) => [one.address, one]).reverse() as [string, Named][])
  const fresh = [...byAddress.values()].reverse().filter(({ address }) => !asked.has(address))
  return fresh.slice(0, MOST - asked.size)
}

export function searchNodes(
  first: readonly Named[],
  look: Look<SeenNode>,
): Promise<readonly SeenNode[]> {
  return search(first, look, (facts) => nodesNamedIn(facts))
}

/** `slave0:ip=10.0.0.2,port=6379,…` of a master, and the master of a replica. */
export function nodesNamedIn({ info, address }: Pick<SeenNode, 'info' | 'address'>): Named[] {
  const replicas = [...info].flatMap(([name, value]) => {
    const match = /^slave\d+$/.test(name) ? /ip=([^,]+),port=(\d+)/.exec(value) : null
    const [, host, port] = match ?? []
    if (host === undefined || port === undefined) return []
    return [{ address: hostAndPort(host, port), by: `its master ${address}` }]
  })
  const [host, port] = [info.get('master_host'), info.get('master_port')]
  if (host === undefined || port === undefined) return replicas
  return [...replicas, { address: hostAndPort(host, port), by: `its replica ${address}` }]
}

/** The others of the groups that the file configures. One process under two addresses counts once. */
export async function searchSentinels(
  first: readonly Named[],
  look: Look<SeenSentinel>,
  groups: ReadonlySet<string>,
): Promise<readonly SeenSentinel[]> {
  const found = await search(first, look, ({ peers, address }) =>
    [...peers].flatMap(([group, addresses]) => {
      if (!groups.has(group)) return []
      return addresses.map((peer) => ({ address: peer, by: `Sentinel ${address}` }))
    }),
  )
  const seen = new Set<string>()
  return found.filter((facts) => {
    const id = processOf(facts.info)
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id)
      return true
    }
    return false
  })
}

/** The master that most Sentinels name; undefined if none does. */
export function masterNamedBy(
  sentinels: readonly SeenSentinel[],
  group: string,
): string | undefined {
  const counts = new Map<string, number>()
  for (const { groups } of sentinels.filter(isReached)) {
    const fields = groups.find(({ name }) => name === group)
    if (fields === undefined) continue
    const address = addressOf(fields)
    counts.set(address, (counts.get(address) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}
