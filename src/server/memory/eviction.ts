/**
 * [maxmemory] Above the limit, keys are deleted as [maxmemory-policy] says, before a command runs. If there
 * is nothing to delete, commands that need memory are refused. Among a few keys drawn at random, and the
 * best of earlier draws, the one goes that was not used for longest (lru), is used least (lfu), or expires
 * first (ttl); `volatile` policies look only at keys that have an expiry.
 *
 * A limit that was lowered by much would take long to reach. So one command makes only so much room, more
 * with a higher [maxmemory-eviction-tenacity]; the rest follows in turns of its own, and meanwhile nothing
 * is refused.
 *
 * A limit above what the heap of the process can hold would never be reached: the heap would be full first
 * and refuse writes for ever. So a policy that evicts begins earlier then.
 */
import type { Rng } from '../../base/rng.ts'
import { humanBytes } from '../arguments/numbers.ts'
import type { KeyTable } from '../key-table/key-table.ts'
import type { Db, Entry } from '../keyspace/db.ts'
import type { Usage } from '../keyspace/usage.ts'
import type { MemoryUse, UnmeasuredNode } from './memory-use.ts'

/** Redis looks at its clock after this many keys. */
const KEYS_PER_STEP = 16
/** Redis' budget of time, and what a key costs: the machine has no clock within a turn. */
const MICROS_PER_KEY = 8
const MICROS_PER_LOW_TENACITY = 50
const MICROS_AT_TEN = 500
const GROWTH_PER_TENACITY = 1.15
const HIGHEST_TENACITY = 100

/** What the heap can hold of data before it refuses writes (heap-guard.ts), counted cautiously. */
const HEAP_SHARE = 0.65
/** The program and its tables, on the same heap. */
const PROGRAM_BYTES = 16 * 1024 * 1024

type Kind = 'lru' | 'lfu' | 'ttl' | 'random'

interface Policy {
  readonly kind: Kind
  readonly isVolatile: boolean
}

interface EvictingNode extends UnmeasuredNode {
  readonly memory: MemoryUse
}

export class Eviction {
  readonly #node: EvictingNode
  readonly #rng: Rng
  readonly #pool = new EvictionPool()
  #policy: Policy | undefined
  #maxBytes = 0
  #isShort = false
  /** More room is to be made in the next turn. */
  #isRunning = false
  /** For random policies: the database to look at next. */
  #nextDb = 0
  /** Monotonic. Since when more is used than the limit says. */
  #exceededSinceMs: number | undefined

  constructor(node: EvictingNode) {
    this.#node = node
    this.#rng = node.rootRng.fork('eviction')
    const { settings } = node
    settings.onChange('maxmemory-policy', () => this.#read())
    settings.onChange('maxmemory', () => {
      this.#read()
      this.#node.memory.refresh()
      this.#limitChanged()
    })
    this.#read()
  }

  /** Whether memory was short, and nothing could be evicted, before the command that runs now. */
  get isShort(): boolean {
    return this.#isShort
  }

  /** The limit in effect, see above; 0: there is none. */
  get maxBytes(): number {
    return this.#maxBytes
  }

  /** Milliseconds; 0 while all is within the limit. */
  get exceededMs(): number {
    return this.#exceededSinceMs === undefined ? 0 : this.#node.now.monoMs - this.#exceededSinceMs
  }

  /** Called before every command. Returns whether commands that need memory must be refused. */
  makeRoom(): boolean {
    this.#isShort = this.#maxBytes > 0 && this.#mayEvict() && !this.#isWithin()
    return this.#isShort
  }

  wake(): void {
    if (!this.#isRunning || !this.#mayEvict()) return
    this.#isRunning = false
    this.makeRoom()
  }

  /** Monotonic. */
  nextWakeUpMs(): number | undefined {
    return this.#isRunning && this.#mayEvict() ? this.#node.now.monoMs : undefined
  }

  /**
   * Our master decides what a replica keeps [replica-ignore-maxmemory], and while clients are paused the
   * data stand still.
   */
  #mayEvict(): boolean {
    const { replication, settings, persistence, pause } = this.#node
    if (persistence.isLoading || pause.scope !== undefined) return false
    return !(replication.isReplica() && settings.flag('replica-ignore-maxmemory'))
  }

  /** Whether there is room now, or will be soon. */
  #isWithin(): boolean {
    const { memory } = this.#node
    if (memory.countedBytes <= this.#maxBytes) return this.#ended(true)
    if (this.#policy === undefined) return this.#ended(false)
    const { times, now } = this.#node
    const startedAt = times.now()
    const hasRoom = this.#evict(this.#policy)
    times.noteEvent('eviction-cycle', startedAt, now.wallMs)
    return hasRoom
  }

  #evict(policy: Policy): boolean {
    const { memory, keyspace, settings } = this.#node
    let left = keysPerTurn(settings.int('maxmemory-eviction-tenacity'))
    // What the data have to shrink to. What is told of each eviction takes memory too, for a moment: to count
    // that would evict more and more.
    const enoughBytes = keyspace.heapBytes - (memory.countedBytes - this.#maxBytes)
    while (keyspace.heapBytes > enoughBytes) {
      if (left-- <= 0) {
        this.#isRunning = true
        this.#exceededSinceMs ??= this.#node.now.monoMs
        return true
      }
      if (!this.#evictOne(policy)) return this.#ended(false)
    }
    return this.#ended(true)
  }

  #ended(hasRoom: boolean): boolean {
    this.#isRunning = false
    if (!hasRoom) {
      this.#exceededSinceMs ??= this.#node.now.monoMs
    } else if (this.#exceededSinceMs !== undefined) {
      this.#node.stats.evictionExceededMs += this.exceededMs
      this.#exceededSinceMs = undefined
    }
    return hasRoom
  }

  /** False: there is no key that could go. */
  #evictOne(policy: Policy): boolean {
    const found = policy.kind === 'random' ? this.#drawOne(policy) : this.#findBest(policy)
    if (found === undefined) return false
    found.db.evict(found.key)
    return true
  }

  #findBest(policy: Policy): { readonly db: Db; readonly key: string } | undefined {
    while (this.#draw(policy)) {
      for (let best = this.#pool.take(); best !== undefined; best = this.#pool.take()) {
        const db = this.#node.keyspace.dbs[best.db] as Db
        if (tableOf(db, policy).has(best.key)) return { db, key: best.key }
      }
    }
    return undefined
  }

  /** Offers a few keys of every database to the pool. False: there are none. */
  #draw(policy: Policy): boolean {
    const { keyspace, settings } = this.#node
    const samples = settings.int('maxmemory-samples')
    let isAny = false
    for (const db of keyspace.dbs) {
      const table = tableOf(db, policy)
      if (table.size === 0) continue
      isAny = true
      for (const key of table.sample(samples, (bound) => this.#rng.below(bound))) {
        const score = scoreOf(table.get(key) as Entry, policy.kind, keyspace.usage)
        this.#pool.offer({ key, db: db.index, score })
      }
    }
    return isAny
  }

  #drawOne(policy: Policy): { readonly db: Db; readonly key: string } | undefined {
    const { dbs } = this.#node.keyspace
    for (let tried = 0; tried < dbs.length; tried++) {
      this.#nextDb = (this.#nextDb + 1) % dbs.length
      const db = dbs[this.#nextDb] as Db
      const [key] = tableOf(db, policy).sample(1, (bound) => this.#rng.below(bound))
      if (key !== undefined) return { db, key }
    }
    return undefined
  }

  #read(): void {
    const { settings, port } = this.#node
    const given = settings.int('maxmemory')
    this.#policy = policyOf(settings.text('maxmemory-policy'))
    // Scores of different policies cannot be compared.
    this.#pool.clear()
    const heapBytes = port.heap?.read().limitBytes ?? 0
    const room = roomForEviction(heapBytes)
    const isBeyondHeap = this.#policy !== undefined && heapBytes > 0 && given > room
    this.#maxBytes = isBeyondHeap ? room : given
    if (!isBeyondHeap) return
    port.log(
      'warning',
      `maxmemory is ${humanBytes(given)}, more than the heap of this process can hold: keys are evicted ` +
        `from ${humanBytes(this.#maxBytes)} on. Start with a larger heap: ` +
        'NODE_OPTIONS=--max-old-space-size=<MB>',
    )
  }

  /** What is too much now goes in the next turn, without waiting for a command. */
  #limitChanged(): void {
    const { memory, port } = this.#node
    if (this.#maxBytes === 0 || memory.countedBytes <= this.#maxBytes) return
    this.#isRunning = true
    port.log(
      'warning',
      `maxmemory is now ${this.#maxBytes} bytes, less than the ${memory.countedBytes} in use: keys are ` +
        'evicted, or commands that need memory refused, as maxmemory-policy says',
    )
  }
}

/** How much a policy that evicts can keep in a heap of this size. */
export function roomForEviction(heapBytes: number): number {
  return Math.floor(Math.max(PROGRAM_BYTES, HEAP_SHARE * heapBytes - PROGRAM_BYTES))
}

/** [maxmemory-eviction-tenacity] How many keys may go in one turn. */
function keysPerTurn(tenacity: number): number {
  if (tenacity >= HIGHEST_TENACITY) return Number.POSITIVE_INFINITY
  const micros =
    tenacity <= 10
      ? MICROS_PER_LOW_TENACITY * tenacity
      : MICROS_AT_TEN * GROWTH_PER_TENACITY ** (tenacity - 10)
  return KEYS_PER_STEP * Math.max(1, Math.ceil(micros / MICROS_PER_KEY / KEYS_PER_STEP))
}

/** Undefined: nothing is evicted. */
function policyOf(name: string): Policy | undefined {
  const [reach, kind] = name.split('-')
  return kind === undefined ? undefined : { kind: kind as Kind, isVolatile: reach === 'volatile' }
}

function tableOf(db: Db, { isVolatile }: Policy): KeyTable<Entry> {
  return isVolatile ? db.expires : db.entries
}

function scoreOf(entry: Entry, kind: Kind, usage: Usage): number {
  if (kind === 'ttl') return -(entry.expireAtMs ?? 0)
  return kind === 'lfu' ? -usage.frequency(entry.usage) : usage.idleSeconds(entry.usage)
}

/**
 * The best candidates for eviction among the keys drawn so far, as in Redis: keeping a few from one draw to
 * the next finds keys nearly as good as the best of all, although each draw looks at a handful.
 */
interface EvictionCandidate {
  readonly key: string
  /** The index of its database. */
  readonly db: number
  /** The higher, the sooner it goes. */
  readonly score: number
}

const SIZE = 16

class EvictionPool {
  /** Ascending by score. */
  #candidates: EvictionCandidate[] = []

  /** A candidate that is worse than all of a full pool is left out. */
  offer(candidate: EvictionCandidate): void {
    const candidates = this.#candidates
    const at = candidates.findIndex(({ score }) => score >= candidate.score)
    const place = at < 0 ? candidates.length : at
    if (candidates.length < SIZE) {
      candidates.splice(place, 0, candidate)
    } else if (place > 0) {
      candidates.splice(place, 0, candidate)
      candidates.shift()
    }
  }

  /** Removes the best. It may have been deleted, or used, since it was offered. */
  take(): EvictionCandidate | undefined {
    return this.#candidates.pop()
  }

  clear(): void {
    this.#candidates = []
  }
}
