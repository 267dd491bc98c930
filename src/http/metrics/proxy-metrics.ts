/** The metrics of a proxy: what it forwards, holds, and has had to answer itself. */
import type { ProxiedGroup } from '../../proxy/proxied-group.ts'
import type { ProxyFacts } from '../../proxy/proxy-info.ts'
import { addRows, Exposition, labelText } from './exposition.ts'
import { counter, gauge, type MetricRow } from './family.ts'
import { addProcessMetrics, PROCESS_FAMILIES, type ProcessReading } from './process-metrics.ts'

const ROWS: readonly MetricRow<ProxyFacts>[] = [
  {
    family: gauge('vedette_proxy_clients', { help: 'Connected clients.' }),
    read: ({ clients }) => clients,
  },
  {
    family: gauge('vedette_proxy_holding_clients', {
      help: 'Clients with a command that waits for a confirmed master.',
    }),
    read: ({ holding }) => holding,
  },
  {
    family: gauge('vedette_proxy_held_bytes', {
      help: 'Bytes of waiting commands.',
      unit: 'bytes',
    }),
    read: ({ counts }) => counts.heldBytes,
  },
  {
    family: counter('vedette_proxy_commands_total', { help: 'Commands received from clients.' }),
    read: ({ counts }) => counts.commands,
  },
  {
    family: counter('vedette_proxy_refused_commands_total', {
      help: 'Commands that were answered with NOMASTER and never sent.',
    }),
    read: ({ counts }) => counts.refused,
  },
  {
    family: counter('vedette_proxy_unanswered_commands_total', {
      help: 'Commands that were answered with UNANSWERED because their master was lost.',
    }),
    read: ({ counts }) => counts.unanswered,
  },
  {
    family: counter('vedette_proxy_repeated_commands_total', {
      help: 'Commands that were sent to another master because the first one had not executed them.',
    }),
    read: ({ counts }) => counts.repeated,
  },
  {
    family: counter('vedette_proxy_moves_total', {
      help: 'Client connections that were moved to another node.',
    }),
    read: ({ counts }) => counts.moves,
  },
  {
    family: gauge('vedette_proxy_sentinels_connected', {
      help: 'Connected Sentinels.',
    }),
    read: ({ sentinels }) => sentinels.filter(({ isUp }) => isUp).length,
  },
]

interface GroupReading {
  readonly group: ProxiedGroup
  readonly nowMs: number
}

const LABELS = ['group']
const GROUP_ROWS: readonly MetricRow<GroupReading>[] = [
  {
    family: gauge('vedette_proxy_master_confirmed', {
      labels: LABELS,
      help: 'A majority of the Sentinels has named the same master within the lease.',
      unit: 'yes or no',
    }),
    read: ({ group, nowMs }) => group.masterAt(nowMs) !== undefined,
  },
  {
    family: gauge('vedette_proxy_voters', {
      labels: LABELS,
      help: 'Sentinels that count as voters.',
    }),
    read: ({ group }) => group.electorate.electors().size,
  },
  {
    family: gauge('vedette_proxy_readable_replicas', {
      labels: LABELS,
      help: 'Replicas that the read port may use.',
    }),
    read: ({ group, nowMs }) => group.readableAt(nowMs).length,
  },
]

export const PROXY_FAMILIES = [...ROWS, ...GROUP_ROWS]
  .map(({ family }) => family)
  .concat(PROCESS_FAMILIES)

export function proxyMetrics(proxy: ProxyFacts, reading: ProcessReading): readonly string[] {
  const page = new Exposition(PROXY_FAMILIES)
  addRows(page, ROWS, '', proxy)
  for (const group of proxy.groups) {
    addRows(page, GROUP_ROWS, labelText([['group', group.name]]), { group, nowMs: proxy.nowMs })
  }
  addProcessMetrics(page, reading)
  return page.pieces()
}
