/**
 * What the node uses of the memory, part by part, as INFO memory and MEMORY STATS show it and as
 * [maxmemory] limits it. All of it is counted by what the node keeps, never read from the runtime, whose
 * numbers contain garbage: so a limit holds at once, and in a simulation as well. The program itself and
 * the room that the engine takes besides are in none of the parts.
 */
import type { Db } from '../keyspace/db.ts'
import type { NodeBase } from '../node-base.ts'
import type { Persistence } from '../persistence/persistence.ts'
import type { Replication } from '../replication/replication.ts'

/** What a node has of its own before there are data: the tables of commands, settings and users. */
const OWN_BYTES = 512 * 1024
/** How often connections are counted anew while a limit depends on it. */
const REFRESH_MS = 100

/** A node without what measures its memory. */
export interface UnmeasuredNode extends NodeBase {
  readonly replication: Replication
  readonly persistence: Persistence
}

export interface MemoryParts {
  readonly startup: number
  readonly backlog: number
  /** Output for replicas, without the backlog. */
  readonly replicas: number
  readonly clients: number
  readonly aof: number
  readonly functions: number
  readonly scripts: number
  /** Keys with their values. */
  readonly content: number
  /** What finds them and knows when they expire. */
  readonly tables: number
}

export class MemoryUse {
  /** What cached scripts and what runs them take. */
  scriptBytes: () => number = () => 0
  readonly #node: UnmeasuredNode
  readonly #startupBytes: number
  #peakBytes = 0
  #refreshAtMs = 0

  constructor(node: UnmeasuredNode) {
    this.#node = node
    this.#startupBytes = OWN_BYTES + tableBytes(node.keyspace.dbs)
    this.#peakBytes = this.#startupBytes
  }

  /** Everything. */
  get usedBytes(): number {
    const bytes = OWN_BYTES + this.#node.keyspace.heapBytes + this.#besides()
    if (bytes > this.#peakBytes) this.#peakBytes = bytes
    return bytes
  }

  /**
   * What counts against [maxmemory]. The output of clients counts as it was counted last: what they are told of an
   * eviction is on its way for a moment, and would evict more keys, and so on.
   */
  get countedBytes(): number {
    return this.usedBytes - this.uncountedBytes - this.#node.clientMemory.unsettledBytes
  }

  /**
   * What evicting keys would make larger: bytes that wait for replicas beyond the size of the backlog, which
   * grows while a slow replica needs it, and bytes that wait for the file.
   */
  get uncountedBytes(): number {
    const { clientMemory, persistence, replication, settings } = this.#node
    const forReplicas = clientMemory.replicaBytes + replication.backlogBytes
    const excess = forReplicas - settings.int('repl-backlog-size')
    return Math.max(0, excess) + persistence.aof.waitingBytes
  }

  /** The most there has been. */
  get peakBytes(): number {
    return this.#peakBytes
  }

  get startupBytes(): number {
    return this.#startupBytes
  }

  parts(): MemoryParts {
    const { keyspace, clientMemory, replication, persistence } = this.#node
    const content = keyspace.dbs.reduce((sum, { contentBytes }) => sum + contentBytes, 0)
    return {
      startup: this.#startupBytes,
      backlog: replication.backlogBytes,
      replicas: clientMemory.replicaBytes,
      clients: clientMemory.normalBytes,
      aof: persistence.aof.waitingBytes,
      functions: this.#functionBytes(),
      scripts: this.scriptBytes(),
      content,
      tables: tableBytes(keyspace.dbs) + OWN_BYTES - this.#startupBytes,
    }
  }

  /** Connections are counted anew now and then while it matters. */
  wake(monoMs: number): void {
    if (this.#hasLimit() && monoMs >= this.#refreshAtMs) this.refresh()
  }

  /** Counts connections anew: there is a limit from now on. */
  refresh(): void {
    this.#refreshAtMs = this.#node.now.monoMs + REFRESH_MS
    this.#node.clientMemory.settle()
  }

  /** Monotonic. */
  nextWakeUpMs(): number | undefined {
    return this.#hasLimit() ? this.#refreshAtMs : undefined
  }

  #hasLimit(): boolean {
    const { settings } = this.#node
    return settings.int('maxmemory') > 0 || settings.int('maxmemory-clients') !== 0
  }

  #besides(): number {
    const { clientMemory, replication, persistence } = this.#node
    const { normalBytes, replicaBytes } = clientMemory
    const buffers = replication.backlogBytes + persistence.aof.waitingBytes
    return normalBytes + replicaBytes + buffers + this.#functionBytes() + this.scriptBytes()
  }

  #functionBytes(): number {
    return this.#node.functions.heapBytes
  }
}

function tableBytes(dbs: readonly Db[]): number {
  return dbs.reduce((sum, db) => sum + db.tableBytes + db.expiryBytes, 0)
}
