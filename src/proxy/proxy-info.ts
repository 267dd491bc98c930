/** PROXY INFO: what a person wants to know when the proxy answers but the data do not. */
import { hostAndPort } from '../base/ip.ts'
import { encodeReply } from '../resp/encode.ts'
import { array, bulk, simple } from '../resp/reply.ts'
import type { ProxiedGroup } from './proxied-group.ts'
import type { ProxyCounts } from './session-home.ts'

/** The proxy, as far as it tells of itself. */
export interface ProxyFacts {
  readonly nowMs: number
  readonly uptimeMs: number
  readonly isStopping: boolean
  readonly clients: number
  /** Clients of which commands wait for a master. */
  readonly holding: number
  readonly counts: ProxyCounts
  readonly sentinels: readonly { readonly isUp: boolean }[]
  readonly groups: readonly ProxiedGroup[]
}

/** Fields as in INFO, for people, exporters and /metrics. */
export function proxyFields(proxy: ProxyFacts): readonly (readonly [string, string | number])[] {
  const { counts, sentinels, groups } = proxy
  return [
    ['uptime_in_seconds', Math.floor(proxy.uptimeMs / 1_000)],
    ['stopping', proxy.isStopping ? 1 : 0],
    ['connected_clients', proxy.clients],
    ['holding_clients', proxy.holding],
    ['held_bytes', counts.heldBytes],
    ['commands', counts.commands],
    ['refused_commands', counts.refused],
    ['unanswered_commands', counts.unanswered],
    ['repeated_commands', counts.repeated],
    ['moves', counts.moves],
    ['sentinels', sentinels.length],
    ['sentinels_connected', sentinels.filter(({ isUp }) => isUp).length],
    ...groups.map((group) => [`group_${group.name}`, groupText(proxy, group)] as const),
  ]
}

function groupText({ nowMs }: ProxyFacts, group: ProxiedGroup): string {
  const master = group.masterAt(nowMs)
  const name = master === undefined ? 'none' : hostAndPort(master.host, master.port)
  const replicas = group.readableAt(nowMs).length
  const electors = group.electorate.electors().size
  const saying = master === undefined ? 0 : (group.confirmed?.sentinels ?? 0)
  return `master=${name},confirmed_by=${saying},sentinels=${electors},readable_replicas=${replicas}`
}

export function proxyInfo(proxy: ProxyFacts): string {
  const lines = proxyFields(proxy).map(([name, value]) => `${name}:${value}\r\n`)
  return encodeReply(bulk(`# Proxy\r\n${lines.join('')}`), 2)
}

export function proxyHelp(): string {
  const lines = [
    'PROXY <subcommand>. Subcommands are:',
    'INFO',
    '    What this proxy forwards to, holds, and has answered itself.',
    'HELP',
    '    This text.',
  ]
  return encodeReply(array(lines.map(simple)), 2)
}
