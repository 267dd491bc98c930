/** [tls-protocols], [tls-ciphers], [tls-ciphersuites]: what may be spoken. */
import { constants } from 'node:crypto'
import { DEFAULT_CIPHERS, type SecureContextOptions, type SecureVersion } from 'node:tls'
import type { TlsOptions } from '../config/tls-options.ts'
import { StartError } from './start-error.ts'

/** Oldest first. */
const VERSIONS: readonly { readonly name: SecureVersion; readonly off: number }[] = [
  { name: 'TLSv1', off: constants.SSL_OP_NO_TLSv1 },
  { name: 'TLSv1.1', off: constants.SSL_OP_NO_TLSv1_1 },
  { name: 'TLSv1.2', off: constants.SSL_OP_NO_TLSv1_2 },
  { name: 'TLSv1.3', off: constants.SSL_OP_NO_TLSv1_3 },
]
const DEFAULT_VERSIONS = ['TLSv1.2', 'TLSv1.3']
const OLD_VERSIONS = ['TLSv1', 'TLSv1.1']

export interface Spoken {
  readonly context: SecureContextOptions
  readonly warnings: readonly string[]
}

/** Throws a StartError for a word that is none, and when nothing is left that could be spoken. */
export function spokenProtocols(options: TlsOptions): Spoken {
  const names = options.protocols.length === 0 ? DEFAULT_VERSIONS : options.protocols.map(versionOf)
  const warnings = checkOldVersions(names, options.ciphers)
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

/** OpenSSL 3 takes the old words and then speaks neither, unless its security level is 0. */
function checkOldVersions(names: readonly string[], ciphers: string): readonly string[] {
  const old = names.filter((name) => OLD_VERSIONS.includes(name))
  if (old.length === 0 || ciphers.includes('@SECLEVEL=0')) return []
  const what = `tls-protocols: OpenSSL refuses to speak ${old.join(' and ')}`
  if (old.length < names.length) return [`${what}; the newer versions are spoken`]
  throw new StartError('E_TLS', what, 'use TLSv1.2 or TLSv1.3, or add @SECLEVEL=0 to tls-ciphers')
}

/** A list such as `TLSv1.1 TLSv1.3` leaves out what is in between. */
function gaps(names: readonly string[]): number {
  return VERSIONS.filter(({ name }) => !names.includes(name)).reduce(
    (bits, { off }) => bits | off,
    0,
  )
}

/** Node has one list for both kinds; where one kind is not configured its default stays. */
function cipherList({ ciphers, cipherSuites }: TlsOptions): string {
  const defaults = DEFAULT_CIPHERS.split(':')
  const isSuite = (name: string) => name.startsWith('TLS_')
  const suites = cipherSuites || defaults.filter(isSuite).join(':')
  return `${suites}:${ciphers || defaults.filter((name) => !isSuite(name)).join(':')}`
}
