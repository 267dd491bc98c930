/** What a webhook reads on this machine: the secret that signs its requests, and the authorities it believes. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { WebhookConfig } from '../../hooks/webhook-config.ts'
import { reasonOf, StartError } from '../start-error.ts'

/** Undefined: nothing is signed. Throws a StartError if it is configured and cannot be had. */
export function readSecret({ name, secret }: WebhookConfig): string | undefined {
  if (secret.kind === 'none') return undefined
  const text = secret.kind === 'env' ? process.env[secret.value] : secret.value
  const found = secret.kind === 'file' ? readText(name, 'secret-file', secret.value) : text
  const value = found?.trim() ?? ''
  if (value !== '') return value
  const source = secret.kind === 'env' ? `variable ${secret.value}` : secret.value
  throw new StartError(
    'E_WEBHOOK',
    `webhook ${name}: its secret is empty${secret.kind === 'text' ? '' : ` (${source})`}`,
    'put the secret there, or leave the option out and nothing is signed',
  )
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The certificates of `ca-file`; undefined: the usual authorities are believed. Throws a StartError if there are
 * none in it: Node would take the file without a word, and then refuse every receiver.
 */
export function readAuthorities({ name, caFile }: WebhookConfig): string | undefined {
  if (caFile === '') return undefined
  const text = readText(name, 'ca-file', caFile)
  const found = text.match(CERTIFICATE) ?? []
  const hint = 'it holds certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE'
  if (found.length === 0) {
    throw new StartError('E_WEBHOOK', `webhook ${name}: no certificate in ca-file ${caFile}`, hint)
  }
  for (const pem of found) {
    try {
      new X509Certificate(pem)
    } catch (error) {
      const message = `webhook ${name}: a certificate in ca-file ${caFile} cannot be read: ${reasonOf(error)}`
      throw new StartError('E_WEBHOOK', message, hint)
    }
  }
  return text
}

function readText(name: string, option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const message = `webhook ${name}: cannot read ${option} ${path}: ${reasonOf(error)}`
    throw new StartError('E_WEBHOOK', message, 'make it readable for this user')
  }
}
