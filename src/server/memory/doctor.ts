/** MEMORY DOCTOR: what is wrong with the memory of this node, in sentences for the operator. */
import { humanBytes } from '../arguments/numbers.ts'
import type { NodeServices } from '../context.ts'
import { memoryReport } from './memory-report.ts'

/** Below this nothing that could be said would matter. */
const LITTLE_BYTES = 5 * 1024 * 1024
const HIGH_PEAK = 1.5
/** What the engine has taken from the system beyond what is used. */
const WASTEFUL = 1.5
const WASTEFUL_BYTES = 64 * 1024 * 1024
const NEARLY_FULL = 0.65
const MUCH_PER_CLIENT_BYTES = 200 * 1024
const MUCH_PER_REPLICA_BYTES = 10 * 1024 * 1024

type Complaint = (node: NodeServices) => string | undefined

const COMPLAINTS: readonly Complaint[] = [heapFull, limitBeyondHeap, noLimit, peak, waste, clients]

export function diagnose(node: NodeServices): string {
  const { used, startup } = memoryReport(node)
  const found = COMPLAINTS.flatMap((complaint) => complaint(node) ?? [])
  if (found.length > 0) return `${found.map((text) => `* ${text}`).join('\n')}\n`
  if (used - startup < LITTLE_BYTES) {
    return 'This node uses very little memory, so there is nothing to judge yet.\n'
  }
  return 'No memory problem was found.\n'
}

function heapFull({ heap }: NodeServices): string | undefined {
  const { reading, isRefusing } = heap
  if (reading === undefined || reading.limitBytes === 0) return undefined
  const { collectedBytes, limitBytes } = reading
  if (!isRefusing && collectedBytes < NEARLY_FULL * limitBytes) return undefined
  const state = isRefusing ? 'full, and commands that need memory are refused' : 'nearly full'
  return (
    `The heap of the process is ${state}: ${humanBytes(collectedBytes)} of ${humanBytes(limitBytes)}. ` +
    'Delete keys, set maxmemory with a policy that evicts, or start with a larger heap.'
  )
}

function limitBeyondHeap({ settings, eviction }: NodeServices): string | undefined {
  const given = settings.int('maxmemory')
  if (given === 0 || eviction.maxBytes === given) return undefined
  return (
    `maxmemory (${humanBytes(given)}) is more than the heap can hold: keys are evicted from ` +
    `${humanBytes(eviction.maxBytes)} on.`
  )
}

function noLimit({ settings }: NodeServices): string | undefined {
  const policy = settings.text('maxmemory-policy')
  if (settings.int('maxmemory') > 0 || policy === 'noeviction') return undefined
  return `maxmemory-policy is ${policy}, but without maxmemory no key is ever evicted.`
}

function peak(node: NodeServices): string | undefined {
  const { used, peak: most } = memoryReport(node)
  if (most < LITTLE_BYTES || most < HIGH_PEAK * used) return undefined
  return (
    `At its peak this node used ${humanBytes(most)}, now ${humanBytes(used)}. The engine gives memory ` +
    'back slowly; MEMORY PURGE collects what is garbage.'
  )
}

function waste(node: NodeServices): string | undefined {
  const { resident, used } = memoryReport(node)
  if (resident - used < WASTEFUL_BYTES || resident < WASTEFUL * used || used < LITTLE_BYTES) {
    return undefined
  }
  return (
    `The process takes ${humanBytes(resident)} for ${humanBytes(used)} of data and buffers: the rest is ` +
    'the program, the room of the engine, and garbage.'
  )
}

function clients({ clientMemory, sessions }: NodeServices): string | undefined {
  const replicas = [...sessions].filter(({ kind }) => kind === 'replica').length
  const others = sessions.size - replicas
  if (clientMemory.replicaBytes > MUCH_PER_REPLICA_BYTES * replicas) {
    return 'Replicas take what they are sent more slowly than it is written: see the network and client-output-buffer-limit.'
  }
  if (clientMemory.normalBytes <= MUCH_PER_CLIENT_BYTES * others) return undefined
  return 'Clients hold more than 200 KB each: CLIENT LIST shows which (tot-mem); maxmemory-clients limits it.'
}
