/** What is used, of what, and for what: the numbers behind INFO memory, MEMORY STATS and MEMORY DOCTOR. */
import type { NodeServices } from '../context.ts'

export interface MemoryReport {
  readonly used: number
  readonly peak: number
  readonly startup: number
  /** All but keys and values. */
  readonly overhead: number
  /** Keys and values. */
  readonly dataset: number
  /** What the engine has allocated, garbage included, and what it has taken from the system for that. */
  readonly allocated: number
  readonly active: number
  readonly resident: number
  readonly machine: number
}

type ReportedNode = Pick<NodeServices, 'memory' | 'clientMemory' | 'port'>

export function memoryReport({ memory, clientMemory, port }: ReportedNode): MemoryReport {
  clientMemory.refresh()
  const used = memory.usedBytes
  const { content } = memory.parts()
  const facts = port.processFacts()
  return {
    used,
    peak: memory.peakBytes,
    startup: memory.startupBytes,
    overhead: used - content,
    dataset: content,
    allocated: facts.usedBytes,
    active: Math.max(facts.usedBytes, facts.reservedBytes),
    resident: facts.residentBytes,
    machine: facts.machineBytes,
  }
}
