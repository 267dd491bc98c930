/**
 * TLS of one process: the certificates in use, for those who connect to us and for whom we connect to,
 * and their renewal while everything runs. What is renewed counts for new handshakes; connections that
 * stand are not touched.
 */
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { assert } from '../base/assert.ts'
import type { TlsOptions } from '../config/tls-options.ts'
import type { LogLevel } from '../core/log-level.ts'
import { Repetitions } from './line-budget.ts'
import { reasonOf, StartError } from './start-error.ts'
import { createTlsContexts, type TlsContexts } from './tls-contexts.ts'
import { tlsPaths } from './tls-paths.ts'
import { tlsReasonOf } from './tls-reasons.ts'
import { watchFiles } from './tls-watch.ts'

export type TlsLog = (level: LogLevel, text: string) => void

/** A peer is tried again every second; that it fails for the same reason is said this often. */
const REPEAT_MS = 300_000

export class Tls {
  readonly #log: TlsLog
  readonly #repetitions = new Repetitions(REPEAT_MS)
  #options: TlsOptions
  /** Undefined: neither a port nor our connections use TLS. */
  #contexts: TlsContexts | undefined
  #unwatch: (() => void) | undefined

  /** Throws a StartError that says which directive or file is wrong, and why. */
  constructor(options: TlsOptions, log: TlsLog) {
    this.#log = log
    this.#options = options
    this.#contexts = load(options)
    this.#announce('')
  }

  /** [tls-port] 0: none. */
  get port(): number {
    return this.#options.port
  }

  /** [tls-replication] Whether connections that we open use TLS. */
  get isOpening(): boolean {
    return this.#options.replication
  }

  get contexts(): TlsContexts {
    assert(this.#contexts !== undefined, 'TLS is in use')
    return this.#contexts
  }

  get log(): TlsLog {
    return this.#log
  }

  /** A TLS connection over one that is being opened to this address; without tls-replication the same. */
  over(raw: Socket, host: string, port: number): Socket {
    if (!this.isOpening) return raw
    const socket = connect({
      socket: raw,
      secureContext: this.contexts.opening,
      rejectUnauthorized: true,
      // Redis checks that a trusted authority has signed, not for which name: instances are known by
      // addresses that come and go, and a failover must not hang on what a certificate lists.
      checkServerIdentity: () => undefined,
    })
    raw.on('error', () => undefined)
    this.#reportTrouble(raw, socket, `${host}:${port}`)
    return socket
  }

  /** Uses other options from now on. Throws a StartError, and then everything stays as it was. */
  change(options: TlsOptions): void {
    const before = this.#contexts
    this.#contexts = load(options)
    this.#options = options
    if (this.#contexts?.digest !== before?.digest) this.#announce(RENEWED)
  }

  /** Reads the files anew. False: they are not sound; the log says why, and the old ones stay in use. */
  reload(): boolean {
    try {
      this.change(this.#options)
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

  /** What is in use now, and what is doubtful about it. */
  #announce(occasion: string): void {
    if (this.#contexts === undefined) return
    const { summary, warnings } = this.#contexts
    this.#log('notice', `TLS: ${occasion}${summary}`)
    for (const warning of warnings) this.#log('warning', `TLS: ${warning}`)
  }

  /** A connection that is refused for its certificate looks like a dead instance to everybody else. */
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
      // Once it is secure, other ends than those of TLS are no business of ours.
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

/** Whoever gives up sooner had other reasons. */
const PATIENCE_MS = 1_000
/** A plain Redis takes the handshake for the beginning of a command, and waits for the rest of it. */
const SILENCE = 'no answer to the TLS handshake; perhaps this port speaks no TLS'

const RENEWED = 'new connections use new files: '

/** Undefined: there is nothing to load. */
function load(options: TlsOptions): TlsContexts | undefined {
  const isUsed = options.port !== 0 || options.replication
  return isUsed ? createTlsContexts(options, Date.now()) : undefined
}
