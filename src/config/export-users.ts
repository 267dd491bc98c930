/**
 * Users as redis-sentinel can read them. It does not start with a rule for a command that it does not know, and
 * nothing is lost with such a rule: there is no such command to be permitted or refused.
 */
import { findByFullName } from '../core/commands/lookup.ts'
import { COMMANDS } from '../core/commands/table.ts'

type Words = readonly string[]

export interface UsersForRedis {
  readonly users: readonly Words[]
  /** Which rules were left out, a sentence for each user. */
  readonly notes: readonly string[]
}

/** `users`: the words of each `user` directive, behind it. */
export function usersForRedis(users: readonly Words[]): UsersForRedis {
  const left = users.map(([name = '', ...rules]) => [name, ...rules.flatMap(knownToRedis)])
  const notes = users.flatMap(([name = '', ...rules]) => {
    const out = rules.flatMap(rulesIn).filter(isUnknown)
    if (out.length === 0) return []
    return [`user ${name}: without ${out.join(' ')}, which redis-sentinel does not know`]
  })
  return { users: left, notes }
}

/** A selector is one word with several rules; one without any grants nothing. */
function knownToRedis(word: string): Words {
  const rules = rulesIn(word).filter((rule) => !isUnknown(rule))
  if (!isSelector(word)) return rules
  return rules.length === 0 ? [] : [`(${rules.join(' ')})`]
}

function rulesIn(word: string): Words {
  if (!isSelector(word)) return [word]
  return word
    .slice(1, -1)
    .split(' ')
    .filter((rule) => rule !== '')
}

function isSelector(word: string): boolean {
  return word.startsWith('(') && word.endsWith(')')
}

function isUnknown(rule: string): boolean {
  if (!/^[+-]/.test(rule)) return false
  return findByFullName(COMMANDS, NO_RENAMES, rule.slice(1).toLowerCase())?.isOurs === true
}

/** Rules name commands by their own names. */
const NO_RENAMES = [] as const
