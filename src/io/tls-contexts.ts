/** A TLS configuration made ready for Node: what we listen with, and what we open connections with. */
import { createHash } from 'node:crypto'
import { createSecureContext, type SecureContext, type TlsOptions as ServerOptions } from 'node:tls'
import type { TlsOptions } from '../config/tls-options.ts'
import { reasonOf, StartError } from './start-error.ts'
import { type Credentials, readTlsFiles, type TlsFiles } from './tls-files.ts'
import { type Spoken, spokenProtocols } from './tls-protocols.ts'

export interface TlsContexts {
  /** For a TLS server. */
  readonly listening: ServerOptions
  readonly opening: SecureContext
  readonly warnings: readonly string[]
  /** Our certificate for the log: whose, and until when. */
  readonly summary: string
  /** The same as long as the contents of all files are the same. */
  readonly digest: string
}

/** Throws a StartError that says which directive or file is wrong, and why. */
export function createTlsContexts(options: TlsOptions, nowMs: number): TlsContexts {
  const spoken = spokenProtocols(options)
  const files = readTlsFiles(options, nowMs)
  checkCiphers(options, spoken)
  if (files.dhParams !== undefined) checkDhParams(options.dhParamsFile, files.dhParams)
  const shared = sharedBy(spoken, files)
  return {
    listening: { ...shared, ...identity(files.own), ...clientChecks(options) },
    opening: contextOf(() => createSecureContext({ ...shared, ...identity(files.client) })),
    warnings: [...spoken.warnings, ...files.warnings],
    summary: files.summary,
    digest: createHash('sha256').update(JSON.stringify(files)).digest('hex'),
  }
}

function sharedBy({ context }: Spoken, { authorities, dhParams }: TlsFiles) {
  // An empty list, not undefined: without one Node would believe every authority browsers believe.
  return { ...context, ca: [...authorities], dhparam: dhParams ?? 'auto' }
}

function identity(credentials: Credentials | undefined) {
  if (credentials === undefined) return {}
  const { cert, key, passphrase } = credentials
  return { cert, key, ...(passphrase === '' ? {} : { passphrase }) }
}

/** `optional` asks for a certificate and lets those in who show none; a wrong one is judged later. */
function clientChecks({ authClients }: TlsOptions) {
  return { requestCert: authClients !== 'no', rejectUnauthorized: authClients === 'yes' }
}

/** Each on its own, so that the reason can name the directive. */
function checkCiphers(options: TlsOptions, { context }: Spoken): void {
  try {
    createSecureContext(context)
  } catch (error) {
    const words = [options.ciphers, options.cipherSuites].filter((list) => list !== '').join(' ')
    throw new StartError(
      'E_TLS',
      `tls-ciphers or tls-ciphersuites: ${JSON.stringify(words)} names no cipher known here (${reasonOf(error)})`,
      'leave them out for the defaults, or see openssl ciphers',
    )
  }
}

function checkDhParams(path: string, dhparam: string): void {
  try {
    createSecureContext({ dhparam })
  } catch (error) {
    const reason = `OpenSSL does not take these parameters (${reasonOf(error)})`
    const hint = 'make new ones of 2048 bits with openssl dhparam'
    throw new StartError('E_TLS', `tls-dh-params-file ${path}: ${reason}`, hint)
  }
}

function contextOf(create: () => SecureContext): SecureContext {
  try {
    return create()
  } catch (error) {
    const hint = 'check the files that the tls directives name'
    throw new StartError('E_TLS', `cannot use TLS: ${reasonOf(error)}`, hint)
  }
}
