/** One rule about commands, keys or channels, applied to what a user may do. */
import type { Catalogue } from './catalogue.ts'
import { allCommands, applyCommandRule, noCommands } from './command-rights.ts'
import { isFault, type RuleFault } from './fault.ts'
import { hasBlanks, type KeyPattern, type Selector } from './user.ts'

export function applySelectorRule(
  selector: Selector,
  rule: string,
  catalogue: Catalogue,
): Selector | RuleFault {
  switch (rule.toLowerCase()) {
    case 'allkeys':
    case '~*':
      return { ...selector, keys: 'all' }
    case 'resetkeys':
      return { ...selector, keys: [] }
    case 'allchannels':
    case '&*':
      return { ...selector, channels: 'all' }
    case 'resetchannels':
      return { ...selector, channels: [] }
    case 'allcommands':
    case '+@all':
      return { ...selector, commands: allCommands(catalogue) }
    case 'nocommands':
    case '-@all':
      return { ...selector, commands: noCommands() }
    // Valkey 9.1 limits users to databases; here nobody is limited, which is what this rule asks for.
    case 'alldbs':
      return selector
    default:
      return applyPrefixedRule(selector, rule, catalogue)
  }
}

function applyPrefixedRule(
  selector: Selector,
  rule: string,
  catalogue: Catalogue,
): Selector | RuleFault {
  switch (rule[0]) {
    case '~':
    case '%':
      return addKeyPattern(selector, rule)
    case '&':
      return addChannel(selector, rule.slice(1))
    case '+':
    case '-': {
      const commands = applyCommandRule(selector.commands, rule, catalogue)
      return isFault(commands) ? commands : { ...selector, commands }
    }
    default:
      return 'syntax'
  }
}

function addKeyPattern(selector: Selector, rule: string): Selector | RuleFault {
  if (selector.keys === 'all') return 'keysAfterAll'
  const added = parseKeyPattern(rule)
  if (added === undefined || hasBlanks(added.pattern)) return 'syntax'
  const isKnown = selector.keys.some(({ pattern }) => pattern === added.pattern)
  if (!isKnown) return { ...selector, keys: [...selector.keys, added] }
  return { ...selector, keys: selector.keys.map((one) => merged(one, added)) }
}

/** `~pattern`, or `%R~`, `%W~` or both; a missing pattern is an empty one, as in Redis. */
function parseKeyPattern(rule: string): KeyPattern | undefined {
  if (rule.startsWith('~')) return { pattern: rule.slice(1), reads: true, writes: true }
  const [, letters = '', pattern = ''] = /^%(r|w|rw|wr)(?:~(.*))?$/is.exec(rule) ?? []
  if (letters === '') return undefined
  const kinds = letters.toLowerCase()
  return { pattern, reads: kinds.includes('r'), writes: kinds.includes('w') }
}

function merged(known: KeyPattern, added: KeyPattern): KeyPattern {
  if (known.pattern !== added.pattern) return known
  const { pattern } = known
  return { pattern, reads: known.reads || added.reads, writes: known.writes || added.writes }
}

function addChannel(selector: Selector, pattern: string): Selector | RuleFault {
  if (selector.channels === 'all') return 'channelsAfterAll'
  if (hasBlanks(pattern)) return 'syntax'
  if (selector.channels.includes(pattern)) return selector
  return { ...selector, channels: [...selector.channels, pattern] }
}
