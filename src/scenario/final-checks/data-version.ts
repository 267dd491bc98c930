/** A state that a client's databases had, or may have had, and the way that led there. */
import { contentOf, type Holdings, type Span } from '../../history/data/holdings.ts'

import type { Question } from '../../history/writes.ts'

export interface Version {
  readonly holdings: Holdings
  readonly parent: Version | undefined
  /** The request that made it; undefined: the client began with it. */
  readonly question: Question | undefined
  /** How many writes that were answered have changed something on the way; a key that has expired counts as changed. */
  readonly answered: number
  /** Has the same content and came about in another way. One is enough: where ways differ, it is in what was lost. */
  twin: Version | undefined
}

/** An answer, and the versions that were possible before it. */
export interface StoryStep {
  readonly question: Question
  readonly before: readonly Version[]
}

/** What one connection has shown, and what was asked over it in the end without an answer. */
export interface PastConnection {
  readonly sinceMs: number
  readonly steps: StoryStep[]
  readonly open: Question[]
}

/** A version after so many steps of a replay. */
export interface Replayed {
  readonly version: Version
  readonly place: number
}

/** The versions that no step contradicts. */
export function wholeOf(
  replayed: readonly Replayed[],
  { length }: readonly StoryStep[],
): readonly Version[] {
  return replayed.filter(({ place }) => place === length).map(({ version }) => version)
}

const MERGED_FROM = 4

/**
 * Of versions with the same content the one with most answers on its way is enough: it has lost least. `more`: what
 * else must be the same about the ways that led there.
 */
export function distinct(
  versions: readonly Version[],
  more: (version: Version) => string = () => '',
): readonly Version[] {
  if (versions.length < MERGED_FROM) return versions
  const fullest = new Map<string, Version>()
  for (const version of versions) {
    const content = `${contentOf(version.holdings)}\n${more(version)}`
    const other = fullest.get(content)
    fullest.set(
      content,
      other === undefined || other === version ? version : merged(other, version),
    )
  }
  return [...fullest.values()]
}

function merged(one: Version, other: Version): Version {
  const [kept, twin] = one.answered > other.answered ? [one, other] : [other, one]
  kept.twin ??= twin.twin ?? twin
  return kept
}

/** Whether the request was carried out on every way that is known to lead to the version. */
export function has(version: Version, question: Question, seen = new Set<Version>()): boolean {
  for (let one: Version | undefined = version; one !== undefined; one = one.parent) {
    const { twin } = one
    if (twin !== undefined && !seen.has(twin)) {
      seen.add(twin)
      if (!has(twin, question, seen)) return false
    }
    if (one.question === question) return true
  }
  return false
}

/** Questions by the connection over which they were asked, the first one first. */
export function byConnection(questions: readonly Question[]): readonly (readonly Question[])[] {
  const connections = new Map<number, Question[]>()
  for (const question of questions) {
    const known = connections.get(question.connection)
    if (known === undefined) connections.set(question.connection, [question])
    else known.push(question)
  }
  return [...connections.values()]
}

/** Between asking and the answer it was carried out. */
export function spanOf({ attemptedAtMs, answer }: Question): Span {
  return { fromMs: attemptedAtMs, untilMs: answer?.atMs ?? attemptedAtMs }
}
