/**
 * Roughly what one connection makes us keep: what it has sent and is not processed yet, what it has not
 * taken yet, and what it waits for or listens to. Strings cost their bytes and a header, lists a place for
 * each word.
 */
import type { ClientSession } from './session.ts'
import { wordsBytes } from './transactions.ts'

/** An entry in a set of listeners or watchers, on both sides. */
const ENTRY_BYTES = 200
/** The connection itself: the socket, the session and its decoder, as `npm run bench:memory` measures it. */
export const CONNECTION_BYTES = 8 * 1024

/** `queuedBytes`: what was written to the connection and has not left. */
export function heldBytes(session: ClientSession, queuedBytes: number): number {
  const { decoder, transaction, watch, postponed, blocked } = session
  let bytes = decoder.pendingBytes + session.pendingOutputBytes + queuedBytes
  bytes += transaction?.bytes ?? 0
  bytes += watch?.bytes ?? 0
  if (postponed !== undefined) bytes += wordsBytes(postponed)
  if (blocked?.wait !== undefined) bytes += namesBytes(blocked.wait.keys)
  if (session.tracking !== undefined) bytes += namesBytes(session.tracking.prefixes)
  if (session.isSubscribed) {
    bytes += namesBytes(session.channels) + namesBytes(session.patterns)
    bytes += namesBytes(session.shardChannels)
  }
  return bytes + session.name.length + session.libraryName.length + session.libraryVersion.length
}

function namesBytes(names: Iterable<string>): number {
  let bytes = 0
  for (const name of names) bytes += ENTRY_BYTES + name.length
  return bytes
}
