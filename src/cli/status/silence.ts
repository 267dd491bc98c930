/** Why a program told nothing, in words: one that refuses us has answered, and needs another remedy. */

/** The codes of an error that a Sentinel or a node answers with. */
const REFUSAL = /^(NOPERM|NOAUTH|WRONGPASS|DENIED|LOADING|BUSY|NOPROTO|ERR) /

/** Whether it has answered, with an error. */
export function isRefusal(failure: string): boolean {
  return REFUSAL.test(failure)
}

/** `whom`: a Sentinel or a node, with its address. */
export function silence(whom: string, failure = 'no answer'): string {
  return `${whom} ${isRefusal(failure) ? 'refuses' : 'does not answer'}: ${failure}`
}

const ADDRESS_ASKED =
  'name a Sentinel that runs with --sentinel HOST:PORT (127.0.0.1:26379 is asked without it; --tls if it speaks only TLS)'
const PASSWORD_WANTED =
  'give the password of the Sentinels in the variable REDISCLI_AUTH or with --pass, and their user with --user'
const PASSWORD_UNKNOWN =
  'these Sentinels have no password: leave out --pass, and unset REDISCLI_AUTH'
const RIGHT_WANTED =
  'docs/users.md lists the rights of an operator; or log in as another user, with --user and --pass'

/** What to do where no Sentinel told anything. `failures`: why, of each. */
export function wayOut(failures: readonly (string | undefined)[]): string {
  const isEach = (pattern: RegExp) => failures.every((failure = '') => pattern.test(failure))
  if (isEach(/^(NOAUTH|WRONGPASS) /)) return PASSWORD_WANTED
  if (isEach(/^ERR AUTH <password> called without/)) return PASSWORD_UNKNOWN
  return isEach(/^NOPERM /) ? RIGHT_WANTED : ADDRESS_ASKED
}

interface Silent {
  readonly address: string
  readonly failure: string | undefined
}

/** One line for each Sentinel that told nothing; with the way out if there is no other. */
export function silentLines(silent: readonly Silent[], isAll: boolean): readonly string[] {
  const lines = silent.map(({ address, failure }) =>
    silence(`vedette: Sentinel ${address}`, failure),
  )
  return isAll && lines.length > 0 ? [...lines, `  ${wayOut(silent.map(reason))}`] : lines
}

function reason({ failure }: Silent): string | undefined {
  return failure
}
