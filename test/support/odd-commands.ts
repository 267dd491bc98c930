/**
 * Commands that no client would send, the same for the same seed: of the right form with words at every
 * edge, and then often with words missing, doubled, misplaced, in another case, or strange.
 */
import type { Rng } from '../../src/base/rng.ts'
import { type Grammar, makeCommand } from './command-grammar.ts'
import { oddWord, wordFor } from './odd-words.ts'

/** Commands that affect more than the data, or depend on the moment, on chance or on the process. */
const LEFT_OUT =
  /^(shutdown|debug|slaveof|replicaof|failover|sync|psync|replconf|monitor|bgsave|bgrewriteaof|save|lastsave|info|time|role|wait|waitaof|quit|reset|hello|auth|restore-asking|lolwut|migrate|exec|multi|discard|flushall|spop|srandmember|randomkey|hrandfield|zrandmember|dump|pfdebug|pfselftest|command.*|config.*|client.*|acl.*|memory.*|latency.*|slowlog.*|module.*|cluster.*|script.*|function.*|eval.*|fcall.*|object\|.*|pubsub.*|.*subscribe|swapdb|dbsize|.*\|help)$/

/** Without those that change what other connections can do, or close the connection itself. */
const ABOUT_NODE =
  /^(info|time|role|lastsave|lolwut|client\|(getname|getredir|id|info|list|setname|setinfo|unpause)|acl\|(cat|deluser|dryrun|genpass|getuser|list|log|users|whoami)|config\|(get|resetstat)|object\|.*|memory\|.*|latency\|.*|slowlog\|.*|pubsub\|.*|function\|(delete|dump|flush|list|stats|kill)|dump|randomkey|spop|dbsize|publish|spublish|swapdb|flushdb|flushall|echo|select)$/

/** Compared by tests of their own, test/diff/script-calls.test.ts among them. */
const SCRIPTS = /^(eval|fcall)/

/** They wait unless they are in a transaction. */
const WAITING = /^(b[lrz].*|xread|xreadgroup)$/

/** An option since Redis 7.2, and an id that XREAD takes since Redis 7.4. */
function hasNewerForm([name = '', ...words]: readonly string[]): boolean {
  if (/^xread$/i.test(name)) return words.includes('+')
  return /^z(rev)?rank$/i.test(name) && words.length > 2
}

export class OddCommands {
  readonly #rng: Rng
  readonly #all: readonly Grammar[]
  readonly #compared: readonly Grammar[]
  readonly #aboutNode: readonly Grammar[]
  /** Every fixed word of each command's options, to be put where it does not belong. */
  readonly #tokens: readonly string[]

  constructor(rng: Rng, grammars: readonly Grammar[]) {
    this.#rng = rng
    this.#all = grammars.filter(({ name }) => !SCRIPTS.test(name))
    this.#compared = grammars.filter(({ name }) => !LEFT_OUT.test(name))
    this.#aboutNode = grammars.filter(({ name }) => ABOUT_NODE.test(name))
    this.#tokens = [...new Set(grammars.flatMap(tokensOf))].filter((token) => token !== '')
  }

  /** One command whose reply can be compared, or a transaction of one. */
  next(): (readonly string[])[] {
    const command = inOneOrder(longLived(this.#make(this.#compared)))
    if (isInHashOrder(command) || keepsDistances(command) || hasNewerForm(command)) {
      return this.next()
    }
    const waits = WAITING.test((command[0] ?? '').toLowerCase())
    return waits || this.#rng.chance(1, 20) ? [['MULTI'], command, ['EXEC']] : [command]
  }

  /** One command about the node, to compare how it is refused: its answer is each server's own. */
  nextAboutNode(): readonly string[] {
    return this.#make(this.#aboutNode)
  }

  /** One command of all there are, not to be executed. */
  nextOfAny(): readonly string[] {
    const command = this.#make(this.#all)
    return hasPlainKeys(command) && !hasNewerForm(command) ? command : this.nextOfAny()
  }

  #make(grammars: readonly Grammar[]): string[] {
    const rng = this.#rng
    const grammar = rng.pick(grammars)
    const words = makeCommand(grammar, rng, (part, of) => wordFor(rng, part, of))
    while (rng.chance(1, 4)) this.#spoil(words, grammar)
    return words
  }

  #spoil(words: string[], grammar: Grammar): void {
    const rng = this.#rng
    const fixed = grammar.name.split('|').length
    const at = fixed + rng.below(words.length - fixed + 1)
    switch (rng.below(8)) {
      case 0:
        words.splice(at, 1)
        break
      case 1:
        words.splice(at, 0, ...words.slice(at, at + 1))
        break
      case 2:
        words.splice(at, 2, ...words.slice(at, at + 2).reverse())
        break
      case 3:
        words.splice(at, 0, oddWord(rng))
        break
      case 4:
        words.splice(at, 0, rng.pick(tokensOf(grammar).concat(rng.pick(this.#tokens))))
        break
      case 5:
        words.push(...words.slice(at))
        break
      case 6:
        if (at < words.length) words[at] = oddWord(rng)
        break
      default:
        words.splice(0, words.length, ...words.map((word) => otherCase(word, rng)))
    }
  }
}

/** The same command with a word missing, doubled, misplaced, strange or in another case. */
export function spoiled(words: readonly string[], rng: Rng): readonly string[] {
  const at = 1 + rng.below(Math.max(1, words.length - 1))
  const copy = [...words]
  switch (rng.below(6)) {
    case 0:
      return copy.toSpliced(at, 1)
    case 1:
      return copy.toSpliced(at, 0, copy[at] ?? '')
    case 2:
      return copy.toSpliced(at, 2, ...copy.slice(at, at + 2).reverse())
    case 3:
      return copy.toSpliced(at, 1, oddWord(rng))
    case 4:
      return [...copy, oddWord(rng)]
    default:
      return copy.map((word) => otherCase(word, rng))
  }
}

function tokensOf(grammar: Grammar): string[] {
  const tokens: string[] = []
  const walk = (parts: Grammar['parts']): void => {
    for (const { token, parts: inner } of parts) {
      if (token !== undefined) tokens.push(token)
      walk(inner)
    }
  }
  walk(grammar.parts)
  return tokens
}

/** Keys keep their case, or every key would be missing. */
function otherCase(word: string, rng: Rng): string {
  if (word.length < 3 || rng.chance(1, 2)) return word
  return rng.chance(1, 2) ? word.toLowerCase() : word.toUpperCase()
}

/** Sets and sorted sets are sorted from the order of a hash table, which shows if weights are equal. */
function isInHashOrder([name = '', key = '', ...words]: readonly string[]): boolean {
  return (
    /^sort(_ro)?$/i.test(name) && /^[ezo]/.test(key) && words.some((word) => /^by$/i.test(word))
  )
}

/** The last bits of a distance depend on whose sine it is; see docs/compatibility-server.md. */
function keepsDistances(words: readonly string[]): boolean {
  return words.some((word) => /^storedist$/i.test(word))
}

/** Ranges by name are meaningful only if all scores are equal; nothing else changes that set. */
function inOneOrder(words: readonly string[]): readonly string[] {
  // The current time would become the entry's id.
  if (/^xadd$/i.test(words[0] ?? '')) return words.map((word) => (word === '*' ? '999999-*' : word))
  const isByName = words.some((word) => /lex/i.test(word))
  return isByName ? words.map((word) => (/^z\d$/.test(word) ? 'y1' : word)) : words
}

/** Redis looks for their keys in another way than its table says; see docs/compatibility-server.md. */
const SEARCHED = /^(xread|xreadgroup|pfmerge)$/i
const COUNTED_FIRST = /^(zunion|zinter|zdiff|zintercard|sintercard|lmpop|zmpop)$/i
const COUNTED_SECOND = /^(zunionstore|zinterstore|zdiffstore|blmpop|bzmpop)$/i
const PLAIN_COUNT = /^(0|[1-9]\d{0,8})$/

/** When Redis lists keys, it accepts numbers that are none, or do not fit into 32 bits. */
function hasPlainKeys(words: readonly string[]): boolean {
  const [name = '', first = '', second = ''] = words
  // A key called STORE leads Redis astray.
  if (words.filter((word) => /^store$/i.test(word)).length > 1) return false
  if (COUNTED_FIRST.test(name)) return PLAIN_COUNT.test(first)
  if (COUNTED_SECOND.test(name)) return PLAIN_COUNT.test(second)
  return !SEARCHED.test(name)
}

/** Which word is a time, counted from the name. */
const CLAIMING = /^(xclaim|xautoclaim)$/i
const TIME_BEHIND_KEY = /^(expire|pexpire|setex|psetex|restore)$/i
const SHORT = /^\d{1,5}$/

/** A key that lives for seconds would expire at different moments. */
function longLived(words: readonly string[]): string[] {
  return words.map((word, at) => {
    const isTime =
      /^(ex|px|idle)$/i.test(words[at - 1] ?? '') ||
      (at === 2 && TIME_BEHIND_KEY.test(words[0] ?? '')) ||
      (at === 4 && CLAIMING.test(words[0] ?? ''))
    return isTime && SHORT.test(word) && Number(word) > 0 ? `2${word.padStart(6, '0')}` : word
  })
}
