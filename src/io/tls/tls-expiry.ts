/**
 * How long the certificates that we show and those that we trust are still valid: one that expires unnoticed ends every
 * connection at once.
 */
import type { X509Certificate } from 'node:crypto'
import { StartError } from '../start-error.ts'

/** A certificate in use, and the file it was read from. */
export interface CertificateInUse {
  /** As in redis.conf: `tls-cert-file`. */
  readonly directive: string
  readonly path: string
  /** For texts: `the certificate`, or which one of several. */
  readonly what: string
  readonly validFromMs: number
  readonly validToMs: number
}

const DAY_MS = 24 * 3_600_000
/** Authorities that renew by themselves do so earlier; the alert rule knows the same time. */
const SOON_MS = 14 * DAY_MS

/** Of a certificate and the rest of its chain, the one that expires first: it ends the connections. */
export function chainInUse(
  directive: string,
  path: string,
  chain: readonly [X509Certificate, ...X509Certificate[]],
): CertificateInUse {
  const [leaf] = chain
  const first = chain.reduce((one, other) => (endOf(other) < endOf(one) ? other : one))
  const what = first === leaf ? 'the certificate' : `the certificate ${nameOf(first)} of the chain`
  return { directive, path, what, ...validityOf(first) }
}

/** Of several authorities, the one that expires last: old ones may stay beside it. Undefined if there is none. */
export function authorityInUse(
  directive: string,
  path: string,
  trusted: readonly X509Certificate[],
): CertificateInUse | undefined {
  const roots = trusted.filter(({ issuer, subject }) => issuer === subject)
  const [one, ...others] = roots.length > 0 ? roots : trusted
  if (one === undefined) return undefined
  const last = others.reduce((best, other) => (endOf(other) > endOf(best) ? other : best), one)
  return { directive, path, what: `the authority ${nameOf(last)}`, ...validityOf(last) }
}

function validityOf(certificate: X509Certificate) {
  return { validFromMs: Date.parse(certificate.validFrom), validToMs: endOf(certificate) }
}

function endOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo)
}

function nameOf({ subject, serialNumber }: X509Certificate): string {
  return subject?.replaceAll('\n', ', ') || serialNumber
}

/**
 * For the log; undefined if there is nothing to say. An expired or future certificate does not prevent a start:
 * clients that do not verify can still connect.
 */
export function ageWarning(certificate: CertificateInUse, nowMs: number): string | undefined {
  const { directive, path, what, validFromMs, validToMs } = certificate
  const about = `${directive} ${path}: ${what}`
  if (validToMs < nowMs) return `${about} has expired on ${dated(validToMs)}`
  if (validFromMs > nowMs) return `${about} is not valid before ${dated(validFromMs)}`
  if (validToMs - nowMs > SOON_MS) return undefined
  const days = Math.floor((validToMs - nowMs) / DAY_MS)
  const left = days === 0 ? 'today or tomorrow' : days === 1 ? 'in 1 day' : `in ${days} days`
  return `${about} expires ${left}, on ${dated(validToMs)}: renew it, the new file is taken by itself`
}

/**
 * Throws a StartError if a certificate that has expired would take the place of one that is valid: an old file
 * that was copied over a new one would end every connection that verifies it.
 */
export function refuseExpired(
  before: readonly CertificateInUse[],
  after: readonly CertificateInUse[],
  nowMs: number,
): void {
  const isValid = ({ validToMs }: CertificateInUse) => validToMs >= nowMs
  const expired = after.find((one) => {
    const old = before.find(({ directive }) => directive === one.directive)
    return !isValid(one) && old !== undefined && isValid(old)
  })
  if (expired === undefined) return
  const { directive, path, what, validToMs } = expired
  const fault = `${what} has expired on ${dated(validToMs)}, and the one in use is still valid`
  throw new StartError('E_TLS', `${directive} ${path}: ${fault}`, 'put a renewed certificate there')
}

/** Like OpenSSL: `Nov 29 06:41:23 2026 GMT`. */
function dated(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(' ')
  return `${month} ${day} ${time} ${year} GMT`
}
