/**
 * The `tls-…` directives, which Sentinel and data node share. Paths are ordinary text; empty if not
 * given.
 */
export interface TlsOptions {
  /** [tls-port] 0 means not to listen with TLS. */
  readonly port: number
  /**
   * [tls-replication] Connections we open use TLS: a Sentinel's to all instances, a replica's to
   * its master.
   */
  readonly replication: boolean
  /** [tls-cert-file], [tls-key-file], [tls-key-file-pass]: our own certificate. */
  readonly certFile: string
  readonly keyFile: string
  readonly keyFilePass: string
  /**
   * [tls-client-cert-file] etc.: our certificate on connections we open; if not given, the one
   * above.
   */
  readonly clientCertFile: string
  readonly clientKeyFile: string
  readonly clientKeyFilePass: string
  /** [tls-ca-cert-file], [tls-ca-cert-dir]: the authorities we trust. */
  readonly caCertFile: string
  readonly caCertDir: string
  /** [tls-auth-clients] Must clients present a certificate? */
  readonly authClients: 'yes' | 'no' | 'optional'
  /** [tls-protocols] Words such as `TLSv1.2`; empty means TLS 1.2 and 1.3. */
  readonly protocols: readonly string[]
  /** [tls-ciphers] for versions up to TLS 1.2, [tls-ciphersuites] for TLS 1.3. */
  readonly ciphers: string
  readonly cipherSuites: string
  /** [tls-prefer-server-ciphers] */
  readonly preferServerCiphers: boolean
  /** [tls-dh-params-file] */
  readonly dhParamsFile: string
}

/** Which setting uses the certificates beside tls-port and tls-replication; undefined: none. */
export function certificatesUsedBy(file: {
  readonly http: { readonly port: number; readonly tls: boolean }
  readonly proxy?: { readonly hasTls: boolean } | undefined
}): string | undefined {
  if (file.http.port !== 0 && file.http.tls) return 'http-tls'
  return file.proxy?.hasTls === true ? 'tls of the proxy' : undefined
}

export const NO_TLS: TlsOptions = {
  port: 0,
  replication: false,
  certFile: '',
  keyFile: '',
  keyFilePass: '',
  clientCertFile: '',
  clientKeyFile: '',
  clientKeyFilePass: '',
  caCertFile: '',
  caCertDir: '',
  authClients: 'yes',
  protocols: [],
  ciphers: '',
  cipherSuites: '',
  preferServerCiphers: false,
  dhParamsFile: '',
}
