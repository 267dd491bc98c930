/**
 * A network in memory on virtual time: bytes arrive in order, a millisecond after they were written,
 * unless a test pulls a plug. Nothing here is random, so every run is the same.
 */
import type { ConnectionId } from '../../src/server/port.ts'

const LATENCY_MS = 1

/** Anything that can hold one end of a connection. */
export interface Party {
  readonly address: string
  /** It no longer exists: nothing answers at its address. */
  readonly isDown: boolean
  /**
   * Stopped, as by SIGSTOP: the kernel keeps its connections, and the party reads nothing from
   * them.
   */
  readonly isFrozen: boolean
  /** The party chooses the ids of connections that others opened. */
  nextIncomingId(): ConnectionId
  accepted(id: ConnectionId, remoteHost: string): void
  connected(id: ConnectionId, remoteHost: string): void
  received(id: ConnectionId, bytes: string): void
  closed(id: ConnectionId, reason: string): void
}

interface End {
  readonly party: Party
  readonly id: ConnectionId
  other: End | undefined
  isOpen: boolean
  /** Written and not yet taken by the other side. */
  queuedBytes: number
}

type Happening =
  | { readonly kind: 'accepted' | 'connected' }
  | { readonly kind: 'bytes'; readonly bytes: string }
  | { readonly kind: 'closed'; readonly reason: string }

interface Delivery {
  readonly atMs: number
  readonly to: End
  readonly what: Happening
}

export class VirtualNetwork {
  nowMs = 0
  readonly #parties = new Map<string, Party>()
  readonly #ends = new Set<End>()
  /** In the order in which they were sent, which is the order of arrival. */
  #deliveries: Delivery[] = []
  /** Pairs of addresses that cannot reach each other. */
  readonly #cuts = new Set<string>()

  add(party: Party): void {
    this.#parties.set(party.address, party)
  }

  /** Breaks all connections between two parties, and lets no new ones through until `join`. */
  cut(a: Party, b: Party): void {
    this.#cuts.add(pairOf(a, b))
    this.drop(a, b)
  }

  join(a: Party, b: Party): void {
    this.#cuts.delete(pairOf(a, b))
  }

  /** Breaks the connections between two parties; what was on its way is lost. */
  drop(a: Party, b: Party): void {
    for (const end of [...this.#ends]) {
      if (end.party === a && end.other?.party === b) this.#reset(end, end.other)
    }
  }

  /** Breaks all connections of a party that died. */
  dropAll(party: Party): void {
    for (const end of [...this.#ends]) {
      if (end.party === party && end.other !== undefined) this.#reset(end, end.other)
    }
  }

  open(from: Party, id: ConnectionId, host: string): void {
    const own = this.#newEnd(from, id)
    const target = this.#parties.get(host)
    if (target === undefined || target.isDown || this.#cuts.has(pairOf(from, target))) {
      return this.#send(own, { kind: 'closed', reason: 'connection refused' })
    }
    const other = this.#newEnd(target, target.nextIncomingId())
    own.other = other
    other.other = own
    this.#send(other, { kind: 'accepted' })
    this.#send(own, { kind: 'connected' })
  }

  write(party: Party, id: ConnectionId, bytes: string): void {
    const end = this.#endOf(party, id)
    if (end?.other === undefined || bytes === '') return
    end.queuedBytes += bytes.length
    this.#send(end.other, { kind: 'bytes', bytes })
  }

  queuedBytes(party: Party, id: ConnectionId): number {
    return this.#endOf(party, id)?.queuedBytes ?? 0
  }

  close(party: Party, id: ConnectionId): void {
    const end = this.#endOf(party, id)
    if (end === undefined) return
    this.#ends.delete(end)
    end.isOpen = false
    if (end.other !== undefined) {
      this.#send(end.other, { kind: 'closed', reason: 'closed by the other side' })
    }
  }

  /** When something arrives next. */
  nextArrivalMs(): number {
    const next = this.#deliveries.find((delivery) => !delivery.to.party.isFrozen)
    return next?.atMs ?? Number.POSITIVE_INFINITY
  }

  /** Delivers what is due, in order. */
  deliver(): void {
    for (;;) {
      const isDue = ({ to, atMs }: Delivery) => !to.party.isFrozen && atMs <= this.nowMs
      const at = this.#deliveries.findIndex(isDue)
      if (at < 0) return
      const [delivery] = this.#deliveries.splice(at, 1)
      this.#arrive(delivery!)
    }
  }

  #arrive({ to, what }: Delivery): void {
    if (!to.isOpen) return
    const remoteHost = to.other?.party.address ?? ''
    switch (what.kind) {
      case 'accepted':
        return to.party.accepted(to.id, remoteHost)
      case 'connected':
        return to.party.connected(to.id, remoteHost)
      case 'bytes':
        if (to.other !== undefined) to.other.queuedBytes -= what.bytes.length
        return to.party.received(to.id, what.bytes)
      case 'closed':
        return this.#hangUp(to, what.reason)
    }
  }

  #newEnd(party: Party, id: ConnectionId): End {
    const end: End = { party, id, other: undefined, isOpen: true, queuedBytes: 0 }
    this.#ends.add(end)
    return end
  }

  #endOf(party: Party, id: ConnectionId): End | undefined {
    for (const end of this.#ends) if (end.party === party && end.id === id) return end
    return undefined
  }

  #send(to: End, what: Happening): void {
    this.#deliveries.push({ atMs: this.nowMs + LATENCY_MS, to, what })
  }

  #reset(...sides: End[]): void {
    this.#deliveries = this.#deliveries.filter(({ to }) => !sides.includes(to))
    for (const side of sides) this.#hangUp(side, 'connection reset')
  }

  #hangUp(end: End, reason: string): void {
    if (!end.isOpen) return
    end.isOpen = false
    this.#ends.delete(end)
    if (!end.party.isDown) end.party.closed(end.id, reason)
  }
}

function pairOf(a: Party, b: Party): string {
  return [a.address, b.address].sort().join(' ')
}
