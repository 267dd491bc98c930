/** Why a program told nothing, in words: one that refuses us has answered, and needs another remedy. */

/** The codes of an error that a Sentinel or a node answers with. */
const REFUSAL = /^(NOPERM|NOAUTH|WRONGPASS|DENIED|LOADING|BUSY|NOPROTO|ERR) /

/** `whom`: a Sentinel or a node, with its address. */
export function silence(whom: string, failure = 'no answer'): string {
  return `${whom} ${REFUSAL.test(failure) ? 'refuses' : 'does not answer'}: ${failure}`
}
