/**
 * Rules by address: which replicas may be promoted, and in which zone each node is. Of all patterns that
 * match a node the most specific decides: one without wildcards before one with, then the one with
 * more characters of its own. So the order of the rules has no meaning, and an operator who names one node
 * at three in the morning is heard, whatever stands in the file.
 */
import { matchesGlob } from '../../base/glob.ts'
import { type Address, hostAndPort } from '../../base/ip.ts'
import type { HostRule, HostRulesOption } from '../group-option-kinds.ts'
import { GROUP_OPTIONS, type GroupOptionValues } from '../group-options.ts'
import { hostIdentity } from '../names/names.ts'
import type { State } from '../state.ts'

export type PromotionWord = 'prefer' | 'neutral' | 'prefer-not' | 'must-not'

/** From the first to be promoted to the last; the last of them never is. */
const PROMOTION_WORDS: readonly string[] = GROUP_OPTIONS.promotionRules.ruleWords
const NEUTRAL = PROMOTION_WORDS.indexOf('neutral')

/** The rule about promoting the node at this address; undefined: none matches. */
export function promotionRule(
  state: State,
  rules: readonly HostRule[],
  address: Address,
): HostRule | undefined {
  return decidingRule(rules, () => namesOf(state, address), PROMOTION_WORDS)
}

/** How early a replica is chosen because of what a rule says: the lowest rank comes first. */
export function promotionRank(word: string | undefined): number {
  return word === undefined ? NEUTRAL : PROMOTION_WORDS.indexOf(word)
}

/** Undefined: no pattern matches the node. */
export function zoneOf(
  state: State,
  zones: readonly HostRule[],
  address: Address,
): string | undefined {
  return decidingRule(zones, () => namesOf(state, address), [])?.[1]
}

/** What the rules say of an address when no Sentinel runs that could resolve names. */
export function wordsAbout(
  { promotionRules, zones }: Pick<GroupOptionValues, 'promotionRules' | 'zones'>,
  { host, port }: Address,
): { readonly promotion: PromotionWord | undefined; readonly zone: string | undefined } {
  const names = () => [host, hostAndPort(host, port)]
  const promotion = decidingRule(promotionRules, names, PROMOTION_WORDS)?.[1]
  return {
    promotion: promotion as PromotionWord | undefined,
    zone: decidingRule(zones, names, [])?.[1],
  }
}

/** Where two patterns are equally specific, the word that stands later in `words` decides. */
function decidingRule(
  rules: readonly HostRule[],
  namesOfNode: () => readonly string[],
  words: readonly string[],
): HostRule | undefined {
  if (rules.length === 0) return undefined
  const names = namesOfNode()
  const matching = rules.filter(([pattern]) => names.some((name) => isMatch(pattern, name)))
  const weigh = ([pattern, word]: HostRule) => [...specificity(pattern), words.indexOf(word)]
  return matching.sort((a, b) => compareWeights(weigh(b), weigh(a)) || (a[0] < b[0] ? -1 : 1))[0]
}

/** The host as it was named and as an address, each also with the port. */
function namesOf(state: State, { host, port }: Address): readonly string[] {
  const hosts = new Set([host, hostIdentity(state, host)])
  return [...hosts].flatMap((one) => [one, hostAndPort(one, port)])
}

/** An IPv6 address with a port has brackets, which would be a set of characters in a pattern. */
function isMatch(pattern: string, name: string): boolean {
  if (pattern.toLowerCase() === name.toLowerCase()) return true
  return matchesGlob(pattern, name, { nocase: true })
}

function specificity(pattern: string): readonly number[] {
  const own = pattern.replace(/\[[^\]:]*\]?|[*?\\]/g, '')
  return [own === pattern ? 1 : 0, own.length]
}

function compareWeights(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((weight, index) => weight !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** What is wrong with a rule, for the person who wrote it; undefined if nothing is. */
export function ruleFault({ ruleWords }: HostRulesOption, [pattern, word]: HostRule) {
  if (!isPlainWord(pattern)) {
    return `${JSON.stringify(pattern)} is no pattern of addresses: no blanks, commas or =`
  }
  if (pattern.includes('/')) {
    return `${JSON.stringify(pattern)} is no pattern of addresses: networks are written as in 10.1.*`
  }
  if (ruleWords !== undefined && !ruleWords.includes(word)) {
    return `${JSON.stringify(word)} is none of ${ruleWords.join(', ')}`
  }
  return isPlainWord(word) ? undefined : `${JSON.stringify(word)} is no name of a zone`
}

/** Rules are shown as `pattern=word pattern=word`, in lines whose fields are separated by commas. */
function isPlainWord(text: string): boolean {
  return /^[^\s,=\p{Cc}]{1,255}$/u.test(text)
}

/** The rules after a change of one; an empty word takes the rule away. */
export function changeRule(rules: readonly HostRule[], [pattern, word]: HostRule) {
  const others = rules.filter(([other]) => other !== pattern)
  return word === '' ? others : [...others, [pattern, word] as const]
}
