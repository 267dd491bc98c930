/** The rules of ACL SETUSER, of `user` lines and of the aclfile, applied to a user one after another. */
import { sha256 } from '../base/sha256.ts'
import { splitArgs } from '../base/split-args.ts'
import type { Catalogue } from './catalogue.ts'
import { noCommands } from './command-rights.ts'
import { isFault, type RuleFault } from './fault.ts'
import { applySelectorRule } from './selector.ts'
import { type ChannelDefault, newSelector, type Selector, type User } from './user.ts'

/** What rules are interpreted with. */
export interface RuleBook {
  readonly catalogue: Catalogue
  /** [acl-pubsub-default] Called at each use, because CONFIG SET changes the value. */
  readonly channelDefault: () => ChannelDefault
}

export function applyRule(user: User, rule: string, book: RuleBook): User | RuleFault {
  if (rule === '') return user
  const flag = applyFlag(user, rule.toLowerCase(), book)
  if (flag !== undefined) return flag
  if ('>#<!'.includes(rule.charAt(0))) return applyPassword(user, rule)
  if (rule.startsWith('(') && rule.endsWith(')')) return addSelector(user, rule, book)
  const root = applySelectorRule(user.root, rule, book.catalogue)
  return isFault(root) ? root : { ...user, root }
}

/** Undefined if the rule is no flag. */
function applyFlag(user: User, rule: string, book: RuleBook): User | undefined {
  switch (rule) {
    case 'on':
      return { ...user, isOn: true }
    case 'off':
      return { ...user, isOn: false }
    case 'nopass':
      return { ...user, hasNoPassword: true, passwords: [] }
    case 'resetpass':
      return { ...user, hasNoPassword: false, passwords: [] }
    case 'skip-sanitize-payload':
    case 'sanitize-payload':
      return { ...user, payloads: rule }
    case 'clearselectors':
      return { ...user, selectors: [] }
    case 'reset':
      return reset(book)
    default:
      return undefined
  }
}

/** Nearly a new user; the only difference is that `sanitize-payload` is now explicit. */
function reset({ channelDefault }: RuleBook): User {
  const root = { ...newSelector(channelDefault()), commands: noCommands() }
  const payloads = 'sanitize-payload'
  return { isOn: false, hasNoPassword: false, passwords: [], payloads, root, selectors: [] }
}

/** `>password` and `#hash` add, `<password` and `!hash` remove. */
function applyPassword(user: User, rule: string): User | RuleFault {
  const sign = rule.charAt(0)
  const given = rule.slice(1)
  const isHash = sign === '#' || sign === '!'
  if (isHash && !/^[0-9a-f]{64}$/.test(given)) return 'badHash'
  const hash = isHash ? given : sha256(given)
  const isKnown = user.passwords.includes(hash)
  if (sign === '>' || sign === '#') {
    const passwords = isKnown ? user.passwords : [...user.passwords, hash]
    return { ...user, hasNoPassword: false, passwords }
  }
  if (!isKnown) return 'noSuchPassword'
  return { ...user, passwords: user.passwords.filter((one) => one !== hash) }
}

/** `(~shared:* +get)` */
function addSelector(user: User, rule: string, book: RuleBook): User | RuleFault {
  // Words whose quotes do not balance count as no words, in Redis too.
  const words = splitArgs(rule.slice(1, -1)) ?? []
  let selector: Selector = newSelector(book.channelDefault())
  for (const word of words) {
    const next = applySelectorRule(selector, word, book.catalogue)
    if (isFault(next)) return next
    selector = next
  }
  return { ...user, selectors: [...user.selectors, selector] }
}

export type MergedRules =
  | { readonly ok: true; readonly rules: readonly string[] }
  /** The word that opens a selector which is never closed. */
  | { readonly ok: false; readonly opening: string }

/** A selector may arrive as several words: `(~a*` `+get)`. Joins them into one. */
export function mergeSelectors(words: readonly string[]): MergedRules {
  const rules: string[] = []
  let open: string[] = []
  for (const word of words) {
    if (word.startsWith('(') && !word.endsWith(')')) {
      open = [word]
    } else if (open.length > 0) {
      open.push(word)
      if (word.endsWith(')')) rules.push(open.splice(0).join(' '))
    } else {
      rules.push(word)
    }
  }
  const [opening] = open
  return opening === undefined ? { ok: true, rules } : { ok: false, opening }
}
