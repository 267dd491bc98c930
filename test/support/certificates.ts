/** Authorities and certificates as an operator makes them: with the openssl command, in a temporary folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { NO_TLS, type TlsOptions } from '../../src/config/tls-options.ts'
import { scratchFolder } from './scratch.ts'

export const HAS_OPENSSL =
  spawnSync('openssl', ['version'], { stdio: 'ignore' }).error === undefined

/** Paths of a certificate and its key. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

export interface Issue {
  readonly days?: number
  /** Encrypts the key. */
  readonly passphrase?: string
}

const ELLIPTIC = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1']

export class Certificates {
  readonly folder = scratchFolder('certificates')

  path(name: string): string {
    return join(this.folder, name)
  }

  /** A self-signed certificate, as an authority has. */
  authority(name: string): Pair {
    const { cert, key } = this.#pair(name)
    this.#createKey(key)
    this.#run(
      'req',
      '-x509',
      '-new',
      '-key',
      key,
      '-subj',
      `/CN=${name}`,
      '-days',
      '400',
      '-out',
      cert,
    )
    return { cert, key }
  }

  /** A certificate signed by an authority; with -1 days it expired yesterday. */
  issue(authority: Pair, name: string, { days = 30, passphrase }: Issue = {}): Pair {
    const { cert, key } = this.#pair(name)
    const request = this.path(`${name}.csr`)
    this.#createKey(key, passphrase)
    const unlock = passphrase === undefined ? [] : ['-passin', `pass:${passphrase}`]
    this.#run('req', '-new', '-key', key, ...unlock, '-subj', `/CN=${name}`, '-out', request)
    const signer = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial']
    this.#run('x509', '-req', '-in', request, ...signer, '-days', String(days), '-out', cert)
    return { cert, key }
  }

  dhParams(name: string): string {
    const path = this.path(name)
    this.#run('dhparam', '-dsaparam', '-out', path, '2048')
    return path
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #pair(name: string): Pair {
    return { cert: this.path(`${name}.crt`), key: this.path(`${name}.key`) }
  }

  #createKey(path: string, passphrase?: string): void {
    const lock = passphrase === undefined ? [] : ['-aes256', '-pass', `pass:${passphrase}`]
    this.#run('genpkey', ...ELLIPTIC, ...lock, '-out', path)
  }

  #run(...argv: readonly string[]): void {
    execFileSync('openssl', argv, { stdio: 'pipe', timeout: 20_000 })
  }
}

/** For listening and opening with this certificate, trusting this authority. */
export function tlsOptions(own: Pair, authority: Pair, more: Partial<TlsOptions> = {}): TlsOptions {
  return {
    ...NO_TLS,
    port: 1,
    replication: true,
    certFile: own.cert,
    keyFile: own.key,
    caCertFile: authority.cert,
    ...more,
  }
}

/** The same as lines of a redis.conf or sentinel.conf. */
export function tlsLines(port: number, own: Pair, authority: Pair): string[] {
  return [
    'port 0',
    `tls-port ${port}`,
    'tls-replication yes',
    `tls-cert-file ${own.cert}`,
    `tls-key-file ${own.key}`,
    `tls-ca-cert-file ${authority.cert}`,
  ]
}

export function textOf(path: string): string {
  return readFileSync(path, 'latin1')
}
