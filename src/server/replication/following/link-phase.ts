/** How far the connection to the master has come. */
import type { ConnectionId } from '../../port.ts'
import type { FullCopy } from './full-copy.ts'
import type { Handshake } from './handshake.ts'
import type { LineReader } from './line-reader.ts'
import type { StreamReader } from './stream-reader.ts'

export type LinkPhase =
  | { readonly kind: 'none' }
  /** No connection; the next attempt is at this monotonic time. */
  | { readonly kind: 'waiting'; readonly retryAtMs: number }
  | { readonly kind: 'connecting'; readonly id: ConnectionId }
  | {
      readonly kind: 'handshake'
      readonly id: ConnectionId
      readonly handshake: Handshake
      readonly lines: LineReader
    }
  | {
      readonly kind: 'transfer'
      readonly id: ConnectionId
      readonly copy: FullCopy
    }
  | { readonly kind: 'streaming'; readonly id: ConnectionId; readonly reader: StreamReader }

/** The names ROLE gives the phases. */
export const ROLE_STATE: Readonly<Record<LinkPhase['kind'], string>> = {
  none: 'none',
  waiting: 'connect',
  connecting: 'connecting',
  handshake: 'handshake',
  transfer: 'sync',
  streaming: 'connected',
}

export function connectionOf(phase: LinkPhase): ConnectionId | undefined {
  return phase.kind === 'none' || phase.kind === 'waiting' ? undefined : phase.id
}

/** The master owes us an answer to a step of the handshake, and none of these steps takes long. */
export function isInStep(phase: LinkPhase): boolean {
  if (phase.kind === 'connecting') return true
  return phase.kind === 'handshake' && !phase.handshake.isWaitingForSync
}
