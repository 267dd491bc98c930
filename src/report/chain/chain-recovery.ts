/** From the promotion on: when clients were redirected, wrote again, and the old master came back. */

import { wordList } from '../../base/word-list.ts'
import type { Happening } from '../../history/happening.ts'
import { formatDuration, secondsText } from '../../scenario/duration.ts'
import { type ChainSentence, link, type Story, sinceCause } from './chain-words.ts'
import type { Promotion } from './incidents.ts'

export function tellAftermath(story: Story): ChainSentence[] {
  const { promotion } = story.incident
  if (promotion === undefined) return []
  return [
    ...tellPromotion(promotion, story),
    ...tellSwitches(promotion, story),
    ...tellFirstWrite(promotion, story),
    ...tellReturn(promotion, story),
  ]
}

function tellPromotion(promotion: Promotion, story: Story): ChainSentence[] {
  const { node, sentinel, atMs, isHearsay } = promotion
  if (isHearsay) {
    const text = `${node} is promoted by a Sentinel that did not say so, or of which there is no record. ${sentinel} hears of it, and sends clients to it from now on.`
    return [link(atMs, text, sentinel)]
  }
  const role = roleChange(story, node, (one) => one.role.kind === 'master')
  const own =
    role === undefined || role.atMs >= atMs
      ? ''
      : `, which it has been since ${secondsText(role.atMs)}`
  const text = `${node} is promoted: ${sentinel} has heard from it that it is a master${own}. From now on ${sentinel} sends clients to it.`
  return [link(atMs, text, sentinel)]
}

function tellSwitches({ node }: Promotion, { incident, file, history }: Story): ChainSentence[] {
  const { switches } = incident
  const [first] = switches
  if (first === undefined) return []
  const parts = switches.map(({ sentinel, atMs }) => `${sentinel} at ${secondsText(atMs)}`)
  const missing = file.topology.sentinels
    .map(({ name }) => name)
    .filter((name) => !switches.some(({ sentinel }) => sentinel === name))
  const unrecorded = missing.filter((name) =>
    history.happenings.some(
      ({ kind, process, atMs }) => kind === 'unrecorded' && process === name && atMs <= first.atMs,
    ),
  )
  const never = missing.filter((name) => !unrecorded.includes(name))
  const rest = [
    ...(never.length === 0 ? [] : [` Never: ${wordList(never)}.`]),
    ...(unrecorded.length === 0 ? [] : [` There is no record of ${wordList(unrecorded)}.`]),
  ].join('')
  const text = `The Sentinels announce ${node}: ${wordList(parts)} (+switch-master).${rest}`
  return [link(first.atMs, text, first.sentinel)]
}

function tellFirstWrite({ node }: Promotion, story: Story): ChainSentence[] {
  const { incident, history } = story
  const sinceMs = story.cause?.atMs ?? incident.startMs
  let first: { atMs: number; client: string } | undefined
  for (const { outcome, client, ...write } of history.writes) {
    if (outcome.kind !== 'acknowledged' || write.node !== node || outcome.atMs < sinceMs) continue
    if (first === undefined || outcome.atMs < first.atMs) first = { atMs: outcome.atMs, client }
  }
  if (first === undefined) {
    const hasClients = story.file.topology.clients.some(({ group }) => group === incident.group)
    return hasClients ? [link(undefined, `${node} acknowledged no write until the end.`, node)] : []
  }
  const after = sinceCause(first.atMs, story)
  const text = `${node} acknowledges its first write as master, to ${first.client}${after}.`
  return [link(first.atMs, text, node)]
}

function tellReturn({ node, atMs }: Promotion, story: Story): ChainSentence[] {
  const { master } = story.incident
  // A master that hands over follows the other node before a Sentinel hears of the promotion.
  const isMeant = (one: RoleHappening) =>
    one.role.kind === 'replica' &&
    one.role.isLinkUp &&
    (one.atMs > atMs || story.history.nameOf(one.role.master) === node)
  const back = roleChange(story, master, isMeant)
  if (back === undefined || back.role.kind === 'master') {
    return [link(undefined, `${master} did not come back as a replica before the end.`, master)]
  }
  if (back.atMs <= atMs) return [link(back.atMs, `${master} follows ${node} already.`, master)]
  const of = story.history.nameOf(back.role.master)
  const after = formatDuration(back.atMs - atMs)
  const whom = of === node ? `the new master` : of
  return [
    link(
      back.atMs,
      `${master} is back, as a replica of ${whom}, ${after} after the promotion.`,
      master,
    ),
  ]
}

type RoleHappening = Happening & { kind: 'role' }

/** The first one from the beginning of the incident on. */
function roleChange(
  { incident, history }: Story,
  node: string,
  isWanted: (happening: RoleHappening) => boolean,
): RoleHappening | undefined {
  return history.happenings.find(
    (one): one is RoleHappening =>
      one.kind === 'role' && one.process === node && one.atMs >= incident.startMs && isWanted(one),
  )
}
