/**
 * The `tls-…` directives of a Sentinel's file. Whether the files they name can be used is checked
 * later.
 */
import { utf8Text } from '../base/utf8.ts'
import { type Apply, flag, integer, one, oneOf } from './directive-words.ts'
import { type Draft, refusal } from './sentinel-draft.ts'

export const TLS_DIRECTIVES: readonly (readonly [name: string, apply: Apply])[] = [
  ['tls-port', integer(0, 65_535, ({ tls }, port) => (tls.port = port))],
  ['tls-replication', flag(({ tls }, isOn) => (tls.replication = isOn))],
  ['tls-cert-file', path(({ tls }, text) => (tls.certFile = text))],
  ['tls-key-file', path(({ tls }, text) => (tls.keyFile = text))],
  ['tls-key-file-pass', path(({ tls }, text) => (tls.keyFilePass = text))],
  ['tls-client-cert-file', path(({ tls }, text) => (tls.clientCertFile = text))],
  ['tls-client-key-file', path(({ tls }, text) => (tls.clientKeyFile = text))],
  ['tls-client-key-file-pass', path(({ tls }, text) => (tls.clientKeyFilePass = text))],
  ['tls-ca-cert-file', path(({ tls }, text) => (tls.caCertFile = text))],
  ['tls-ca-cert-dir', path(({ tls }, text) => (tls.caCertDir = text))],
  ['tls-auth-clients', oneOf(['no', 'yes', 'optional'], ['no', 'yes', 'optional'], setAuthClients)],
  ['tls-protocols', one(setProtocols)],
  ['tls-ciphers', path(({ tls }, text) => (tls.ciphers = text))],
  ['tls-ciphersuites', path(({ tls }, text) => (tls.cipherSuites = text))],
  ['tls-prefer-server-ciphers', flag(({ tls }, isOn) => (tls.preferServerCiphers = isOn))],
  ['tls-dh-params-file', path(({ tls }, text) => (tls.dhParamsFile = text))],
]

function path(set: (draft: Draft, text: string) => void): Apply {
  return one((draft, text) => {
    set(draft, utf8Text(text))
    return undefined
  })
}

function setAuthClients({ tls }: Draft, word: 'yes' | 'no' | 'optional'): undefined {
  tls.authClients = word
}

const PROTOCOLS: readonly string[] = ['tlsv1', 'tlsv1.1', 'tlsv1.2', 'tlsv1.3']

function setProtocols({ tls }: Draft, text: string) {
  const words = text.split(' ').filter((word) => word !== '')
  if (words.every((word) => PROTOCOLS.includes(word.toLowerCase()))) {
    tls.protocols = words
    return undefined
  }
  const message =
    "Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'."
  return refusal('E_VALUE', message)
}
