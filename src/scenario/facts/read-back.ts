/**
 * Which acknowledged writes a node does not have. The node itself is asked when the run is over,
 * with the same commands whatever engine ran it.
 */
import { unreachable } from '../../base/assert.ts'
import type { Write } from '../../history/writes.ts'
import type { Reply } from '../../resp/reply.ts'
import type { World } from '../world.ts'

const KEYS_PER_COMMAND = 500

/** Undefined: the node does not answer. */
export async function missingAt(
  world: World,
  node: string,
  writes: readonly Write[],
): Promise<ReadonlySet<Write> | undefined> {
  const held = new Holdings(world, node)
  if (!(await held.read(writes))) return undefined
  return new Set(writes.filter((write) => !held.has(write)))
}

class Holdings {
  readonly #world: World
  readonly #node: string
  readonly #keys = new Set<string>()
  readonly #members = new Map<string, ReadonlySet<string>>()
  /** The last values of counters and registers. */
  readonly #numbers = new Map<string, number>()
  #lostIncrements: ReadonlySet<Write> = new Set()

  constructor(world: World, node: string) {
    this.#world = world
    this.#node = node
  }

  async read(writes: readonly Write[]): Promise<boolean> {
    const operations = writes.map(({ operation }) => operation)
    const keys = operations.flatMap((one) => (one.kind === 'key' ? [one.key] : []))
    const sets = operations.flatMap((one) => (one.kind === 'member' ? [one.set] : []))
    const numbers = operations.flatMap((one) => {
      if (one.kind === 'increment') return [one.counter]
      return one.kind === 'assign' ? [one.key] : []
    })
    const isRead =
      (await this.#readKeys(keys)) &&
      (await this.#readSets([...new Set(sets)])) &&
      (await this.#readNumbers([...new Set(numbers)]))
    this.#lostIncrements = lostIncrements(writes, this.#numbers)
    return isRead
  }

  has(write: Write): boolean {
    const { operation } = write
    switch (operation.kind) {
      case 'key':
        return this.#keys.has(operation.key)
      case 'member':
        return this.#members.get(operation.set)?.has(operation.member) === true
      case 'increment':
        return !this.#lostIncrements.has(write)
      case 'assign':
        return operation.value <= (this.#numbers.get(operation.key) ?? -1)
      // The model of the data says it, see data-stories.ts.
      case 'data':
        return true
      default:
        return unreachable(operation)
    }
  }

  async #readKeys(keys: readonly string[]): Promise<boolean> {
    return await this.#readMany(keys, (key, value) => {
      if (value.kind === 'bulk') this.#keys.add(key)
    })
  }

  async #readNumbers(keys: readonly string[]): Promise<boolean> {
    return await this.#readMany(keys, (key, value) => {
      if (value.kind === 'bulk') this.#numbers.set(key, Number(value.bytes))
    })
  }

  async #readSets(sets: readonly string[]): Promise<boolean> {
    for (const set of sets) {
      const reply = await this.#world.ask(this.#node, ['SMEMBERS', set])
      if (reply?.kind !== 'array' && reply?.kind !== 'set') return false
      this.#members.set(set, new Set(reply.items.map((item) => bytesOf(item))))
    }
    return true
  }

  async #readMany(
    keys: readonly string[],
    found: (key: string, value: Reply) => void,
  ): Promise<boolean> {
    for (let first = 0; first < keys.length; first += KEYS_PER_COMMAND) {
      const some = keys.slice(first, first + KEYS_PER_COMMAND)
      const reply = await this.#world.ask(this.#node, ['MGET', ...some])
      if (reply?.kind !== 'array') return false
      reply.items.forEach((item, index) => {
        found(some[index] ?? '', item)
      })
    }
    return true
  }
}

function bytesOf(reply: Reply): string {
  return reply.kind === 'bulk' ? reply.bytes : ''
}

// Which increments of counters are gone, given the value of each counter in the end. The answer to
// an acknowledged increment is the value it made, and in one history of the data values only rise:
// an increment is gone if the counter does not reach its value, or if a later increment made that
// value again. Increments that were never answered fill the gaps and hide nothing.
//
// Two cases cannot be seen. Values that were lost and then made again by increments that were never
// answered are not counted. And if a history that had been replaced comes back, because its node is
// promoted again before it has copied the other one, its values count as gone although they are
// not.

/** `writes` in the order of their attempts; counters missing from `standings` are 0. */
export function lostIncrements(
  writes: readonly Write[],
  standings: ReadonlyMap<string, number>,
): ReadonlySet<Write> {
  const lost = new Set<Write>()
  const limits = new Map<string, number>()
  for (const write of writes.toReversed()) {
    const { operation, outcome } = write
    if (operation.kind !== 'increment' || outcome.kind !== 'acknowledged') continue
    const { counter } = operation
    const limit = limits.get(counter) ?? (standings.get(counter) ?? 0) + 1
    // An increment without a known value is taken to have made the one before the next increment's.
    const value = outcome.value ?? limit - 1
    if (value < 1 || value >= limit) lost.add(write)
    limits.set(counter, Math.max(1, Math.min(limit, value)))
  }
  return lost
}
