/** What a client was told by a data node, without the protocol's way of writing it. */

export type Told = string | number | null | ToldError | readonly Told[]

export interface ToldError {
  /** With its code. */
  readonly error: string
}

export function isToldError(told: Told | undefined): told is ToldError {
  return typeof told === 'object' && told !== null && 'error' in told
}

/** The first word of an error: what clients tell errors apart by. */
export function codeOf({ error }: ToldError): string {
  return error.split(' ')[0] ?? ''
}

/** Errors are equal if their codes are. */
export function isSameTold(a: Told, b: Told): boolean {
  if (a === b) return true
  if (isToldError(a)) return isToldError(b) && codeOf(a) === codeOf(b)
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item: Told, at) => isSameTold(item, b[at] as Told))
}

/** One line, for texts that people read. */
export function describeTold(told: Told | undefined): string {
  if (told === undefined) return 'nothing'
  const text = JSON.stringify(told)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The node did not do what it was asked, for reasons of its own: the data is as it was. */
const REFUSALS: ReadonlySet<string> = new Set(
  'READONLY NOREPLICAS NOSYNCREPLICAS LOADING MISCONF MASTERDOWN OOM UNBLOCKED EXECABORT NOAUTH BUSY TRYAGAIN'.split(
    ' ',
  ),
)
export function isRefusal(told: Told | undefined): boolean {
  return told === undefined || (isToldError(told) && REFUSALS.has(codeOf(told)))
}
