/**
 * TLS of one process: the certificates in use, for connections to us and for those we open, and their
 * renewal while everything runs. Renewed certificates apply to new handshakes; existing connections
 * stay as they are.
 */
import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { assert } from '../../base/assert.ts'
import { hostAndPort } from '../../base/ip.ts'
import type { TlsOptions } from '../../config/tls-options.ts'
import type { LogLevel } from '../../core/log-level.ts'
import { Repetitions } from '../log/line-budget.ts'
import { reasonAndHintOf } from '../start-error.ts'
import { changedParts } from './tls-changes.ts'
import { createTlsContexts, type TlsContexts } from './tls-contexts.ts'
import { ageWarning, type CertificateInUse, refuseExpired } from './tls-expiry.ts'
import { noCertificate } from './tls-files.ts'
import { tlsPaths } from './tls-paths.ts'
import { PlainAttempts, reportTrouble } from './tls-trouble.ts'
import { watchFiles } from './tls-watch.ts'

export type TlsLog = (level: LogLevel, text: string) => void

/** A peer is tried again every second; the same reason for a failure is logged this often. */
const REPEAT_MS = 300_000

export class Tls {
  readonly #log: TlsLog
  readonly #repetitions = new Repetitions(REPEAT_MS)
  readonly #plain = new PlainAttempts()
  #options: TlsOptions
  /** What else uses the certificates: the HTTP port, or the proxy. */
  #usedBy: string | undefined
  /** Undefined if neither a port nor our connections use TLS. */
  #contexts: TlsContexts | undefined
  #unwatch: (() => void) | undefined
  #reminder: NodeJS.Timeout | undefined
  #warnedAtMs = Number.NEGATIVE_INFINITY

  /** Throws a StartError that says which directive or file is wrong, and why. */
  constructor(options: TlsOptions, log: TlsLog, usedBy?: string) {
    this.#log = log
    this.#options = options
    this.#usedBy = usedBy
    this.#contexts = load(options, usedBy)
    this.#announce(this.#contexts?.summary ?? '')
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
   * connection itself. `tell` hears why it failed, before `close` is emitted to others.
   */
  over(raw: Socket, host: string, port: number, tell?: (reason: string) => void): Socket {
    const address = hostAndPort(host, port)
    const complain = (reason: string) => {
      tell?.(reason)
      this.#complain(address, reason)
    }
    if (!this.isOpening) {
      this.#plain.watch(raw, address, complain)
      return raw
    }
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
    reportTrouble(raw, socket, complain)
    return socket
  }

  /**
   * Uses other options from now on. Throws a StartError, and then everything stays as it was. The function
   * that is returned takes it back.
   */
  change(options: TlsOptions, usedBy: string | undefined): () => void {
    const before = { contexts: this.#contexts, options: this.#options, usedBy: this.#usedBy }
    const loaded = load(options, usedBy)
    refuseExpired(this.certificates, loaded?.certificates ?? [], Date.now())
    this.#contexts = loaded
    this.#options = options
    this.#usedBy = usedBy
    this.#announceChange(before.contexts, hasOtherSettings(before.options, options))
    return () => {
      this.#contexts = before.contexts
      this.#options = before.options
      this.#usedBy = before.usedBy
    }
  }

  /** Those that are in use now. */
  get certificates(): readonly CertificateInUse[] {
    return this.#contexts?.certificates ?? []
  }

  /** Reads the files again. False if they are not valid; the log says why, and the old ones stay in use. */
  reload(): boolean {
    const isValid = this.#readAgain()
    this.warnOfExpiry()
    return isValid
  }

  /** Logs which certificates expire soon, unless a line of the last second has said so. */
  warnOfExpiry(): void {
    if (performance.now() - this.#warnedAtMs < SAME_OCCASION_MS) return
    this.#warn(this.certificates.flatMap((one) => ageWarning(one, Date.now()) ?? []))
  }

  #readAgain(): boolean {
    try {
      this.change(this.#options, this.#usedBy)
      return true
    } catch (error) {
      const text = reasonAndHintOf(error)
      this.#log('warning', `TLS: changed files are not used, the old ones stay in use: ${text}`)
      return false
    }
  }

  /** Reloads by itself, soon after a file has changed. */
  watch(lookMs?: number, remindMs = DAY_MS): void {
    this.#unwatch ??= watchFiles(
      () => tlsPaths(this.#options),
      () => void this.#readAgain(),
      lookMs,
    )
    this.#reminder ??= setInterval(() => this.warnOfExpiry(), remindMs).unref()
  }

  /** Ends the watch. */
  close(): void {
    this.#unwatch?.()
    this.#unwatch = undefined
    clearInterval(this.#reminder)
    this.#reminder = undefined
  }

  #announceChange(before: TlsContexts | undefined, hasOtherSettings: boolean): void {
    if (this.#contexts === undefined) return
    const changed = changedParts(before?.parts, this.#contexts.parts)
    if (changed.length > 0) this.#announce(`${RENEWED}${changed.join('; ')}`)
    else if (hasOtherSettings) this.#announce(CHANGED)
  }

  /** Logs what is in use now, and what is doubtful about it. */
  #announce(text: string): void {
    if (this.#contexts === undefined) return
    this.#log('notice', `TLS: ${text}`)
    this.#warn(this.#contexts.warnings)
  }

  #warn(warnings: readonly string[]): void {
    this.#warnedAtMs = performance.now()
    for (const warning of warnings) this.#log('warning', `TLS: ${warning}`)
  }

  #complain(address: string, reason: string): void {
    if (!this.#repetitions.isNews(address, reason, performance.now())) return
    this.#log('warning', `TLS: connection to ${address} failed: ${reason}`)
  }
}

const RENEWED = 'new connections use new files: '
const CHANGED = 'new connections use the new settings'
/** How often the log says that a certificate expires soon. */
const DAY_MS = 24 * 3_600_000
const SAME_OCCASION_MS = 1_000

/** Other than names of files, whose contents count, and ports. */
function hasOtherSettings(before: TlsOptions, after: TlsOptions): boolean {
  const settings = (options: TlsOptions) => {
    const { authClients, protocols, ciphers, cipherSuites, preferServerCiphers } = options
    return JSON.stringify([authClients, protocols, ciphers, cipherSuites, preferServerCiphers])
  }
  return settings(before) !== settings(after)
}

/** Undefined if there is nothing to load. */
function load(options: TlsOptions, usedBy: string | undefined): TlsContexts | undefined {
  if (usedBy !== undefined && options.certFile === '') throw noCertificate(usedBy)
  const isUsed = usedBy !== undefined || options.port !== 0 || options.replication
  return isUsed ? createTlsContexts(options, Date.now()) : undefined
}
