/** MEMORY: what a key takes, what the node takes, and what is wrong with it. */
import { bulk, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { humanBytes, parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, helpReply } from '../../catalogue/command.ts'
import { ON_ALL_SHARDS, REPORT_OF_SHARD } from '../../catalogue/command-traits.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import { bytesOfKey } from '../../keyspace/entry-table.ts'
import { diagnose } from '../../memory/doctor.ts'
import { type MemoryReport, memoryReport } from '../../memory/memory-report.ts'

/** SAMPLES is how many elements Redis looks at to guess the rest; every value here knows its size. */
function usage({ db }: CommandContext, argv: readonly string[]): Reply {
  for (let at = 3; at < argv.length; at += 2) {
    const isSamples = arg(argv, at).toUpperCase() === 'SAMPLES' && at + 1 < argv.length
    if (!isSamples) return SYNTAX_ERROR
    const samples = parseInteger(argv[at + 1])
    if (samples === undefined) return NOT_AN_INTEGER
    if (samples < 0) return SYNTAX_ERROR
  }
  const key = arg(argv, 2)
  const entry = db.peek(key)
  if (entry === undefined) return NULL
  return integer(bytesOfKey(key, entry, db.entries.heapBytes / db.entries.size))
}

type Row = readonly [name: string, value: Reply]

function stats({ node }: CommandContext): Reply {
  const report = memoryReport(node)
  const rows = [...partRows(node, report), ...shareRows(node, report)]
  return { kind: 'map', entries: rows.map(([name, value]) => [bulk(name), value] as const) }
}

function partRows(node: NodeServices, { used, peak, startup }: MemoryReport): Row[] {
  const parts = node.memory.parts()
  return [
    ['peak.allocated', integer(peak)],
    ['total.allocated', integer(used)],
    ['startup.allocated', integer(startup)],
    ['replication.backlog', integer(parts.backlog)],
    ['clients.slaves', integer(parts.replicas)],
    ['clients.normal', integer(parts.clients)],
    ['cluster.links', integer(0)],
    ['aof.buffer', integer(parts.aof)],
    ['lua.caches', integer(parts.scripts)],
    ['functions.caches', integer(parts.functions)],
    ...node.keyspace.dbs.filter(({ entries }) => entries.size > 0).map(databaseRow),
  ]
}

function databaseRow(db: CommandContext['db']): Row {
  const entries = [
    ['overhead.hashtable.main', db.tableBytes],
    ['overhead.hashtable.expires', db.expiryBytes],
    ['overhead.hashtable.slot-to-keys', 0],
  ] as const
  const shown = entries.map(([name, bytes]) => [bulk(name), integer(bytes)] as const)
  return [`db.${db.index}`, { kind: 'map', entries: shown }]
}

function shareRows(node: NodeServices, report: MemoryReport): Row[] {
  const { used, peak, startup, overhead, dataset, allocated, active, resident } = report
  const keys = node.keyspace.dbs.reduce((sum, { entries }) => sum + entries.size, 0)
  const perKey = keys === 0 ? 0 : Math.floor((used - startup) / keys)
  return [
    ['overhead.total', integer(overhead)],
    ['keys.count', integer(keys)],
    ['keys.bytes-per-key', integer(perKey)],
    ['dataset.bytes', integer(dataset)],
    ['dataset.percentage', share(100 * dataset, used - startup)],
    ['peak.percentage', share(100 * used, peak)],
    ['allocator.allocated', integer(allocated)],
    ['allocator.active', integer(active)],
    ['allocator.resident', integer(resident)],
    ['allocator-fragmentation.ratio', share(active, allocated)],
    ['allocator-fragmentation.bytes', integer(active - allocated)],
    ['allocator-rss.ratio', share(resident, active)],
    ['allocator-rss.bytes', integer(resident - active)],
    ['rss-overhead.ratio', share(resident, resident)],
    ['rss-overhead.bytes', integer(0)],
    ['fragmentation', share(resident, used)],
    ['fragmentation.bytes', integer(resident - used)],
  ]
}

function share(part: number, whole: number): Reply {
  return { kind: 'double', value: whole === 0 ? 0 : part / whole }
}

function doctor({ node }: CommandContext): Reply {
  return { kind: 'verbatim', format: 'txt', text: diagnose(node) }
}

/** Collects all garbage, which no client can make us do for more than a tenth of the time. */
function purge({ node }: CommandContext): Reply {
  node.heap.purge()
  return OK
}

/** There is no allocator but the engine's, which tells this much. */
function allocatorStats({ node }: CommandContext): Reply {
  const { allocated, active, resident } = memoryReport(node)
  const { reading } = node.heap
  const lines = [
    `allocated ${allocated} (${humanBytes(allocated)}), garbage included`,
    `active ${active} (${humanBytes(active)})`,
    `resident ${resident} (${humanBytes(resident)})`,
    ...(reading === undefined
      ? ['no limit of the heap is known']
      : [
          `limit of the heap ${reading.limitBytes} (${humanBytes(reading.limitBytes)})`,
          `after the last of ${reading.collections} full collections ${reading.collectedBytes}`,
        ]),
  ]
  return { kind: 'verbatim', format: 'txt', text: `The engine's heap\n${lines.join('\n')}\n` }
}

function help(): Reply {
  return helpReply('MEMORY', [
    'DOCTOR',
    '    What is wrong with the memory of this node.',
    'MALLOC-STATS',
    '    What the engine tells of its heap: there is no allocator besides.',
    'PURGE',
    '    Collect all garbage, if that was not done a moment ago.',
    'STATS',
    '    What uses how much.',
    'USAGE <key> [SAMPLES <count>]',
    '    Bytes of a key and its value. All of it is counted, whatever SAMPLES says.',
  ])
}

export const memoryCommand = container('memory', [
  command('doctor', 2, '', [], doctor, REPORT_OF_SHARD),
  command('help', 2, 'loading stale', [], help),
  command('malloc-stats', 2, '', [], allocatorStats, REPORT_OF_SHARD),
  command('purge', 2, '', [], purge, ON_ALL_SHARDS),
  command('stats', 2, '', [], stats, REPORT_OF_SHARD),
  command('usage', -3, 'readonly no_touch', ['2 RO'], usage),
])
