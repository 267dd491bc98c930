/**
 * INFO memory. What the node keeps it counts itself (memory/memory-use.ts); the allocator is the engine,
 * and the kernel says how much is resident. The program and the engine's own room are in `allocator_…` and
 * `…_rss` only, as the code of a compiled program is.
 */
import { humanBytes } from '../arguments/numbers.ts'
import type { CommandContext } from '../context.ts'
import { type MemoryReport, memoryReport } from '../memory/memory-report.ts'
import { lines } from './info-lines.ts'

type Source = Pick<CommandContext, 'node'>
type Node = Source['node']
type Parts = ReturnType<Node['memory']['parts']>

export function memory({ node }: Source): string[] {
  const report = memoryReport(node)
  const parts = node.memory.parts()
  // Sentinels ask often: objects with as many fields as all of these together are slow.
  return [
    ...lines(amounts(report)),
    ...lines(scripts(node, parts)),
    ...lines(limits(node)),
    ...lines(shares(node, report, parts)),
    ...lines(heap(node)),
  ]
}

type Fields = Readonly<Record<string, string | number>>

function amounts(report: MemoryReport): Fields {
  const { used, peak, overhead, dataset, startup } = report
  return {
    used_memory: used,
    used_memory_human: humanBytes(used),
    used_memory_rss: report.resident,
    used_memory_rss_human: humanBytes(report.resident),
    used_memory_peak: peak,
    used_memory_peak_human: humanBytes(peak),
    used_memory_peak_perc: percentage(used, peak),
    used_memory_overhead: overhead,
    used_memory_startup: startup,
    used_memory_dataset: dataset,
    used_memory_dataset_perc: percentage(dataset, used - startup),
    allocator_allocated: report.allocated,
    allocator_active: report.active,
    allocator_resident: report.resident,
    total_system_memory: report.machine,
    total_system_memory_human: humanBytes(report.machine),
  }
}

function scripts(node: Node, { scripts: cached, functions }: Parts): Fields {
  const lua = node.scripting.usedBytes
  return {
    used_memory_lua: lua.scripts,
    used_memory_vm_eval: lua.scripts,
    used_memory_lua_human: humanBytes(lua.scripts),
    used_memory_scripts_eval: cached,
    number_of_cached_scripts: node.scripting.scripts.size,
    number_of_functions: node.functions.functionCount,
    number_of_libraries: node.functions.size,
    used_memory_vm_functions: lua.functions,
    used_memory_vm_total: lua.scripts + lua.functions,
    used_memory_vm_total_human: humanBytes(lua.scripts + lua.functions),
    used_memory_functions: functions,
    used_memory_scripts: cached + functions,
    used_memory_scripts_human: humanBytes(cached + functions),
  }
}

function limits(node: Node): Fields {
  const maxmemory = node.settings.int('maxmemory')
  return {
    maxmemory,
    maxmemory_human: humanBytes(maxmemory),
    maxmemory_policy: node.settings.text('maxmemory-policy'),
    // Below maxmemory if the heap cannot hold that much: see memory/eviction.ts.
    ...(maxmemory > 0 ? { vedette_maxmemory_in_effect: node.eviction.maxBytes } : {}),
  }
}

function shares(node: Node, report: MemoryReport, parts: Parts): Fields {
  const { used, resident, allocated, active } = report
  const { backlog, replicas, clients, aof } = parts
  return {
    allocator_frag_ratio: ratio(active, allocated),
    allocator_frag_bytes: active - allocated,
    allocator_rss_ratio: ratio(resident, active),
    allocator_rss_bytes: resident - active,
    rss_overhead_ratio: '1.00',
    rss_overhead_bytes: 0,
    mem_fragmentation_ratio: ratio(resident, used),
    mem_fragmentation_bytes: resident - used,
    mem_not_counted_for_evict: node.memory.uncountedBytes,
    mem_replication_backlog: backlog,
    mem_total_replication_buffers: backlog + replicas,
    mem_clients_slaves: replicas,
    mem_clients_normal: clients,
    mem_cluster_links: 0,
    mem_aof_buffer: aof,
    mem_allocator: 'javascript',
    active_defrag_running: 0,
    lazyfree_pending_objects: 0,
    lazyfreed_objects: 0,
  }
}

/** Where the process would end, and how far it is from there: see memory/heap-guard.ts. */
function heap(node: Node): Fields {
  const { reading, isRefusing } = node.heap
  if (reading === undefined) return {}
  const { limitBytes, usedBytes, collectedBytes } = reading
  return {
    vedette_heap_limit: limitBytes,
    vedette_heap_limit_human: humanBytes(limitBytes),
    vedette_heap_used: usedBytes,
    vedette_heap_used_perc: percentage(usedBytes, limitBytes),
    vedette_heap_collected: collectedBytes,
    vedette_heap_collected_perc: percentage(collectedBytes, limitBytes),
    vedette_heap_refusing_writes: isRefusing ? 1 : 0,
    vedette_heap_refused_commands: node.stats.outOfMemory,
  }
}

/** A simulated process has no memory: no division by zero. */
function percentage(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(2)}%`
}

function ratio(part: number, whole: number): string {
  return (whole === 0 ? 1 : part / whole).toFixed(2)
}
