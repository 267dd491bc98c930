/**
 * The notation in which the files beside this one describe commands:
 *
 *     getex 6.2.0: Reads a string and changes its time to live.
 *       key:key#0 expiration(EX=seconds:integer|persist!)?
 *
 * A command has a name, the version since which it exists, and a sentence. `~7.0.0` behind the
 * version: there has been something better since; `!`: it is for the node's own use. Its arguments
 * follow, indented:
 *
 *     name          a text of that name
 *     name:integer  of that type
 *     TOKEN=name    behind a fixed word, in quotes if it is more than letters
 *     name!         only a fixed word, the name in capitals; `name!WORD` another word
 *     name(a|b)     one of them
 *     name{a b}     all of them
 *     #0 @2.6.0 ~6.0.0   its key specification, since when, until when
 *     ? * +*        may be missing, may be repeated, repeated with its fixed word
 */
import { assert } from '../../../base/assert.ts'

export interface ArgumentDocs {
  readonly name: string
  readonly type: string
  readonly token: string | undefined
  readonly keySpec: number | undefined
  readonly since: string | undefined
  readonly deprecatedSince: string | undefined
  readonly flags: readonly string[]
  readonly parts: readonly ArgumentDocs[]
}

export interface CommandProse {
  readonly summary: string
  readonly since: string
  readonly deprecatedSince: string | undefined
  readonly isInternal: boolean
  readonly parts: readonly ArgumentDocs[]
}

/** By full name. */
export function parseDocs(text: string): Map<string, CommandProse> {
  const found = new Map<string, CommandProse>()
  for (const entry of text.trim().split(/\n(?! )/)) {
    const [first = '', ...rest] = entry.split('\n')
    const [, name = '', since = '', deprecatedSince, internal, summary = ''] =
      /^(\S+) ([\d.]+)(?:~([\d.]+))?(!?): (.*)$/.exec(first) ?? []
    assert(name !== '', `a command's docs begin with its name and version: ${first}`)
    const parts = new ArgumentReader(rest.map((line) => line.trim()).join(' ')).readAll()
    found.set(name, { summary, since, deprecatedSince, isInternal: internal === '!', parts })
  }
  return found
}

const HEAD = /(?:('[^']*'|[\w-]+)=)?('[^']*'|[\w-]+)(?::([a-z-]+)|(!)('[^']*'|[\w-]+)?|([({]))?/y
const TAIL = /(?:#(\d+))?(?:@([\d.]+))?(?:~([\d.]+))?(\?)?(\+)?(\*)?/y

class ArgumentReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Up to the end, or to the bracket that closes. */
  readAll(): ArgumentDocs[] {
    const found: ArgumentDocs[] = []
    while (this.#at < this.#text.length && !')}'.includes(this.#text.charAt(this.#at))) {
      found.push(this.#readOne())
      while (' |'.includes(this.#text.charAt(this.#at) || 'x')) this.#at++
    }
    return found
  }

  #readOne(): ArgumentDocs {
    const [, word, name = '', type, mark, fixed, bracket] = this.#take(HEAD)
    assert(name !== '', `an argument has a name: ${this.#text.slice(this.#at)}`)
    const parts = bracket === undefined ? [] : this.readAll()
    if (bracket !== undefined) this.#at++
    const [, keySpec, since, deprecatedSince, optional, repeatsToken, multiple] = this.#take(TAIL)
    const flags = [
      ...(optional === undefined ? [] : ['optional']),
      ...(multiple === undefined ? [] : ['multiple']),
      ...(repeatsToken === undefined ? [] : ['multiple_token']),
    ]
    return {
      ...{ since, deprecatedSince, flags, parts },
      name: unquoted(name) ?? name,
      type: type ?? typeBy(mark ?? bracket),
      token: unquoted(word ?? fixed ?? (mark === '!' ? name.toUpperCase() : undefined)),
      keySpec: keySpec === undefined ? undefined : Number(keySpec),
    }
  }

  #take(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    this.#at += match?.[0].length ?? 0
    return match ?? []
  }
}

function typeBy(mark: string | undefined): string {
  switch (mark) {
    case '!':
      return 'pure-token'
    case '(':
      return 'oneof'
    case '{':
      return 'block'
    default:
      return 'string'
  }
}

function unquoted(word: string | undefined): string | undefined {
  return word?.replace(/^'(.*)'$/, '$1')
}
