/** How long our certificates are still valid: a certificate that expires unnoticed ends every connection at once. */
import type { X509Certificate } from 'node:crypto'
import { StartError } from '../start-error.ts'

/** A certificate of our own, and the file it was read from. */
export interface CertificateInUse {
  /** As in redis.conf: `tls-cert-file`. */
  readonly directive: string
  readonly path: string
  readonly validFromMs: number
  readonly validToMs: number
}

const DAY_MS = 24 * 3_600_000
/** Authorities that renew by themselves do so earlier; the alert rule knows the same time. */
const SOON_MS = 14 * DAY_MS

export function certificateInUse(
  directive: string,
  path: string,
  certificate: X509Certificate,
): CertificateInUse {
  const validFromMs = Date.parse(certificate.validFrom)
  return { directive, path, validFromMs, validToMs: Date.parse(certificate.validTo) }
}

/**
 * For the log; undefined if there is nothing to say. An expired or future certificate does not prevent a start:
 * clients that do not verify can still connect.
 */
export function ageWarning(certificate: CertificateInUse, nowMs: number): string | undefined {
  const { directive, path, validFromMs, validToMs } = certificate
  const about = `${directive} ${path}: the certificate`
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
  const { directive, path, validToMs } = expired
  const fault = `the certificate has expired on ${dated(validToMs)}, and the one in use is still valid`
  throw new StartError('E_TLS', `${directive} ${path}: ${fault}`, 'put a renewed certificate there')
}

/** Like OpenSSL: `Nov 29 06:41:23 2026 GMT`. */
function dated(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(' ')
  return `${month} ${day} ${time} ${year} GMT`
}
