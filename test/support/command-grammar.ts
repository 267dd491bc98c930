/**
 * What a server's COMMAND DOCS says about the arguments of commands, as a grammar that generates
 * commands: each has the right form, apart from the caller's words.
 */
import type { Rng } from '../../src/base/rng.ts'

export interface Argument {
  readonly name: string
  readonly type: string
  readonly token: string | undefined
  readonly isOptional: boolean
  readonly isMultiple: boolean
  readonly repeatsToken: boolean
  readonly parts: readonly Argument[]
}

export interface Grammar {
  /** `config|get` for a subcommand. */
  readonly name: string
  readonly group: string
  readonly parts: readonly Argument[]
}

/** A word for an argument that is not a fixed token. */
export type WordFor = (argument: Argument, grammar: Grammar) => string

/** Reads the reply of COMMAND DOCS in RESP2: names and values alternate. */
export function readGrammars(docs: unknown): Grammar[] {
  return [...fieldsOf(docs)].flatMap(([name, about]) => {
    const fields = fieldsOf(about)
    const group = String(fields.get('group'))
    const own = { name, group, parts: readArguments(fields.get('arguments')) }
    const subcommands = fields.get('subcommands')
    return subcommands === undefined ? [own] : [own, ...readGrammars(subcommands)]
  })
}

/**
 * What the real server says of the commands that ours has too, in an order of its own: a server tells
 * them in the order of a hash table, another one at each start.
 */
export function commonGrammars(ours: unknown, theirs: unknown): Grammar[] {
  const names = new Set(readGrammars(ours).map(({ name }) => name))
  const common = readGrammars(theirs).filter(({ name }) => names.has(name))
  return common.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readArguments(list: unknown): Argument[] {
  return (Array.isArray(list) ? list : []).map((entry) => {
    const fields = fieldsOf(entry)
    const flags = (fields.get('flags') ?? []) as readonly string[]
    const token = fields.get('token')
    return {
      name: String(fields.get('name')),
      type: String(fields.get('type')),
      token: token === undefined ? undefined : String(token),
      isOptional: flags.includes('optional'),
      isMultiple: flags.includes('multiple'),
      repeatsToken: flags.includes('multiple_token'),
      parts: readArguments(fields.get('arguments')),
    }
  })
}

function fieldsOf(pairs: unknown): Map<string, unknown> {
  const items = Array.isArray(pairs) ? pairs : []
  const fields = new Map<string, unknown>()
  for (let at = 0; at + 1 < items.length; at += 2) fields.set(String(items[at]), items[at + 1])
  return fields
}

/** Generates one command of the grammar. */
export function makeCommand(grammar: Grammar, rng: Rng, wordFor: WordFor): string[] {
  const words = grammar.name.split('|')
  let countAt: number | undefined
  for (const part of grammar.parts) {
    if (part.name === 'numkeys') countAt = words.length
    const before = words.length
    words.push(...makeArgument(part, grammar, rng, wordFor))
    if (part.type === 'key' && countAt !== undefined) {
      // Usually the true count: a wrong one ends every command early.
      if (rng.chance(9, 10)) words[countAt] = String(words.length - before)
      countAt = undefined
    }
  }
  return words
}

function makeArgument(part: Argument, grammar: Grammar, rng: Rng, wordFor: WordFor): string[] {
  if (part.isOptional && rng.chance(1, 2)) return []
  const rounds = part.isMultiple ? 1 + rng.below(3) : 1
  const words: string[] = []
  for (let round = 0; round < rounds; round++) {
    if (part.token !== undefined && part.token !== '' && (round === 0 || part.repeatsToken)) {
      words.push(part.token)
    }
    words.push(...makeValue(part, grammar, rng, wordFor))
  }
  return words
}

function makeValue(part: Argument, grammar: Grammar, rng: Rng, wordFor: WordFor): string[] {
  switch (part.type) {
    case 'pure-token':
      return []
    case 'oneof':
      return makeArgument(rng.pick(part.parts), grammar, rng, wordFor)
    case 'block':
      return part.parts.flatMap((each) => makeArgument(each, grammar, rng, wordFor))
    default:
      return [wordFor(part, grammar)]
  }
}
