/**
 * Connections to the servers that keys are moved to. One that worked is kept for ten seconds, because a
 * program that moves keys moves many, one after another.
 */
import { type Address, isSameAddress } from '../../base/ip.ts'
import type { NodeBase } from '../node-base.ts'
import type { ConnectionId } from '../port.ts'

/** After this much idleness a connection is closed. */
const KEPT_MS = 10_000
/** As in Redis: beyond it, one that is kept makes room. */
const MAX_KEPT = 64

export interface MoveTarget {
  readonly id: ConnectionId
  readonly address: Address
  isConnected: boolean
  /** The database that is selected there; undefined: unknown. */
  db: number | undefined
  /** Monotonic; undefined: a move uses it. */
  idleSinceMs: number | undefined
}

export class Targets {
  readonly #node: NodeBase
  readonly #byId = new Map<ConnectionId, MoveTarget>()

  constructor(node: NodeBase) {
    this.#node = node
  }

  get count(): number {
    return this.#byId.size
  }

  find(id: ConnectionId): MoveTarget | undefined {
    return this.#byId.get(id)
  }

  /** One that is kept, or a new one; `isNew`: a kept one may be broken, and is not to be trusted again. */
  take(address: Address, isNew: boolean): MoveTarget {
    for (const target of this.#byId.values()) {
      if (target.idleSinceMs === undefined || !isSameAddress(target.address, address)) continue
      if (isNew) {
        this.close(target)
        continue
      }
      target.idleSinceMs = undefined
      return target
    }
    return this.#open(address)
  }

  keep(target: MoveTarget): void {
    target.idleSinceMs = this.#node.now.monoMs
    const [oldest] = this.#byId.values()
    if (this.#byId.size > MAX_KEPT && oldest !== undefined) this.close(oldest)
  }

  close(target: MoveTarget): void {
    this.#byId.delete(target.id)
    this.#node.port.close(target.id, true)
  }

  /** The connection is gone already. */
  forget(target: MoveTarget): void {
    this.#byId.delete(target.id)
  }

  wake(): void {
    for (const target of this.#byId.values()) {
      const { idleSinceMs } = target
      if (idleSinceMs !== undefined && this.#node.now.monoMs >= idleSinceMs + KEPT_MS) {
        this.close(target)
      }
    }
  }

  /** Monotonic. */
  nextWakeUpMs(): number | undefined {
    let nextMs: number | undefined
    for (const { idleSinceMs } of this.#byId.values()) {
      if (idleSinceMs === undefined) continue
      nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, idleSinceMs + KEPT_MS)
    }
    return nextMs
  }

  #open(address: Address): MoveTarget {
    const id = this.#node.newConnectionId()
    const target = { id, address, isConnected: false, db: undefined, idleSinceMs: undefined }
    this.#byId.set(id, target)
    this.#node.port.connect(id, address.host, address.port)
    return target
  }
}
