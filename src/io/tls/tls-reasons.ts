/**
 * What OpenSSL and Node call the ways a TLS connection can fail, in words for the people who have to
 * fix it. A name with ALERT is what the other side said before it closed.
 */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'certificate has expired'],
  ['CERT_NOT_YET_VALID', 'certificate is not valid yet'],
  ['CERT_REVOKED', 'certificate has been revoked'],
  ['CERT_SIGNATURE_FAILURE', 'the signature of the certificate is wrong'],
  ['CERT_UNTRUSTED', 'certificate is not trusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'],
  ['INVALID_CA', 'certificate was signed by one that may not sign'],
  ['INVALID_PURPOSE', 'certificate is not meant for this use'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate of an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate of an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate of an unknown authority'],
  ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'the other side showed no certificate'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the other side speaks no TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the other side speaks no TLS'],
  ['ERR_SSL_HTTP_REQUEST', 'the other side speaks HTTP, not TLS'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'no TLS version in common'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'no TLS version in common'],
  ['ERR_SSL_NO_SHARED_CIPHER', 'no cipher in common'],
  ['ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY', 'no cipher in common'],
  [
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'the other side wants a certificate of ours, or no cipher is in common',
  ],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'the other side wants a certificate of ours'],
  [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'the other side does not know the authority of our certificate',
  ],
  [
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'the other side says that our certificate has expired',
  ],
  [
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED',
    'the other side says that our certificate is revoked',
  ],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', 'the other side does not accept our certificate'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'the other side does not accept our certificate'],
  ['ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE', 'the other side does not accept our certificate'],
  ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', 'the other side does not let us in'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'the TLS handshake was not finished in time'],
])

/** How Node's message begins, under the code ECONNRESET, when a handshake was cut off. */
const CUT_OFF = 'Client network socket disconnected before secure TLS connection'

/** How OpenSSL embeds a reason in a longer text, `error:0A…:SSL routines:function:reason:file:line`. */
const INNER_REASON = /:SSL routines:[^:]*:([^:]+):/

/** Undefined if the error has nothing to do with TLS. */
export function tlsReasonOf(error: NodeJS.ErrnoException): string | undefined {
  if (error.message.startsWith(CUT_OFF)) return 'the other side closed during the TLS handshake'
  const code = codeOf(error)
  // OpenSSL 3.2 renamed the alerts of SSL 3.
  const words = REASONS.get(code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT'))
  return words ?? (code.startsWith('ERR_SSL_') ? code : undefined)
}

/**
 * Whether both sides spoke TLS and one did not accept what the other offers: certificate, version or cipher.
 * Someone has to correct that; rubbish and connections that break are for nobody to mend.
 */
export function isDisagreement(error: NodeJS.ErrnoException): boolean {
  return /CERTIFICATE|ALERT|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_NO_(SHARED|SUITABLE)/.test(
    codeOf(error),
  )
}

/** A write after a failed handshake gives EPROTO, and says what failed only in its text. */
function codeOf({ code = '', message }: NodeJS.ErrnoException): string {
  const reason = code === 'EPROTO' ? INNER_REASON.exec(message)?.[1] : undefined
  return reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
}

/** What is wrong with a certificate, from the code that Node keeps for it. */
export function certificateFault(code: string): string {
  return REASONS.get(code) ?? code
}
