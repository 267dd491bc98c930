/**
 * The metrics of a data node. Nearly all of it is INFO, which is why a dashboard made for redis_exporter works
 * with a redis-server and with this node alike. It takes about a millisecond, and is done in one go.
 */
import { infoFields } from '../../base/info-fields.ts'
import type { NodeServices } from '../../server/context.ts'
import { infoText } from '../../server/info/info.ts'
import { addRows, Exposition, labelText } from './exposition.ts'
import { counter, gauge, type MetricFamily, type MetricRow } from './family.ts'
import { addInfoMetrics, infoNumber, NODE_INFO_METRICS } from './info-metrics.ts'
import { addProcessMetrics, PROCESS_FAMILIES, type ProcessReading } from './process-metrics.ts'

/** The ledgers in the folder of the node, from this run and from earlier ones. */
export interface LedgersOnDisk {
  readonly files: number
  readonly bytes: number
}

/** A data node at the moment of the scrape. */
export interface NodeReading {
  readonly node: NodeServices
  /** INFO by field. */
  readonly fields: Fields
  readonly ledgers: LedgersOnDisk
}

type Fields = ReadonlyMap<string, string>

const INFO = gauge('redis_instance_info', {
  labels: [
    ...['role', 'redis_version', 'redis_build_id', 'redis_mode', 'os', 'maxmemory_policy'],
    ...['tcp_port', 'run_id', 'process_id', 'master_replid'],
  ],
  help: 'Always 1; the labels describe the process and its role.',
})
const SLAVE_INFO = gauge('redis_slave_info', {
  labels: ['master_host', 'master_port', 'read_only'],
  help: 'Always 1 on a replica; the labels name the master it follows.',
})

/** By the field of INFO, on a replica only. */
const FOLLOWING: readonly (readonly [field: string, family: MetricFamily])[] = [
  following('master_link_status', 'master_link_up', 'The link to the master is up.'),
  following(
    'master_sync_in_progress',
    'master_sync_in_progress',
    'The node is receiving a full copy.',
  ),
  following(
    'master_last_io_seconds_ago',
    'master_last_io_seconds_ago',
    'Seconds since the last byte from the master; -1 while the link is down.',
  ),
  following(
    'slave_repl_offset',
    'slave_repl_offset',
    'The offset up to which the node has applied the stream.',
  ),
]

function following(field: string, name: string, help: string) {
  const labels = ['master_host', 'master_port']
  return [field, gauge(`redis_${name}`, { labels, help })] as const
}

const ATTACHED_LABELS = ['slave_ip', 'slave_port', 'slave_state']
const ATTACHED_OFFSET = gauge('redis_connected_slave_offset_bytes', {
  labels: ATTACHED_LABELS,
  unit: 'bytes',
  help: 'The offset that an attached replica has acknowledged.',
})
const ATTACHED_LAG = gauge('redis_connected_slave_lag_seconds', {
  labels: ATTACHED_LABELS,
  unit: 'seconds',
  help: 'Time since the last acknowledgement of an attached replica.',
})

/** Parts of `keys=3,expires=1,avg_ttl=5000`, and what one of them counts. */
const KEYSPACE = [
  ['keys', 1, gauge('redis_db_keys', { labels: ['db'], help: 'Keys of a database.' })],
  [
    'expires',
    1,
    gauge('redis_db_keys_expiring', {
      labels: ['db'],
      help: 'Keys of a database that have a time to live.',
    }),
  ],
  [
    'avg_ttl',
    1 / 1000,
    gauge('redis_db_avg_ttl_seconds', {
      labels: ['db'],
      unit: 'seconds',
      help: 'Average time to live of those keys.',
    }),
  ],
] as const

/** Parts of `calls=3,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1`. */
const COMMANDS = [
  ['calls', counter('redis_commands_total', { labels: ['cmd'], help: 'Calls of a command.' })],
  [
    'rejected_calls',
    counter('redis_commands_rejected_calls_total', {
      labels: ['cmd'],
      help: 'Calls of a command that were refused before execution.',
    }),
  ],
  [
    'failed_calls',
    counter('redis_commands_failed_calls_total', {
      labels: ['cmd'],
      help: 'Calls of a command that ended with an error.',
    }),
  ],
] as const

const ERRORS = counter('redis_errors_total', {
  labels: ['err'],
  help: 'Error replies by their first word.',
})

const OWN_ROWS: readonly MetricRow<NodeReading>[] = [
  {
    family: gauge('vedette_node_is_master', {
      unit: 'yes or no',
      help: 'The node takes itself for a master; its Sentinels may have named another one.',
    }),
    read: ({ node }) => !node.replication.isReplica(),
  },
  {
    family: gauge('vedette_node_writes_fenced', {
      unit: 'yes or no',
      help: 'The node refuses writes because too few replicas or voters would receive them.',
    }),
    read: ({ node: { replication } }) =>
      !replication.isReplica() &&
      (replication.refusal() ?? replication.strict.refusal()) !== undefined,
  },
  {
    family: gauge('vedette_node_refuses_empty_master', {
      unit: 'yes or no',
      help: 'The node keeps data that its master has lost, and waits for a decision.',
    }),
    read: ({ fields }) => fields.get('replica_empty_master_guard') === '1',
  },
  {
    family: counter('vedette_node_unapplied_commands_total', {
      help: 'Commands from the master that this node does not know, or that failed here, since the last full copy: their changes are missing.',
    }),
    read: ({ node }) => node.stats.unappliedCommands,
  },
  {
    family: counter('vedette_node_evicted_clients_total', {
      help: 'Connections closed because the heap was full.',
    }),
    read: ({ node }) => node.stats.evictedClients,
  },
  heapRow('limit', 'The size of the heap at which the process would end.'),
  heapRow('used', 'Heap in use, garbage included.'),
  heapRow('collected', 'Heap in use after the last full garbage collection.'),
  {
    family: gauge('vedette_heap_refusing_writes', {
      unit: 'yes or no',
      help: 'The node refuses writes because the heap is nearly full.',
    }),
    read: ({ fields }) => infoNumber(fields.get('vedette_heap_refusing_writes')),
  },
  {
    family: counter('vedette_heap_refused_commands_total', {
      help: 'Commands refused because the heap was nearly full.',
    }),
    read: ({ node }) => node.stats.outOfMemory,
  },
  {
    family: gauge('vedette_ledger_files', {
      help: 'Ledgers in the folder of the node; each keeps writes that a failover discarded.',
    }),
    read: ({ ledgers }) => ledgers.files,
  },
  {
    family: gauge('vedette_ledger_bytes', { unit: 'bytes', help: 'Total size of the ledgers.' }),
    read: ({ ledgers }) => ledgers.bytes,
  },
  {
    family: counter('vedette_ledgers_written_total', {
      help: 'Ledgers that this process has written.',
    }),
    read: ({ fields }) => infoNumber(fields.get('lost_writes_ledgers') ?? '0'),
  },
]

function heapRow(name: string, help: string): MetricRow<NodeReading> {
  return {
    family: gauge(`vedette_heap_${name}_bytes`, { help, unit: 'bytes' }),
    read: ({ fields }) => infoNumber(fields.get(`vedette_heap_${name}`)),
  }
}

/** Everything a data node may show, in the order in which it is shown. */
export const NODE_FAMILIES: readonly MetricFamily[] = [
  ...PROCESS_FAMILIES,
  INFO,
  ...NODE_INFO_METRICS.map(({ family }) => family),
  SLAVE_INFO,
  ...FOLLOWING.map(([, family]) => family),
  ATTACHED_OFFSET,
  ATTACHED_LAG,
  ...KEYSPACE.map(([, , family]) => family),
  ...COMMANDS.map(([, family]) => family),
  ERRORS,
  ...OWN_ROWS.map(({ family }) => family),
]

/** The document in pieces. `node.now` is the moment of the last turn: the caller makes one first. */
export function nodeMetrics(
  node: NodeServices,
  ledgers: LedgersOnDisk,
  process: ProcessReading,
): readonly string[] {
  const fields = infoFields(infoText({ node, now: node.now }, ['everything']))
  const page = new Exposition(NODE_FAMILIES)
  addProcessMetrics(page, process)
  page.add(INFO, labelText(INFO.labels.map((name) => [name, fields.get(name) ?? ''])), 1)
  addInfoMetrics(page, NODE_INFO_METRICS, fields)
  if (node.replication.isReplica()) addMaster(page, fields)
  addReplicas(page, fields)
  for (const [name, value] of fields) addListed(page, name, value)
  addRows(page, OWN_ROWS, '', { node, fields, ledgers })
  return page.pieces()
}

function addMaster(page: Exposition, fields: Fields): void {
  const host = ['master_host', fields.get('master_host') ?? ''] as const
  const port = ['master_port', fields.get('master_port') ?? ''] as const
  const readOnly = ['read_only', fields.get('slave_read_only') ?? ''] as const
  page.add(SLAVE_INFO, labelText([host, port, readOnly]), 1)
  for (const [field, family] of FOLLOWING) {
    page.add(family, labelText([host, port]), infoNumber(fields.get(field)) ?? 0)
  }
}

/** Fields whose names are made: one for each database, command and kind of error. */
function addListed(page: Exposition, name: string, value: string): void {
  if (/^db\d+$/.test(name)) addDatabase(page, name, partsOf(value))
  else if (name.startsWith('cmdstat_')) addCommand(page, name.slice(8), partsOf(value))
  else if (name.startsWith('errorstat_')) {
    const count = Number(partsOf(value).get('count') ?? 0)
    page.add(ERRORS, labelText([['err', name.slice(10)]]), count)
  }
}

/** `ip=10.0.0.2,port=6379` by name. */
function partsOf(value: string): Fields {
  return new Map(
    value.split(',').map((part) => {
      const at = part.indexOf('=')
      return [part.slice(0, at), part.slice(at + 1)]
    }),
  )
}

/** A replica that has just reconnected may stand there twice; Prometheus refuses that. */
function addReplicas(page: Exposition, fields: Fields): void {
  const byLabels = new Map<string, Fields>()
  for (const [name, value] of fields) {
    if (!/^slave\d+$/.test(name)) continue
    const parts = partsOf(value)
    const labels = labelText([
      ['slave_ip', parts.get('ip') ?? ''],
      ['slave_port', parts.get('port') ?? ''],
      ['slave_state', parts.get('state') ?? ''],
    ])
    byLabels.set(labels, parts)
  }
  for (const [labels, parts] of byLabels) {
    page.add(ATTACHED_OFFSET, labels, Number(parts.get('offset') ?? 0))
    page.add(ATTACHED_LAG, labels, Number(parts.get('lag') ?? 0))
  }
}

function addDatabase(page: Exposition, name: string, parts: Fields): void {
  for (const [part, scale, family] of KEYSPACE) {
    page.add(family, labelText([['db', name]]), Number(parts.get(part) ?? 0) * scale)
  }
}

function addCommand(page: Exposition, name: string, parts: Fields): void {
  for (const [part, family] of COMMANDS) {
    page.add(family, labelText([['cmd', name]]), Number(parts.get(part) ?? 0))
  }
}
