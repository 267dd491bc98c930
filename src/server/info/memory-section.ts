/**
 * INFO memory. The runtime says how much it uses and the kernel how much is resident; the allocator, the
 * scripts and the shares of clients are not measured. What of the heap was there before any data is not
 * known either, so all of it counts as data.
 */
import { humanBytes } from '../arguments/numbers.ts'
import type { CommandContext } from '../context.ts'
import { lines } from './info-lines.ts'

export function memory(context: CommandContext): string[] {
  return lines({ ...amounts(context), ...scripts(), ...limits(context), ...shares() })
}

type Fields = Readonly<Record<string, string | number>>

function amounts({ node }: CommandContext): Fields {
  const { usedBytes, residentBytes, peakBytes, machineBytes } = node.port.processFacts()
  return {
    used_memory: usedBytes,
    used_memory_human: humanBytes(usedBytes),
    used_memory_rss: residentBytes,
    used_memory_rss_human: humanBytes(residentBytes),
    used_memory_peak: peakBytes,
    used_memory_peak_human: humanBytes(peakBytes),
    used_memory_peak_perc: percentage(usedBytes, peakBytes),
    used_memory_overhead: 0,
    used_memory_startup: 0,
    used_memory_dataset: usedBytes,
    used_memory_dataset_perc: percentage(usedBytes, usedBytes),
    allocator_allocated: usedBytes,
    allocator_active: usedBytes,
    allocator_resident: residentBytes,
    total_system_memory: machineBytes,
    total_system_memory_human: humanBytes(machineBytes),
  }
}

function scripts(): Fields {
  return {
    used_memory_lua: 0,
    used_memory_vm_eval: 0,
    used_memory_lua_human: humanBytes(0),
    used_memory_scripts_eval: 0,
    number_of_cached_scripts: 0,
    number_of_functions: 0,
    number_of_libraries: 0,
    used_memory_vm_functions: 0,
    used_memory_vm_total: 0,
    used_memory_vm_total_human: humanBytes(0),
    used_memory_functions: 0,
    used_memory_scripts: 0,
    used_memory_scripts_human: humanBytes(0),
  }
}

function limits({ node }: CommandContext): Fields {
  const maxmemory = node.settings.int('maxmemory')
  return {
    maxmemory,
    maxmemory_human: humanBytes(maxmemory),
    maxmemory_policy: node.settings.text('maxmemory-policy'),
  }
}

function shares(): Fields {
  return {
    allocator_frag_ratio: '1.00',
    allocator_frag_bytes: 0,
    allocator_rss_ratio: '1.00',
    allocator_rss_bytes: 0,
    rss_overhead_ratio: '1.00',
    rss_overhead_bytes: 0,
    mem_fragmentation_ratio: '1.00',
    mem_fragmentation_bytes: 0,
    mem_not_counted_for_evict: 0,
    mem_replication_backlog: 0,
    mem_total_replication_buffers: 0,
    mem_clients_slaves: 0,
    mem_clients_normal: 0,
    mem_cluster_links: 0,
    mem_aof_buffer: 0,
    mem_allocator: 'javascript',
    active_defrag_running: 0,
    lazyfree_pending_objects: 0,
    lazyfreed_objects: 0,
  }
}

/** A process that is only simulated uses none of nothing. */
function percentage(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(2)}%`
}
