/** The words clients are described with. */
import { outputClass } from '../../sessions/output-limits.ts'
import type { SessionKind } from '../../sessions/session.ts'

/** CLIENT LIST separates its fields by blanks, so no name a client chooses may contain one. */
export function isClientName(name: string): boolean {
  return /^[\x21-\x7e]*$/.test(name)
}

export function clientKind(word: string): SessionKind | undefined {
  return word.toLowerCase() === 'master' ? 'master' : outputClass(word)
}
