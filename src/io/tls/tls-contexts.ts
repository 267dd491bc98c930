/** A TLS configuration made ready for Node: for listening, and for connections we open. */
import { constants } from 'node:crypto'
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type TlsOptions as ServerOptions,
} from 'node:tls'
import type { TlsOptions } from '../../config/tls-options.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { partsOf, type TlsPart } from './tls-changes.ts'
import type { CertificateInUse } from './tls-expiry.ts'
import { readTlsFiles, type TlsFiles, type TlsIdentity } from './tls-files.ts'

export interface TlsContexts {
  /** For a TLS server. */
  readonly listening: ServerOptions
  readonly opening: SecureContext
  readonly warnings: readonly string[]
  /** Our certificate for the log: its subject and its expiry. */
  readonly summary: string
  /** What the files say, part by part. */
  readonly parts: readonly TlsPart[]
  readonly certificates: readonly CertificateInUse[]
}

/** Throws a StartError that says which directive or file is wrong, and why. */
export function createTlsContexts(options: TlsOptions, nowMs: number): TlsContexts {
  const spoken = spokenProtocols(options)
  const files = readTlsFiles(options, nowMs)
  checkCiphers(options)
  if (files.dhParams !== undefined) checkDhParams(options.dhParamsFile, files.dhParams)
  const shared = sharedBy(spoken, files)
  return {
    listening: { ...shared, ...identity(files.own), ...clientChecks(options) },
    opening: contextOf(() => createSecureContext({ ...shared, ...identity(files.client) })),
    warnings: [...spoken.warnings, ...files.warnings],
    summary: files.summary,
    parts: partsOf(files),
    certificates: files.certificates,
  }
}

function sharedBy({ context }: Spoken, { authorities, dhParams }: TlsFiles) {
  // An empty list, not undefined: without a list Node would trust every authority that browsers
  // trust.
  return { ...context, ca: [...authorities], dhparam: dhParams ?? 'auto' }
}

function identity(credentials: TlsIdentity | undefined) {
  if (credentials === undefined) return {}
  const { cert, key, passphrase } = credentials
  return { cert, key, ...(passphrase === '' ? {} : { passphrase }) }
}

/** `optional` asks for a certificate and admits clients that show none; a wrong one is rejected later. */
function clientChecks({ authClients }: TlsOptions) {
  return { requestCert: authClients !== 'no', rejectUnauthorized: authClients === 'yes' }
}

/** Checks each directive on its own, so that the error can name it. */
function checkCiphers({ ciphers, cipherSuites }: TlsOptions): void {
  checkCipherWords('tls-ciphers', ciphers, ordinaryIn(ciphers))
  checkCipherWords('tls-ciphersuites', cipherSuites, suitesIn(cipherSuites))
}

/** As in OpenSSL, words that it does not know do no harm beside one that it knows. */
function checkCipherWords(directive: string, text: string, words: readonly string[]): void {
  if (text === '') return
  const refuse = (reason: string) => {
    const fault = `${directive}: ${JSON.stringify(text)} names no cipher known here (${reason})`
    return new StartError('E_TLS', fault, CIPHER_HINT)
  }
  if (words.length === 0) throw refuse(OTHER_KIND)
  try {
    createSecureContext({ ciphers: words.join(':') })
  } catch (error) {
    throw refuse(reasonOf(error))
  }
}

const CIPHER_HINT = 'leave it out for the defaults, or see openssl ciphers'
const OTHER_KIND =
  'tls-ciphersuites is for TLS 1.3, whose ciphers begin with TLS_, and tls-ciphers for the versions before'

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

// [tls-protocols], [tls-ciphers], [tls-ciphersuites]: which protocols and ciphers are allowed.

/** Oldest first. */
const VERSIONS: readonly { readonly name: SecureVersion; readonly off: number }[] = [
  { name: 'TLSv1', off: constants.SSL_OP_NO_TLSv1 },
  { name: 'TLSv1.1', off: constants.SSL_OP_NO_TLSv1_1 },
  { name: 'TLSv1.2', off: constants.SSL_OP_NO_TLSv1_2 },
  { name: 'TLSv1.3', off: constants.SSL_OP_NO_TLSv1_3 },
]
const DEFAULT_VERSIONS = ['TLSv1.2', 'TLSv1.3']
const OLD_VERSIONS = ['TLSv1', 'TLSv1.1']

interface Spoken {
  readonly context: SecureContextOptions
  readonly warnings: readonly string[]
}

/** Throws a StartError for an unknown word, and if no protocol is left to use. */
export function spokenProtocols(options: TlsOptions): Spoken {
  const names = options.protocols.length === 0 ? DEFAULT_VERSIONS : options.protocols.map(versionOf)
  const warnings = [...checkOldVersions(names, options.ciphers), ...misplacedCiphers(options)]
  const wanted = VERSIONS.filter(({ name }) => names.includes(name))
  const context = {
    minVersion: wanted[0]?.name ?? 'TLSv1.2',
    maxVersion: wanted.at(-1)?.name ?? 'TLSv1.3',
    secureOptions: gaps(names),
    honorCipherOrder: options.preferServerCiphers,
    ciphers: cipherList(options),
  } as const
  return { context, warnings }
}

function versionOf(word: string): SecureVersion {
  const version = VERSIONS.find(({ name }) => name.toLowerCase() === word.toLowerCase())
  if (version !== undefined) return version.name
  throw new StartError(
    'E_TLS',
    `tls-protocols: ${JSON.stringify(word)} is no TLS version`,
    'use a combination of TLSv1.2 and TLSv1.3',
  )
}

/** OpenSSL 3 accepts the old versions and then uses neither, unless its security level is 0. */
function checkOldVersions(names: readonly string[], ciphers: string): readonly string[] {
  const old = names.filter((name) => OLD_VERSIONS.includes(name))
  if (old.length === 0 || ciphers.includes('@SECLEVEL=0')) return []
  const what = `tls-protocols: OpenSSL refuses to speak ${old.join(' and ')}`
  if (old.length < names.length) return [`${what}; the newer versions are spoken`]
  throw new StartError('E_TLS', what, 'use TLSv1.2 or TLSv1.3, or add @SECLEVEL=0 to tls-ciphers')
}

/** A list such as `TLSv1.1 TLSv1.3` excludes the versions in between. */
function gaps(names: readonly string[]): number {
  return VERSIONS.filter(({ name }) => !names.includes(name)).reduce(
    (bits, { off }) => bits | off,
    0,
  )
}

/**
 * Node has one list for both kinds; a kind that is not configured keeps its default. A word of the other kind is left
 * out, as OpenSSL does: in the one list it would count.
 */
function cipherList({ ciphers, cipherSuites }: TlsOptions): string {
  const suites = suitesIn(cipherSuites || DEFAULT_CIPHERS)
  return [...suites, ...ordinaryIn(ciphers || DEFAULT_CIPHERS)].join(':')
}

function suitesIn(list: string): readonly string[] {
  return list.split(':').filter(isSuite)
}

function ordinaryIn(list: string): readonly string[] {
  return list.split(/[:, ]+/).filter((word) => word !== '' && !isSuite(word))
}

function isSuite(word: string): boolean {
  return word.startsWith('TLS_')
}

/** The words that do not count, because they are of the other kind. */
function misplacedCiphers({ ciphers, cipherSuites }: TlsOptions): readonly string[] {
  const kinds = [
    ['tls-ciphers', suitesIn(ciphers)],
    ['tls-ciphersuites', ordinaryIn(cipherSuites)],
  ] as const
  return kinds
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => `${name}: ${words.join(':')} does not count: ${OTHER_KIND}`)
}
