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

/** The same for a connection without TLS, which the other side may want. */
export function reportPlainTrouble(socket: Socket, complain: (reason: string) => void): void {
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
    if (isHungUp && isUnanswered && (age(connectedAt) ?? Infinity) < PATIENCE_MS)
      complain(TLS_WANTED)
  })
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
