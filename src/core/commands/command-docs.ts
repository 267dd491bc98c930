/**
 * COMMAND DOCS. The arguments come from the line that HELP shows, `<group> [TO <host> <port>] [SAVE | NOSAVE]`: with them
 * redis-cli tells whoever types a command what comes next.
 */
import { array, bulk, type Reply } from '../../resp/reply.ts'
import { replyMap, statusSet } from '../../session/commands.ts'
import type { PortCommand } from './command.ts'

/** A map of maps. */
export function commandDocs(commands: readonly PortCommand[]): Reply {
  return replyMap(commands.map((one) => [one.name, docsOf(one)]))
}

function docsOf({ summary, since, group, usage, subcommands }: PortCommand): Reply {
  const parts = new UsageReader(usage).readAll()
  return replyMap([
    ['summary', bulk(summary)],
    ['since', bulk(since)],
    ['group', bulk(group)],
    ...(parts.length === 0 ? [] : [['arguments', argumentsReply(parts)] as const]),
    ...(subcommands.size === 0
      ? []
      : [['subcommands', commandDocs([...subcommands.values()])] as const]),
  ])
}

interface Argument {
  readonly name: string
  readonly type: 'string' | 'pure-token' | 'block' | 'oneof'
  /** The fixed word that it is, or stands behind. */
  readonly token?: string
  readonly flags: readonly ('optional' | 'multiple')[]
  readonly parts: readonly Argument[]
}

function argumentsReply(parts: readonly Argument[]): Reply {
  return array(parts.map(argumentReply))
}

function argumentReply({ name, type, token, flags, parts }: Argument): Reply {
  return replyMap([
    ['name', bulk(name)],
    ['type', bulk(type)],
    ...(token === undefined ? [] : [['token', bulk(token)] as const]),
    ...(flags.length === 0 ? [] : [['flags', statusSet(flags)] as const]),
    ...(parts.length === 0 ? [] : [['arguments', argumentsReply(parts)] as const]),
  ])
}

class UsageReader {
  readonly #words: readonly string[]
  #at = 0

  constructor(usage: string) {
    this.#words = usage.match(/<[^>]+>|[[\]|]|\.{3}|[^\s[\]|<>.]+/g) ?? []
  }

  readAll(): readonly Argument[] {
    const [first = [], ...others] = this.#alternatives()
    return others.length === 0 ? first : [oneOf([first, ...others])]
  }

  /** Up to the end, or to the bracket that closes. */
  #alternatives(): Argument[][] {
    const found = [this.#sequence()]
    while (this.#words[this.#at] === '|') {
      this.#at++
      found.push(this.#sequence())
    }
    return found
  }

  #sequence(): Argument[] {
    const found: Argument[] = []
    for (;;) {
      const word = this.#words[this.#at]
      if (word === undefined || word === '|' || word === ']') return found
      if (word === '...' && this.#words[this.#at + 1] === ']') return found
      this.#at++
      if (word === '...') found.push(flagged(found.pop(), 'multiple'))
      else found.push(word === '[' ? this.#bracket() : single(word))
    }
  }

  /** Behind the bracket that opens. Dots before the one that closes repeat all of it. */
  #bracket(): Argument {
    const alternatives = this.#alternatives()
    const [first = [], ...others] = alternatives
    const inside = flagged(others.length === 0 ? inOne(first) : oneOf(alternatives), 'optional')
    const isRepeated = this.#words[this.#at] === '...'
    this.#at += isRepeated ? 2 : 1
    return isRepeated ? flagged(inside, 'multiple') : inside
  }
}

function single(word: string): Argument {
  return word.startsWith('<')
    ? { name: word.slice(1, -1), type: 'string', flags: [], parts: [] }
    : { name: word.toLowerCase(), type: 'pure-token', token: word, flags: [], parts: [] }
}

/** A fixed word and what follows it belong together. */
function inOne(sequence: readonly Argument[]): Argument {
  const [first = NOTHING, second, ...rest] = sequence
  if (second === undefined) return first
  if (first.token === undefined) return block(sequence)
  const { token } = first
  const isPlain = rest.length === 0 && second.type === 'string'
  return isPlain ? { ...second, token } : { ...block([second, ...rest]), name: first.name, token }
}

function block(parts: readonly Argument[]): Argument {
  return { name: parts.map(({ name }) => name).join('_'), type: 'block', flags: [], parts }
}

function oneOf(alternatives: readonly (readonly Argument[])[]): Argument {
  return { ...block(alternatives.map(inOne)), type: 'oneof' }
}

function flagged(argument: Argument = NOTHING, flag: Argument['flags'][number]): Argument {
  return { ...argument, flags: [...argument.flags, flag] }
}

const NOTHING: Argument = { name: '', type: 'block', flags: [], parts: [] }
