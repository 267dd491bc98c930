/** TLS of a data node, whose directives CONFIG SET can change while it runs. */
import { utf8Text } from '../../base/utf8.ts'
import { certificatesUsedBy, type TlsOptions } from '../../config/tls-options.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { reasonOf } from '../start-error.ts'
import { Tls, type TlsLog } from './tls.ts'
import { inFolder } from './tls-paths.ts'

/** Redis' words: a client is not told what exactly is wrong. */
const REFUSAL = 'Unable to update TLS configuration. Check server logs.'

/** Throws a StartError. From then on, a CONFIG SET of settings that cannot be used is refused. */
export function nodeTls(settings: Settings, log: TlsLog): Tls {
  const tls = new Tls(tlsOptionsOf(settings), log, certificatesNodeUses(settings))
  settings.guard(TLS_SETTINGS, () => {
    try {
      tls.change(tlsOptionsOf(settings), certificatesNodeUses(settings))
      return undefined
    } catch (error) {
      log('warning', `TLS: CONFIG SET changes nothing: ${messageOf(error)}`)
      return REFUSAL
    }
  })
  return tls
}

export function certificatesNodeUses(settings: Settings): string | undefined {
  const http = { port: settings.int('http-port'), tls: settings.flag('http-tls') }
  return certificatesUsedBy({ http })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : reasonOf(error)
}

const TLS_SETTINGS = [
  'tls-replication',
  'tls-cert-file',
  'tls-key-file',
  'tls-key-file-pass',
  'tls-client-cert-file',
  'tls-client-key-file',
  'tls-client-key-file-pass',
  'tls-ca-cert-file',
  'tls-ca-cert-dir',
  'tls-auth-clients',
  'tls-protocols',
  'tls-ciphers',
  'tls-ciphersuites',
  'tls-prefer-server-ciphers',
  'tls-dh-params-file',
] as const

/** Values are byte strings; paths and passphrases are text. */
/** With absolute paths. */
export function tlsOptionsOf(settings: Settings): TlsOptions {
  const text = (name: Parameters<Settings['text']>[0]) => utf8Text(settings.text(name))
  const options: TlsOptions = {
    port: settings.int('tls-port'),
    replication: settings.flag('tls-replication'),
    certFile: text('tls-cert-file'),
    keyFile: text('tls-key-file'),
    keyFilePass: text('tls-key-file-pass'),
    clientCertFile: text('tls-client-cert-file'),
    clientKeyFile: text('tls-client-key-file'),
    clientKeyFilePass: text('tls-client-key-file-pass'),
    caCertFile: text('tls-ca-cert-file'),
    caCertDir: text('tls-ca-cert-dir'),
    authClients: text('tls-auth-clients') as TlsOptions['authClients'],
    protocols: text('tls-protocols').split(/\s+/).filter(Boolean),
    ciphers: text('tls-ciphers'),
    cipherSuites: text('tls-ciphersuites'),
    preferServerCiphers: settings.flag('tls-prefer-server-ciphers'),
    dhParamsFile: text('tls-dh-params-file'),
  }
  return inFolder(options, text('dir'))
}
