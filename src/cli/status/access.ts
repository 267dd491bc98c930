/** How to be let in by a Sentinel: address, user, password, certificates. */
import type { ConnectionOptions } from 'node:tls'
import { Redis } from 'ioredis'
import { readTextFile } from '../files.ts'

export interface Access {
  readonly user: string | undefined
  readonly password: string | undefined
  /** Undefined: plain text. */
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

/** redis-cli reads its password there too, so that it stands in no list of processes. */
const PASSWORD_VARIABLE = 'REDISCLI_AUTH'
const CONNECT_TIMEOUT_MS = 2_000
const COMMAND_TIMEOUT_MS = 3_000

/** Throws a StartError when a certificate cannot be read. */
export function readAccess(options: AccessOptions): Access {
  const { user, pass = process.env[PASSWORD_VARIABLE] } = options
  return { user, password: pass, tls: readTls(options) }
}

function readTls({ tls, cacert, cert, key }: AccessOptions): ConnectionOptions | undefined {
  if (tls !== true && cacert === undefined && cert === undefined) return undefined
  return {
    ...(cacert === undefined ? {} : { ca: readTextFile(cacert, 'utf8') }),
    ...(cert === undefined ? {} : { cert: readTextFile(cert, 'utf8') }),
    ...(key === undefined ? {} : { key: readTextFile(key, 'utf8') }),
    // As redis-cli: the chain counts, not the name, since Sentinels are known by address.
    checkServerIdentity: () => undefined,
  }
}

/** A connection for a few questions: it gives up at once where nobody answers. */
export function connect(address: string, access: Access): Redis {
  const { host, port } = splitAddress(address)
  const { user, password, tls } = access
  const client = new Redis({
    host,
    port,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
    protocol: 2,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
  })
  return client
}

/** Connects; the rejection tells what the kernel or the other side said. */
export async function open(client: Redis): Promise<void> {
  let cause: unknown
  client.on('error', (error) => {
    cause ??= error
  })
  await client.connect().catch((error: unknown) => {
    throw cause ?? error
  })
}

/** `host:port` or `[v6]:port`. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(address.slice(colon + 1)) }
}
