/**
 * Which clients may have which keys in their caches. A key is forgotten when its clients have been
 * told that it changed; a client that is gone stays in until then.
 */
export class TrackingTable {
  readonly #clients = new Map<string, Set<number>>()
  #items = 0

  /** How many keys. */
  get size(): number {
    return this.#clients.size
  }

  /** How many pairs of a key and a client. */
  get items(): number {
    return this.#items
  }

  /** The key that came first. */
  get oldest(): string | undefined {
    const [key] = this.#clients.keys()
    return key
  }

  add(key: string, client: number): void {
    const clients = this.#clients.get(key)
    if (clients?.has(client) === true) return
    this.#items++
    if (clients === undefined) this.#clients.set(key, new Set([client]))
    else clients.add(client)
  }

  /** Forgets the key. Returns the ids of the clients that may have it. */
  take(key: string): Iterable<number> {
    const clients = this.#clients.get(key)
    if (clients === undefined) return []
    this.#clients.delete(key)
    this.#items -= clients.size
    return clients
  }

  clear(): void {
    this.#clients.clear()
    this.#items = 0
  }
}
