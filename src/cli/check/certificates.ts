/**
 * Certificates, keys and authorities of a configuration, looked at before any connection: can they be
 * read, do they belong together, how long are they valid, do they name the address that others are told,
 * and may strangers read the key?
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { canonicalIp } from '../../base/ip.ts'
import { NO_TLS, type TlsOptions } from '../../config/tls-options.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'
import type { CertificateInUse } from '../../io/tls/tls-expiry.ts'
import { noCertificate, readTlsFiles } from '../../io/tls/tls-files.ts'

/** What is to be said about one file. */
export interface CertificateNote {
  readonly severity: 'error' | 'warning' | 'ok'
  /** As in redis.conf: `tls-cert-file`. */
  readonly directive: string
  readonly text: string
  readonly hint: string
}

export interface CertificateQuestion {
  /** With absolute paths. */
  readonly tls: TlsOptions
  /** What uses the certificates beside tls-port and tls-replication. */
  readonly usedBy: string | undefined
  readonly nowMs: number
  /** The addresses and names under which others connect to us; empty if nothing says. */
  readonly announced: readonly string[]
}

const SOON_MS = 30 * 24 * 3_600_000
const DAY_MS = 24 * 3_600_000

/** Nothing is said of a configuration without TLS. */
export function examineCertificates(question: CertificateQuestion): readonly CertificateNote[] {
  const { tls, nowMs, usedBy } = question
  if (tls.port === 0 && !tls.replication && usedBy === undefined) return unusedFiles(tls)
  if (tls.certFile === '' && usedBy !== undefined) return [noteOf(noCertificate(usedBy))]
  const faults = faultsOf(tls, nowMs)
  if (faults.length > 0) return faults
  const own = lookAt('tls-cert-file', tls.certFile, 'tls-key-file', tls.keyFile, question)
  const client = lookAt(
    'tls-client-cert-file',
    tls.clientCertFile,
    'tls-client-key-file',
    tls.clientKeyFile,
    { ...question, announced: [] },
  )
  return [...own, ...client, ...agesOfAuthorities(question)]
}

function unusedFiles(tls: TlsOptions): readonly CertificateNote[] {
  if (tls.certFile === '' && tls.caCertFile === '' && tls.caCertDir === '') return []
  const text = 'has no effect: neither tls-port nor tls-replication is set'
  const hint = 'set tls-port to listen with TLS, tls-replication yes to connect with it'
  return [{ severity: 'warning', directive: 'tls-cert-file', text, hint }]
}

/** The parts of a TLS configuration, each of which can be read without the others. */
const PARTS: readonly (readonly (keyof TlsOptions)[])[] = [
  ['certFile', 'keyFile', 'keyFilePass'],
  ['clientCertFile', 'clientKeyFile', 'clientKeyFilePass'],
  ['caCertFile'],
  ['caCertDir'],
  ['dhParamsFile'],
]

/** A start ends with the first fault; here each part has its own. */
function faultsOf(tls: TlsOptions, nowMs: number): readonly CertificateNote[] {
  const parts = PARTS.map((names) => {
    const given = Object.fromEntries(names.map((name) => [name, tls[name]]))
    return { ...NO_TLS, ...given } as TlsOptions
  })
  const notes = [...parts, tls].flatMap((part) => faultOf(part, nowMs))
  const texts = new Set<string>()
  return notes.filter(({ directive, text }) => {
    const isNew = !texts.has(directive + text)
    texts.add(directive + text)
    return isNew
  })
}

function faultOf(tls: TlsOptions, nowMs: number): readonly CertificateNote[] {
  try {
    readTlsFiles(tls, nowMs)
    return []
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [noteOf(error)]
  }
}

function noteOf({ message, hint }: StartError): CertificateNote {
  const [, directive = 'tls-cert-file', text = message] =
    /^(tls-[a-z-]+) (.*)$/s.exec(message) ?? []
  return { severity: 'error', directive, text, hint }
}

function lookAt(
  certDirective: string,
  certFile: string,
  keyDirective: string,
  keyFile: string,
  question: CertificateQuestion,
): readonly CertificateNote[] {
  if (certFile === '') return []
  const [leaf, ...others] = certificatesOf(certFile)
  if (leaf === undefined) return []
  const note = (severity: CertificateNote['severity'], text: string, hint = '') => ({
    ...{ severity, directive: certDirective, hint },
    text: `${certFile}: ${text}`,
  })
  const notes = [
    ...ageOf(inUse(certDirective, question), question.nowMs).map((words) => note(...words)),
    ...chainOf(leaf, others, question.tls).map((words) => note(...words)),
    ...namesOf(leaf, question.announced).map((words) => note(...words)),
    ...permissionsOf(keyDirective, keyFile),
  ]
  const doubts = notes.filter(({ severity }) => severity !== 'ok')
  if (doubts.length > 0) return doubts
  const text = `valid until ${day(Date.parse(leaf.validTo))}, signed by a known authority, and the key is its own`
  return [note('ok', text)]
}

type Words = readonly [severity: CertificateNote['severity'], text: string, hint: string]

/** Says nothing of one that is still valid for long. */
function agesOfAuthorities(question: CertificateQuestion): readonly CertificateNote[] {
  const { certificates } = readTlsFiles(question.tls, question.nowMs)
  const authorities = certificates.filter(({ directive }) => directive.startsWith('tls-ca-cert'))
  return authorities.flatMap((authority) => {
    const { directive, path } = authority
    return ageOf(authority, question.nowMs).map(([severity, text, hint]) => ({
      ...{ severity, directive, hint },
      text: `${path}: ${text}`,
    }))
  })
}

function inUse(
  directive: string,
  { tls, nowMs }: CertificateQuestion,
): CertificateInUse | undefined {
  return readTlsFiles(tls, nowMs).certificates.find((one) => one.directive === directive)
}

function ageOf(certificate: CertificateInUse | undefined, nowMs: number): readonly Words[] {
  if (certificate === undefined) return []
  const { what, validFromMs, validToMs } = certificate
  const leftMs = validToMs - nowMs
  const renew = 'renew it; running programs take the new file by themselves'
  if (leftMs < 0) return [['error', `${what} has expired on ${day(validToMs)}`, renew]]
  if (validFromMs > nowMs) {
    const text = `${what} is not valid before ${new Date(validFromMs).toUTCString()}`
    return [['error', text, 'wait, or set the clock of this machine']]
  }
  if (leftMs > SOON_MS) return []
  return [
    [
      'warning',
      `${what} expires in ${Math.floor(leftMs / DAY_MS)} days, on ${day(validToMs)}`,
      renew,
    ],
  ]
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Only if the configuration names authorities: the other side has its own list, mostly the same. */
function chainOf(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  tls: TlsOptions,
): readonly Words[] {
  if (tls.caCertFile === '' && tls.caCertDir === '') return []
  const { authorities } = readTlsFiles(tls, 0)
  const trusted = authorities.map((pem) => new X509Certificate(pem))
  if (isSigned(leaf, others, trusted)) return []
  const text = 'none of the configured authorities has signed it'
  const hint =
    'others with the same tls-ca-cert-file will refuse it; append intermediate certificates to the file'
  return [['warning', text, hint]]
}

/** No chain in use is longer. */
const LONGEST_CHAIN = 10

function isSigned(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): boolean {
  let current: X509Certificate | undefined = leaf
  for (let link = 0; link < LONGEST_CHAIN && current !== undefined; link++) {
    const child: X509Certificate = current
    const isTrusted = trusted.some(
      (one) => one.fingerprint256 === child.fingerprint256 || hasSigned(one, child),
    )
    if (isTrusted) return true
    current = others.find((one) => one !== child && hasSigned(one, child))
  }
  return false
}

function hasSigned(issuer: X509Certificate, child: X509Certificate): boolean {
  return child.checkIssued(issuer) && child.verify(issuer.publicKey)
}

/** Redis and Vedette do not look at names; clients with usual settings do. */
function namesOf(leaf: X509Certificate, announced: readonly string[]): readonly Words[] {
  const missing = announced.filter((address) => !covers(leaf, address))
  if (missing.length === 0) return []
  const text = `does not name ${missing.join(', ')}, where clients connect (it names ${shownNames(leaf)})`
  return [['warning', text, 'clients that check names reject it: issue it with these as SAN']]
}

export function covers(leaf: X509Certificate, address: string): boolean {
  const isIp = canonicalIp(address) !== undefined
  return (isIp ? leaf.checkIP(address) : leaf.checkHost(address)) !== undefined
}

function shownNames(leaf: X509Certificate): string {
  return leaf.subjectAltName ?? leaf.subject?.replaceAll('\n', ', ') ?? 'nobody'
}

const READ_BY_OTHERS = 0o004

function permissionsOf(directive: string, keyFile: string): readonly CertificateNote[] {
  const { mode } = statSync(keyFile)
  if ((mode & READ_BY_OTHERS) === 0) return []
  const text = `${keyFile}: every user of this machine may read the key`
  return [{ severity: 'warning', directive, text, hint: `chmod o-rwx ${keyFile}` }]
}

const PEM =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

function certificatesOf(path: string): readonly X509Certificate[] {
  try {
    return (readFileSync(path, 'latin1').match(PEM) ?? []).map((pem) => new X509Certificate(pem))
  } catch (error) {
    throw new StartError('E_TLS', `${path}: ${reasonOf(error)}`, 'see the files of tls-cert-file')
  }
}
