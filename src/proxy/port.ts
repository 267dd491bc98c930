/** The border of the proxy: what it asks of the world, and what the world tells it. */
import type { Moment } from '../base/clock.ts'
import type { JournalEvent } from '../journal/event-table.ts'
import type { ProxyConfig } from './proxy-options.ts'

/**
 * One connection. Those that clients open have positive ids, those that the proxy opens negative ones; none
 * is used twice.
 */
export type WireId = number

export type ProxyLogLevel = 'debug' | 'verbose' | 'notice' | 'warning'

/** What a proxy asks of the world. Everything that takes time comes back as an input. */
export interface ProxyPort {
  /** Appends latin1 bytes to the output of a connection. Ignored when the connection is gone. */
  write(stream: WireId, bytes: string): void
  /** Bytes written that the kernel has not taken yet; `drained` follows once they are few again. */
  queuedBytes(stream: WireId): number
  /** Leaves what the other side sends with the kernel until `resume`. */
  pause(stream: WireId): void
  resume(stream: WireId): void
  /** Closes once what was written has left; `isAtOnce`: that is dropped. No `closed` input follows. */
  close(stream: WireId, isAtOnce?: boolean): void
  /** Opens a connection under an id of the proxy's. Sentinels and data nodes may need different TLS. */
  connect(stream: WireId, host: string, port: number): void
  /** [black-box] Puts a fact on record. Undefined: there is no record. */
  readonly note?: ((now: Moment, event: JournalEvent) => void) | undefined
  log(level: ProxyLogLevel, text: string): void
  /** Ends the process after what was written has left. */
  exit(status: number): void
}

/** Where a client came in. */
export interface Entrance {
  readonly group: string
  readonly kind: 'write' | 'read'
  /** Every connection there begins with a header of the PROXY protocol. */
  readonly readsHeader: boolean
}

export interface ClientEnds {
  readonly remoteHost: string
  readonly remotePort: number
  readonly localHost: string
  readonly localPort: number
}

/** What the world tells a proxy. After any call, `nextWakeUpMs` says when to call `wake`. */
export interface ProxyInputs {
  accepted(now: Moment, stream: WireId, entrance: Entrance, ends: ClientEnds): void
  connected(now: Moment, stream: WireId): void
  received(now: Moment, stream: WireId, bytes: string): void
  /** The other side or the network closed it, or it could not be opened. */
  closed(now: Moment, stream: WireId, reason: string): void
  /** The other side sends nothing more; it may still read. */
  halfClosed(now: Moment, stream: WireId): void
  /** Most of what was written to it has left. */
  drained(now: Moment, stream: WireId): void
  wake(now: Moment): void
  /** The configuration was read again. */
  reconfigured(now: Moment, config: ProxyConfig): void
  /** SIGTERM: no new clients; those that are here finish what they have begun. */
  stopRequested(now: Moment): void
  /** Monotonic milliseconds; undefined if nothing is due. */
  nextWakeUpMs(): number | undefined
}
