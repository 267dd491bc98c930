/**
 * Why a connection that we open does not come to be, or is closed as soon as it is there. To every other part of the
 * program, a connection that is refused for its certificate looks like a dead instance.
 */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { reasonOf } from '../start-error.ts'
import { tlsReasonOf } from './tls-reasons.ts'

/** A side that gave up sooner had other reasons. */
const PATIENCE_MS = 1_000
/** A plain Redis takes the handshake for the beginning of a command, and waits for the rest. */
const SILENCE = 'no answer to the TLS handshake; perhaps this port speaks no TLS'

/**
 * With TLS 1.3 our side of the handshake is over before the other one has looked at our certificate, and a program that
 * runs on Node closes without saying why.
 */
const TURNED_AWAY =
  'the other side closed right after the TLS handshake; perhaps it does not accept our certificate: its log says why'

/** A program that speaks TLS closes on what is no handshake, and does not say why. */
const TLS_WANTED =
  'the other side closed before it answered; perhaps this port speaks TLS: then set tls-replication yes'

/** Calls `complain` once at most, when the connection has been closed. */
export function reportTrouble(
  raw: Socket,
  socket: TLSSocket,
  complain: (reason: string) => void,
): void {
  const connectedAt = momentOf(raw, 'connect')
  const securedAt = momentOf(socket, 'secureConnect')
  const isTurnedAway = () => (age(securedAt) ?? Infinity) < PATIENCE_MS && socket.bytesRead === 0
  let reason: string | undefined
  socket.once('end', () => {
    if (isTurnedAway()) reason ??= TURNED_AWAY
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (securedAt.ms === undefined) reason ??= reasonOf(error)
    // Once the connection is secure, only TLS errors concern us.
    else
      reason ??= tlsReasonOf(error) ?? (isHangUp(error) && isTurnedAway() ? TURNED_AWAY : undefined)
  })
  socket.once('close', () => {
    if (securedAt.ms === undefined && (age(connectedAt) ?? 0) > PATIENCE_MS) reason ??= SILENCE
    if (connectedAt.ms !== undefined && reason !== undefined) complain(reason)
  })
}

/** A program that stops may close what it has accepted just before, once or twice. */
const ATTEMPTS_IN_A_ROW = 3
/** No Sentinel has that many instances; the limit only keeps the memory bounded. */
const MAX_ADDRESSES = 1_000

/** The same for connections without TLS, which the other side may want. */
export class PlainAttempts {
  /** How often in a row each address has closed a connection without an answer. */
  readonly #unanswered = new Map<string, number>()

  watch(socket: Socket, address: string, complain: (reason: string) => void): void {
    const connectedAt = momentOf(socket, 'connect')
    let isHungUp = false
    socket.once('end', () => {
      isHungUp = true
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isHungUp ||= isHangUp(error)
    })
    socket.once('close', () => {
      const isUnanswered = socket.bytesWritten > 0 && socket.bytesRead === 0
      const isInTime = (age(connectedAt) ?? Infinity) < PATIENCE_MS
      const times = this.#count(address, isHungUp && isUnanswered && isInTime)
      if (times >= ATTEMPTS_IN_A_ROW) complain(TLS_WANTED)
    })
  }

  #count(address: string, isTurnedAway: boolean): number {
    const times = isTurnedAway ? (this.#unanswered.get(address) ?? 0) + 1 : 0
    if (times === 0) this.#unanswered.delete(address)
    else if (this.#unanswered.size >= MAX_ADDRESSES) this.#unanswered.clear()
    if (times > 0) this.#unanswered.set(address, times)
    return times
  }
}

/** When something happened; undefined as long as it has not. */
interface Moment {
  ms: number | undefined
}

function momentOf(socket: Socket, event: 'connect' | 'secureConnect'): Moment {
  const moment: Moment = { ms: undefined }
  socket.once(event, () => {
    moment.ms = performance.now()
  })
  return moment
}

function age({ ms }: Moment): number | undefined {
  return ms === undefined ? undefined : performance.now() - ms
}

function isHangUp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE'
}
