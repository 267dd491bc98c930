/** What is wrong with a scenario, with its place in the file and a way to mend it. */
import type { z } from 'zod'
import type { Problem, ProblemCode } from '../../config/problem.ts'
import { didYouMean } from '../../config/suggest.ts'
import { keysAt } from './known-keys.ts'
import { isBeside, TEXT_OR_NUMBER } from './schema-words.ts'
import type { Path, ScenarioSource } from './source.ts'

/** Names are short and alike: a list says more than a guess, as long as it stays readable. */
const LISTED_MAX = 12

/** Collects problems while a scenario is put together. */
export class Problems {
  readonly list: Problem[] = []
  readonly #source: ScenarioSource
  readonly #schema: z.ZodType

  /** `schema`: what a file may contain, for the keys that would have been right. */
  constructor(source: ScenarioSource, schema: z.ZodType) {
    this.#source = source
    this.#schema = schema
    this.list.push(...source.problems)
  }

  add(path: Path, code: ProblemCode, message: string, hint: string): void {
    const location = this.#source.locate(path)
    this.list.push({
      severity: 'error',
      code,
      file: this.#source.file,
      ...location,
      message,
      hint,
    })
  }

  /** Notes a name that stands for nothing. */
  unknown(path: Path, what: string, name: string, known: readonly string[]): void {
    const all = [...new Set(known)]
    const hint = all.length > LISTED_MAX ? didYouMean(name, all) : `there ${list(all)}`
    this.add(path, 'E_UNKNOWN', `no ${what} is called ${name}`, hint)
  }

  addIssue(issue: z.core.$ZodIssue): void {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.#unknownKey([...issue.path, key], key)
      return
    }
    const isMissing = issue.input === undefined && issue.code === 'invalid_type'
    const hint = hintFor(issue) || this.#mappingHint(issue)
    if (isMissing) this.add(issue.path, 'E_MISSING', 'is missing', hint)
    else this.add(issue.path, codeOf(issue), wordIssue(issue), hint)
  }

  #unknownKey(path: Path, key: string): void {
    const inside = path.at(-2)
    const isTooDeep = path.length > 3 && typeof inside === 'string' && isBeside(key)
    const hint = isTooDeep ? `write it beside ${inside}, not in it` : this.#keyHint(path, key)
    this.add(path, 'E_UNKNOWN', 'is not known here', hint)
  }

  #keyHint(path: Path, key: string): string {
    const known = keysAt(this.#schema, path.slice(0, -1))
    const hint = didYouMean(key, known)
    return hint === '' ? wordKnown(known) : hint
  }

  /** Which keys the mapping would have had. */
  #mappingHint(issue: z.core.$ZodIssue): string {
    const isMapping = issue.code === 'invalid_type' && issue.expected === 'object'
    return isMapping ? wordKnown(keysAt(this.#schema, issue.path)) : ''
  }
}

function codeOf(issue: z.core.$ZodIssue): ProblemCode {
  if (issue.code === 'too_small' || issue.code === 'too_big') return 'E_RANGE'
  return issue.code === 'invalid_type' || issue.code === 'invalid_union' ? 'E_TYPE' : 'E_VALUE'
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
}

/** The schema's own messages are clear; those that it leaves to the library are reworded here. */
function wordIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return 'must be a name: letters, digits, dots, dashes'
  if (issue.code !== 'invalid_type' || !issue.message.startsWith('Invalid')) return issue.message
  return `must be ${TYPES[issue.expected] ?? issue.expected}`
}

function wordKnown(keys: readonly string[]): string {
  return keys.length === 0 || keys.length > LISTED_MAX ? '' : `known here: ${keys.join(', ')}`
}

function hintFor({ message, input }: z.core.$ZodIssue): string {
  // In YAML `true` is no text; redis.conf has neither word.
  if (message === TEXT_OR_NUMBER && typeof input === 'boolean')
    return `write ${input ? 'yes' : 'no'}`
  if (message === 'must be a duration') return 'write a number with its unit: 500ms, 3s, 2m'
  if (message === 'must be a time') return 'write 3s, the name of a step, or both: cut + 3s'
  if (message === 'must be a condition') {
    return 'write after: { event: { name: +odown } }, or at: kill + 2s for a time'
  }
  return ''
}

function list(known: readonly string[]): string {
  return known.length === 0 ? 'is none' : `are ${known.join(', ')}`
}
