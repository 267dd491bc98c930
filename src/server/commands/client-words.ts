/** The words clients are described with. */
import type { SessionKind } from '../session.ts'

/** CLIENT LIST separates its fields by blanks, so no name a client chooses may contain one. */
export function isClientName(name: string): boolean {
  return /^[\x21-\x7e]*$/.test(name)
}

export function clientKind(word: string): SessionKind | undefined {
  switch (word.toLowerCase()) {
    case 'normal':
      return 'normal'
    case 'slave':
    case 'replica':
      return 'replica'
    case 'pubsub':
      return 'pubsub'
    case 'master':
      return 'master'
    default:
      return undefined
  }
}
