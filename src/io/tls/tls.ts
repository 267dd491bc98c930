/**
 * TLS of one process: the certificates in use, for connections to us and for those we open, and their
 * renewal while everything runs. Renewed certificates apply to new handshakes; existing connections
 * stay as they are.
 */
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { assert } from '../../base/assert.ts'
import { hostAndPort } from '../../base/ip.ts'
import type { TlsOptions } from '../../config/tls-options.ts'
import type { LogLevel } from '../../core/log-level.ts'
import { Repetitions } from '../log/line-budget.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { createTlsContexts, type TlsContexts } from './tls-contexts.ts'
import { noCertificate } from './tls-files.ts'
import { tlsPaths } from './tls-paths.ts'
import { tlsReasonOf } from './tls-reasons.ts'
import { watchFiles } from './tls-watch.ts'

export type TlsLog = (level: LogLevel, text: string) => void

/** A peer is tried again every second; the same reason for a failure is logged this often. */
const REPEAT_MS = 300_000

export class Tls {
  readonly #log: TlsLog
  readonly #repetitions = new Repetitions(REPEAT_MS)
  #options: TlsOptions
  /** What else uses the certificates: the HTTP port, or the proxy. */
  #usedBy: string | undefined
  /** Undefined if neither a port nor our connections use TLS. */
  #contexts: TlsContexts | undefined
  #unwatch: (() => void) | undefined

  /** Throws a StartError that says which directive or file is wrong, and why. */
  constructor(options: TlsOptions, log: TlsLog, usedBy?: string) {
    this.#log = log
    this.#options = options
    this.#usedBy = usedBy
    this.#contexts = load(options, usedBy)
    this.#announce('')
  }

  /** [tls-port] 0 for none. */
  get port(): number {
    return this.#options.port
  }

  /** [tls-replication] Whether connections that we open use TLS. */
  get isOpening(): boolean {
    return this.#options.replication
  }

  /** Whether anything uses TLS. */
  get isInUse(): boolean {
    return this.#contexts !== undefined
  }

  get contexts(): TlsContexts {
    assert(this.#contexts !== undefined, 'TLS is in use')
    return this.#contexts
  }

  get log(): TlsLog {
    return this.#log
  }

  /**
   * A TLS connection over one that is being opened to this address; without tls-replication, the
   * connection itself.
   */
  over(raw: Socket, host: string, port: number): Socket {
    if (!this.isOpening) return raw
    const socket = connect({
      socket: raw,
      secureContext: this.contexts.opening,
      rejectUnauthorized: true,
      // Redis checks that a trusted authority has signed the certificate, not for which name:
      // instances are known by addresses that change, and a failover must not depend on what a
      // certificate lists.
      checkServerIdentity: () => undefined,
    })
    raw.on('error', () => undefined)
    this.#reportTrouble(raw, socket, hostAndPort(host, port))
    return socket
  }

  /**
   * Uses other options from now on. Throws a StartError, and then everything stays as it was. The function
   * that is returned takes it back.
   */
  change(options: TlsOptions, usedBy: string | undefined): () => void {
    const before = { contexts: this.#contexts, options: this.#options, usedBy: this.#usedBy }
    this.#contexts = load(options, usedBy)
    this.#options = options
    this.#usedBy = usedBy
    if (this.#contexts?.digest !== before.contexts?.digest) this.#announce(RENEWED)
    return () => {
      this.#contexts = before.contexts
      this.#options = before.options
      this.#usedBy = before.usedBy
    }
  }

  /** Reads the files again. False if they are not valid; the log says why, and the old ones stay in use. */
  reload(): boolean {
    try {
      this.change(this.#options, this.#usedBy)
      return true
    } catch (error) {
      const text = error instanceof StartError ? `${error.message}; ${error.hint}` : reasonOf(error)
      this.#log('warning', `TLS: changed files are not used, the old ones stay in use: ${text}`)
      return false
    }
  }

  /** Reloads by itself, soon after a file has changed. */
  watch(lookMs?: number): void {
    this.#unwatch ??= watchFiles(
      () => tlsPaths(this.#options),
      () => void this.reload(),
      lookMs,
    )
  }

  /** Ends the watch. */
  close(): void {
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  /** Logs what is in use now, and what is doubtful about it. */
  #announce(occasion: string): void {
    if (this.#contexts === undefined) return
    const { summary, warnings } = this.#contexts
    this.#log('notice', `TLS: ${occasion}${summary}`)
    for (const warning of warnings) this.#log('warning', `TLS: ${warning}`)
  }

  /**
   * To every other part of the program, a connection that is refused for its certificate looks like a
   * dead instance.
   */
  #reportTrouble(raw: Socket, socket: TLSSocket, address: string): void {
    let connectedAtMs: number | undefined
    let isSecure = false
    let reason: string | undefined
    raw.once('connect', () => {
      connectedAtMs = performance.now()
    })
    socket.once('secureConnect', () => {
      isSecure = true
    })
    socket.on('error', (error) => {
      // Once the connection is secure, only TLS errors concern us.
      reason ??= isSecure ? tlsReasonOf(error) : reasonOf(error)
    })
    socket.once('close', () => {
      if (connectedAtMs === undefined) return
      const waitedMs = performance.now() - connectedAtMs
      if (!isSecure && waitedMs > PATIENCE_MS) reason ??= SILENCE
      if (reason !== undefined) this.#complain(address, reason)
    })
  }

  #complain(address: string, reason: string): void {
    if (!this.#repetitions.isNews(address, reason, performance.now())) return
    this.#log('warning', `TLS: connection to ${address} failed: ${reason}`)
  }
}

/** A side that gave up sooner had other reasons. */
const PATIENCE_MS = 1_000
/** A plain Redis takes the handshake for the beginning of a command, and waits for the rest. */
const SILENCE = 'no answer to the TLS handshake; perhaps this port speaks no TLS'

const RENEWED = 'new connections use new files: '

/** Undefined if there is nothing to load. */
function load(options: TlsOptions, usedBy: string | undefined): TlsContexts | undefined {
  if (usedBy !== undefined && options.certFile === '') throw noCertificate(usedBy)
  const isUsed = usedBy !== undefined || options.port !== 0 || options.replication
  return isUsed ? createTlsContexts(options, Date.now()) : undefined
}
