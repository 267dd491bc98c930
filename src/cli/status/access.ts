/** How to be admitted by a Sentinel: address, user, password, certificates. */
import type { ConnectionOptions } from 'node:tls'
import { readTextFile } from '../files.ts'
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

/** Throws a StartError if a certificate cannot be read. */
export function readAccess(options: AccessOptions): SentinelLogin {
  const { user, pass = process.env[PASSWORD_VARIABLE] } = options
  return { user, password: pass, tls: readTls(options) }
}

function readTls({ tls, cacert, cert, key }: AccessOptions): ConnectionOptions | undefined {
  if (tls !== true && cacert === undefined && cert === undefined) return undefined
  return {
    ...(cacert === undefined ? {} : { ca: readTextFile(cacert, 'utf8') }),
    ...(cert === undefined ? {} : { cert: readTextFile(cert, 'utf8') }),
    ...(key === undefined ? {} : { key: readTextFile(key, 'utf8') }),
    // As in redis-cli: the chain counts, not the name, because Sentinels are known by address.
    checkServerIdentity: () => undefined,
  }
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
