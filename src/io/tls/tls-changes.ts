/** What a reload has changed, in words: an operator who renews an authority wants to read of that one. */
import { createHash, X509Certificate } from 'node:crypto'
import type { TlsFiles } from './tls-files.ts'

/** One part of what the files say. */
export interface TlsPart {
  /** For the log. */
  readonly text: string
  /** Stays the same as long as the contents do. */
  readonly digest: string
}

/** Always the same parts, in the same order. */
export function partsOf(files: TlsFiles): readonly TlsPart[] {
  const { own, client, authorities, dhParams, summary, clientSummary } = files
  const isApart = clientSummary !== '' && own !== undefined
  return [
    partOf(summary, own ?? client),
    partOf(
      isApart ? `for connections we open ${clientSummary}` : 'our own certificate for connections',
      isApart ? client : undefined,
    ),
    partOf(authoritiesText(authorities), authorities),
    partOf(`${dhParams === undefined ? 'no ' : ''}Diffie-Hellman parameters`, dhParams),
  ]
}

/** The texts of those that are not as they were. */
export function changedParts(
  before: readonly TlsPart[] | undefined,
  after: readonly TlsPart[],
): readonly string[] {
  const [first] = after
  if (before === undefined) return first === undefined ? [] : [first.text]
  return after.filter(({ digest }, at) => digest !== before[at]?.digest).map(({ text }) => text)
}

function partOf(text: string, contents: unknown): TlsPart {
  const digest = createHash('sha256')
    .update(JSON.stringify(contents ?? null))
    .digest('hex')
  return { text, digest }
}

const MOST_NAMES = 3

function authoritiesText(authorities: readonly string[]): string {
  const names = authorities.slice(0, MOST_NAMES).map(nameOf)
  const more = authorities.length - names.length
  const list = [...names, ...(more > 0 ? [`${more} more`] : [])].join('; ')
  return list === '' ? 'no trusted authorities' : `trusted authorities ${list}`
}

function nameOf(pem: string): string {
  const { subject, serialNumber, validTo } = new X509Certificate(pem)
  return `${subject?.replaceAll('\n', ', ') || serialNumber}, valid until ${validTo}`
}
