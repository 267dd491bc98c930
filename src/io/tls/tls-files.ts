/**
 * The files that a TLS configuration names: read, and checked as far as possible before any connection.
 * A fault is reported with the directive, the file and the reason, instead of as a failed handshake.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsOptions } from '../../config/tls-options.ts'
import { readText } from '../files/text-file.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { ageWarning, authorityInUse, type CertificateInUse, chainInUse } from './tls-expiry.ts'

/** Our certificate and key as PEM texts. The certificate may include the rest of its chain. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
  readonly passphrase: string
}

export interface TlsFiles {
  /** Undefined if none is configured, which is enough for opening connections only. */
  readonly own: TlsIdentity | undefined
  /** For connections we open. */
  readonly client: TlsIdentity | undefined
  /** The authorities we trust, one PEM certificate each. */
  readonly authorities: readonly string[]
  /** [tls-dh-params-file] */
  readonly dhParams: string | undefined
  /** Settings that are allowed but hardly intended. */
  readonly warnings: readonly string[]
  /** Our certificate for the log: its subject and its expiry. */
  readonly summary: string
  /** The one for connections we open, if it has its own. */
  readonly clientSummary: string
  readonly certificates: readonly CertificateInUse[]
}

/** Throws a StartError for the first fault. */
export function readTlsFiles(options: TlsOptions, nowMs: number): TlsFiles {
  checkPresence(options)
  const own = readCredentials(OWN_DIRECTIVES, options)
  const client = readCredentials(CLIENT_DIRECTIVES, options)
  const shown = own ?? client
  const trusted = readAuthorities(options)
  const shownOnes = [own, client].map((one) => one?.inUse)
  const certificates = [...shownOnes, lastOf(trusted)].filter((one) => one !== undefined)
  return {
    own: own?.credentials,
    client: (client ?? own)?.credentials,
    authorities: [...new Set(trusted.flatMap(({ pems }) => pems))],
    dhParams: options.dhParamsFile === '' ? undefined : readDhParams(options.dhParamsFile),
    warnings: certificates.flatMap((one) => ageWarning(one, nowMs) ?? []),
    summary: shown === undefined ? 'no certificate of our own' : describe(shown.certificate),
    clientSummary: client === undefined ? '' : describe(client.certificate),
    certificates,
  }
}

/** The same demands as Redis', but a program that only opens connections needs no certificate. */
function checkPresence(options: TlsOptions): void {
  const isListening = options.port !== 0
  if (isListening && options.certFile === '') throw missing('tls-cert-file', 'tls-port')
  const believes = options.caCertFile !== '' || options.caCertDir !== ''
  const wantsClients = isListening && options.authClients !== 'no'
  if (!believes && (wantsClients || options.replication)) {
    const reason = wantsClients ? 'tls-auth-clients' : 'tls-replication'
    throw missing('tls-ca-cert-file or tls-ca-cert-dir', reason)
  }
}

/** For what uses the certificates beside the port and our connections. */
export function noCertificate(usedBy: string): StartError {
  return missing('tls-cert-file', usedBy)
}

function missing(what: string, because: string): StartError {
  return new StartError('E_TLS', `${what} is missing: ${because} needs it`, `configure ${what}`)
}

/** What the user calls the files of a certificate and of its key. */
interface CredentialNames {
  readonly cert: string
  readonly key: string
  /** Undefined where no passphrase can be given. */
  readonly pass?: string
}

interface CredentialDirectives {
  readonly certFile: 'certFile' | 'clientCertFile'
  readonly keyFile: 'keyFile' | 'clientKeyFile'
  readonly keyFilePass: 'keyFilePass' | 'clientKeyFilePass'
  readonly names: CredentialNames
}

const OWN_DIRECTIVES: CredentialDirectives = {
  certFile: 'certFile',
  keyFile: 'keyFile',
  keyFilePass: 'keyFilePass',
  names: { cert: 'tls-cert-file', key: 'tls-key-file', pass: 'tls-key-file-pass' },
}
const CLIENT_DIRECTIVES: CredentialDirectives = {
  certFile: 'clientCertFile',
  keyFile: 'clientKeyFile',
  keyFilePass: 'clientKeyFilePass',
  names: {
    cert: 'tls-client-cert-file',
    key: 'tls-client-key-file',
    pass: 'tls-client-key-file-pass',
  },
}

interface Examined {
  readonly credentials: TlsIdentity
  readonly certificate: X509Certificate
  readonly inUse: CertificateInUse
}

function readCredentials(which: CredentialDirectives, options: TlsOptions): Examined | undefined {
  const { names } = which
  const certFile = options[which.certFile]
  const keyFile = options[which.keyFile]
  const passphrase = options[which.keyFilePass]
  if (certFile === '' && keyFile === '') return undefined
  if (certFile === '') throw missing(names.cert, names.key)
  if (keyFile === '') throw missing(names.key, names.cert)
  const credentials = readIdentity(names, certFile, keyFile, passphrase)
  const { cert } = credentials
  const certificate = parseCertificate(names.cert, certFile, cert)
  const inUse = chainInUse(names.cert, certFile, [
    certificate,
    ...chainOf(names.cert, certFile, cert),
  ])
  return { credentials, certificate, inUse }
}

/** A certificate and its key, which belong together. Throws a StartError for the first fault. */
export function readIdentity(
  names: CredentialNames,
  certFile: string,
  keyFile: string,
  passphrase = '',
): TlsIdentity {
  const cert = readPem(names.cert, certFile)
  const key = readPem(names.key, keyFile)
  const certificate = parseCertificate(names.cert, certFile, cert)
  checkKey(names, certFile, keyFile, certificate, parseKey(names, keyFile, key, passphrase))
  return { cert, key, passphrase }
}

/** A bundle of all public authorities has a quarter of it. */
const MAX_PEM_BYTES = 1024 * 1024

function readPem(directive: string, path: string): string {
  try {
    return readText(path, 'latin1', MAX_PEM_BYTES)
  } catch (error) {
    throw unreadable(directive, path, error)
  }
}

function unreadable(directive: string, path: string, error: unknown): StartError {
  const reason = reasonOf(error)
  const words = FILE_REASONS[reason] ?? reason
  return fault(directive, path, words, 'check the path, and that this user may read it')
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'not permitted to read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is no folder',
}

function fault(directive: string, path: string, reason: string, hint: string): StartError {
  return new StartError('E_TLS', `${directive} ${path}: ${reason}`, hint)
}

function parseCertificate(directive: string, path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    // OpenSSL's own message names its functions, not what is wrong with the file.
    throw fault(directive, path, 'no certificate in PEM form', 'it begins with BEGIN CERTIFICATE')
  }
}

function parseKey(
  names: CredentialNames,
  path: string,
  pem: string,
  passphrase: string,
): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === '' ? {} : { passphrase }) })
  } catch {
    // OpenSSL names the step that failed, such as the padding; the file itself tells more.
    if (!pem.includes('ENCRYPTED')) {
      throw fault(names.key, path, 'no private key in PEM form', 'it begins with BEGIN PRIVATE KEY')
    }
    if (names.pass === undefined) {
      throw fault(names.key, path, 'the key is encrypted', 'give one without a passphrase')
    }
    if (passphrase === '') {
      throw fault(names.key, path, 'the key is encrypted', `give its passphrase in ${names.pass}`)
    }
    throw fault(names.key, path, 'wrong passphrase', `check ${names.pass}`)
  }
}

function checkKey(
  names: CredentialNames,
  certFile: string,
  keyFile: string,
  certificate: X509Certificate,
  key: KeyObject,
): void {
  if (certificate.checkPrivateKey(key)) return
  const reason = `it is not the key of the certificate ${certFile}`
  throw fault(names.key, keyFile, reason, `${names.cert} and ${names.key} must belong together`)
}

/** What stands behind the certificate in its file. */
function chainOf(directive: string, path: string, pem: string): readonly X509Certificate[] {
  const [, ...others] = pem.match(PEM_CERTIFICATE) ?? []
  return others.map((one) => parseCertificate(directive, path, one))
}

function describe(certificate: X509Certificate): string {
  const subject = certificate.subject?.replaceAll('\n', ', ') ?? ''
  return `certificate ${subject || certificate.serialNumber}, valid until ${certificate.validTo}`
}

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

interface Authorities {
  readonly directive: string
  readonly path: string
  readonly pems: readonly string[]
}

/** OpenSSL finds the files of a folder by the hash in their names; we read every PEM file in it. */
function readAuthorities({ caCertFile, caCertDir }: TlsOptions): readonly Authorities[] {
  const found: Authorities[] = []
  if (caCertFile !== '') {
    const pems = certificatesIn('tls-ca-cert-file', caCertFile)
    found.push({ directive: 'tls-ca-cert-file', path: caCertFile, pems })
  }
  if (caCertDir !== '') {
    const pems = filesOf(caCertDir).flatMap((path) => certificatesIn('tls-ca-cert-dir', path))
    found.push({ directive: 'tls-ca-cert-dir', path: caCertDir, pems })
  }
  const empty = found.find(({ pems }) => pems.length === 0)
  if (empty !== undefined) throw noAuthority(empty.directive, empty.path)
  return found
}

/** The authority that is valid for the longest time. */
function lastOf(found: readonly Authorities[]): CertificateInUse | undefined {
  const last = found.map(({ directive, path, pems }) =>
    authorityInUse(
      directive,
      path,
      pems.map((pem) => new X509Certificate(pem)),
    ),
  )
  const [first] = last.filter((one) => one !== undefined).sort((a, b) => b.validToMs - a.validToMs)
  return first
}

/** The authorities in one file, at least one. Throws a StartError. */
export function readAuthorityFile(directive: string, path: string): readonly string[] {
  const pems = certificatesIn(directive, path)
  if (pems.length === 0) throw noAuthority(directive, path)
  return pems
}

function certificatesIn(directive: string, path: string): readonly string[] {
  const certificates = readPem(directive, path).match(PEM_CERTIFICATE) ?? []
  for (const pem of certificates) parseCertificate(directive, path, pem)
  return certificates
}

function filesOf(folder: string): readonly string[] {
  try {
    const paths = readdirSync(folder).map((name) => join(folder, name))
    return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
  } catch (error) {
    throw unreadable('tls-ca-cert-dir', folder, error)
  }
}

function noAuthority(directive: string, path: string): StartError {
  return fault(
    directive,
    path,
    'no certificate in PEM form',
    'give the certificate of your authority',
  )
}

function readDhParams(path: string): string {
  const pem = readPem('tls-dh-params-file', path)
  if (pem.includes('BEGIN DH PARAMETERS') || pem.includes('BEGIN X9.42 DH PARAMETERS')) return pem
  const reason = 'no Diffie-Hellman parameters in PEM form'
  throw fault('tls-dh-params-file', path, reason, 'make them with openssl dhparam')
}
