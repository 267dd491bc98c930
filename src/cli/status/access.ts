/** How to be admitted by a Sentinel: address, user, password, certificates. */
import type { ConnectionOptions } from 'node:tls'
import { StartError } from '../../io/start-error.ts'
import { readAuthorityFile, readIdentity } from '../../io/tls/tls-files.ts'
import { type Allowance, Asking } from './asking.ts'

export interface SentinelLogin {
  readonly user: string | undefined
  readonly password: string | undefined
  /** Undefined for plain text. */
  readonly tls: ConnectionOptions | undefined
}

export interface AccessOptions {
  readonly user?: string
  readonly pass?: string
  readonly tls?: boolean
  readonly cacert?: string
  readonly cert?: string
  readonly key?: string
}

/** redis-cli reads its password from there too, so that it appears in no list of processes. */
const PASSWORD_VARIABLE = 'REDISCLI_AUTH'

/** Throws a StartError if a certificate cannot be used. */
export function readAccess(options: AccessOptions): SentinelLogin {
  return { ...readLogin(options), tls: asOptions(() => readTls(options)) }
}

/** Who we are, without the certificates. */
export function readLogin({
  user,
  pass = process.env[PASSWORD_VARIABLE],
}: AccessOptions): Omit<SentinelLogin, 'tls'> {
  return { user, password: pass }
}

/** The files are named on the command line, so what is wrong with one is wrong there. */
function asOptions<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new StartError('E_OPTIONS', error.message, error.hint)
  }
}

function readTls(options: AccessOptions): ConnectionOptions | undefined {
  const { tls, cacert, cert, key } = options
  const isAnyNamed = [cacert, cert, key].some((file) => file !== undefined)
  if (tls !== true && !isAnyNamed) return undefined
  checkPair(options)
  return {
    ...(cacert === undefined ? {} : { ca: [...readAuthorityFile('--cacert', cacert)] }),
    ...(cert === undefined || key === undefined ? {} : ownCertificate(cert, key)),
    // As in redis-cli: the chain counts, not the name, because Sentinels are known by address.
    checkServerIdentity: () => undefined,
  }
}

function ownCertificate(certFile: string, keyFile: string): ConnectionOptions {
  const { cert, key } = readIdentity({ cert: '--cert', key: '--key' }, certFile, keyFile)
  return { cert, key }
}

/** With one of the two no certificate is shown. `neededBy`: another option that needs both. */
export function checkPair(
  { cert, key }: Pick<AccessOptions, 'cert' | 'key'>,
  neededBy?: string,
): void {
  const given = cert !== undefined ? '--cert' : key !== undefined ? '--key' : undefined
  const missing = cert === undefined ? '--cert' : key === undefined ? '--key' : undefined
  const by = neededBy ?? given
  if (by === undefined || missing === undefined) return
  const hint = 'name the files of a certificate and of its private key'
  throw new StartError('E_OPTIONS', `${by} needs ${missing}`, hint)
}

/**
 * How much one run of a program reads, from all sources: the answers of a fleet have a hundredth of
 * it.
 */
const MAX_BYTES = 128 * 1024 * 1024

export function allowanceOfOneRun(): Allowance {
  return { leftBytes: MAX_BYTES }
}

/** A connection for a few questions: it fails at once if nothing listens. */
export function connect(
  address: string,
  { user, password, tls }: SentinelLogin,
  allowance: Allowance = allowanceOfOneRun(),
): Asking {
  return new Asking({ ...splitAddress(address), user, password, tls, allowance })
}

/** `host:port` or `[v6]:port`. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(address.slice(colon + 1)) }
}
