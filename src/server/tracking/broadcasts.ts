/**
 * [CLIENT TRACKING BCAST] Clients that want to hear of every changed key with a prefix, and the keys
 * that changed since they were told last.
 */
import type { ClientSession } from '../sessions/session.ts'

interface Audience {
  readonly clients: Set<ClientSession>
  /** The keys that changed, and the client that changed each first; undefined: nobody did. */
  changed: Map<string, ClientSession | undefined>
}

export class Broadcasts {
  readonly #audiences = new Map<string, Audience>()
  #hasChanges = false

  /** How many prefixes somebody wants to hear of. */
  get size(): number {
    return this.#audiences.size
  }

  join(client: ClientSession, prefix: string): void {
    const audience = this.#audiences.get(prefix)
    if (audience !== undefined) audience.clients.add(client)
    else this.#audiences.set(prefix, { clients: new Set([client]), changed: new Map() })
  }

  leave(client: ClientSession, prefix: string): void {
    const audience = this.#audiences.get(prefix)
    audience?.clients.delete(client)
    if (audience?.clients.size === 0) this.#audiences.delete(prefix)
  }

  note(key: string, by: ClientSession | undefined): void {
    for (const [prefix, { changed }] of this.#audiences) {
      if (!key.startsWith(prefix) || changed.has(key)) continue
      changed.set(key, by)
      this.#hasChanges = true
    }
  }

  /** Tells everybody what has changed, prefix by prefix. */
  tellAll(tell: (client: ClientSession, keys: readonly string[]) => void): void {
    if (!this.#hasChanges) return
    this.#hasChanges = false
    for (const audience of this.#audiences.values()) {
      const { clients, changed } = audience
      if (changed.size === 0) continue
      audience.changed = new Map()
      const keys = [...changed.keys()].sort()
      for (const client of clients) {
        const isOwn = (key: string) => changed.get(key) === client
        const told = client.tracking?.noLoop === true ? keys.filter((key) => !isOwn(key)) : keys
        if (told.length > 0) tell(client, told)
      }
    }
  }
}
