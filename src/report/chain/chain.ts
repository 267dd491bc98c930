/**
 * Why things happened as they did, in words: for every master that was suspected, what broke, which
 * Sentinels noticed, how they agreed, which replica they chose, when clients could write again, and
 * what was lost; and if no failover followed, why not. Each sentence has its moment, so that pictures
 * can point at it.
 */

import { countOf } from '../../base/count-of.ts'
import { wordList } from '../../base/word-list.ts'
import type { FailoverKind } from '../../history/happening.ts'
import { secondsText } from '../../scenario/duration.ts'
import type { ScenarioResult } from '../../scenario/result.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { causeOf } from '../causes.ts'
import { allLosses, LOSS_WORDS, type LostWrite } from '../losses.ts'
import { tellAgreement, tellCause, tellNoticed, tellRecovery } from './chain-detection.ts'
import { tellAttempts } from './chain-election.ts'
import { tellHindrance } from './chain-hindrance.ts'
import { tellAftermath } from './chain-recovery.ts'
import { tellRemarks } from './chain-remarks.ts'
import { type ChainSentence, type Chapter, link, type Story } from './chain-words.ts'
import { incidentsOf, type SuspectedMaster } from './incidents.ts'

export type { ChainSentence, Chapter } from './chain-words.ts'

/** A chapter per incident, in the order of their beginnings, and one for losses that belong to none. */
export function explain(
  file: ScenarioFile,
  result: ScenarioResult,
  history: RunHistory,
): readonly Chapter[] {
  if (result.verdict === 'skipped') return []
  const incidents = incidentsOf(history)
  const losses = allLosses(history)
  const chapters = incidents.map((incident) => {
    const cause = causeOf(incident, file, history)
    const own = losses.filter((loss) => belongingTo(loss, incidents) === incident)
    return tell({ incident, cause, file, history, losses: own })
  })
  const others = losses.filter((loss) => belongingTo(loss, incidents) === undefined)
  const calm = chapters.length === 0 ? [calmChapter(file, history)] : []
  return [...chapters, ...calm, ...otherLosses(others)]
}

function tell(story: Story): Chapter {
  const { incident, cause } = story
  const links = [
    ...tellCause(story),
    ...tellNoticed(story),
    ...tellAgreement(story),
    ...tellAttempts(story),
    ...(incident.promotion === undefined ? tellHindrance(story) : tellAftermath(story)),
    ...tellRecovery(story),
    ...tellLosses(story),
  ]
  return chapterOf(incident, links, cause?.atMs)
}

/**
 * The same for what Sentinels have recorded of themselves: it is unknown what was done to the
 * cluster, nor which writes were lost.
 */
export function explainRecorded(file: ScenarioFile, history: RunHistory): readonly Chapter[] {
  return incidentsOf(history).map((incident) => {
    const story: Story = { incident, cause: undefined, file, history, losses: [] }
    const links = [
      ...(incident.suspicions.length === 0 ? [unnoticed(incident)] : tellNoticed(story)),
      ...tellAgreement(story),
      ...tellAttempts(story),
      ...tellRemarks(story),
      ...(incident.promotion === undefined ? tellHindrance(story) : tellAftermath(story)),
      ...tellRecovery(story),
    ]
    return chapterOf(incident, links)
  })
}

function unnoticed({ master, startMs, attempts }: SuspectedMaster): ChainSentence {
  const kind = attempts[0]?.kind
  return link(startMs, kind === undefined ? UNKNOWN_CAUSE(master) : CAUSES[kind](master), master)
}

/** Where no record has the beginning. */
const UNKNOWN_CAUSE = (master: string) =>
  `No record says that a Sentinel held ${master} down: an operator ordered it, or those that noticed were killed within a second, or keep no record.`

const ORDERED = (master: string) => `No Sentinel held ${master} down: an operator ordered it.`

/** A record may lack what its Sentinel said in the second before it was killed; silence would look like a fault. */
const CAUSES: Readonly<Record<FailoverKind, (master: string) => string>> = {
  automatic: (master) =>
    `No record says that a Sentinel held ${master} down: those that noticed were killed within a second.`,
  forced: ORDERED,
  coordinated: ORDERED,
  renewal: (master) =>
    `No Sentinel held ${master} down: the voters of the group are fenced anew, for one that has no vote.`,
}

function chapterOf(
  incident: SuspectedMaster,
  links: ChainSentence[],
  causeAtMs = incident.startMs,
): Chapter {
  // Of two at the same moment, the one that explains the other comes first.
  links.sort((a, b) => (a.atMs ?? Number.POSITIVE_INFINITY) - (b.atMs ?? Number.POSITIVE_INFINITY))
  const times = links.flatMap(({ atMs }) => (atMs === undefined ? [] : [atMs]))
  const fromMs = Math.min(causeAtMs, ...times)
  const { group, master } = incident
  return {
    group,
    master,
    title: titleOf(incident),
    fromMs,
    untilMs: Math.max(fromMs, ...times),
    links,
  }
}

function titleOf(incident: SuspectedMaster): string {
  const { group, master, promotion, recoveredAtMs, suspicions, attempts } = incident
  if (promotion !== undefined) return `${group}: failover from ${master} to ${promotion.node}`
  if (recoveredAtMs !== undefined) return `${group}: ${master} was suspected, and came back`
  if (suspicions.length === 0 && attempts.length > 0)
    return `${group}: a failover of ${master} began, and no replica replaced it`
  return `${group}: ${master} was suspected, and no replica replaced it`
}

/**
 * The first incident whose master acknowledged the write and had not been replaced for good before
 * that.
 */
function belongingTo(
  loss: LostWrite,
  incidents: readonly SuspectedMaster[],
): SuspectedMaster | undefined {
  const own = incidents.filter(({ group, master }) => group === loss.group && master === loss.node)
  return (
    own.find(({ promotion }) => promotion !== undefined && promotion.atMs >= loss.atMs) ??
    own.findLast(({ promotion }) => promotion !== undefined)
  )
}

function tellLosses({ incident, losses, history }: Story): ChainSentence[] {
  if (incident.promotion === undefined && losses.length === 0) return []
  if (!history.missing.has(incident.group)) {
    return [link(undefined, 'What was lost is not known: there was no master to ask at the end.')]
  }
  if (losses.length === 0) {
    return [link(undefined, `No write that ${incident.master} had acknowledged is lost.`)]
  }
  return lossLinks(losses)
}

function otherLosses(losses: readonly LostWrite[]): Chapter[] {
  const [first] = losses
  if (first === undefined) return []
  const untilMs = losses.at(-1)?.atMs ?? first.atMs
  return [
    {
      group: undefined,
      master: undefined,
      title: 'Other losses',
      fromMs: first.atMs,
      untilMs,
      links: lossLinks(losses),
    },
  ]
}

/** One sentence per cause and node. */
function lossLinks(losses: readonly LostWrite[]): ChainSentence[] {
  const kinds = new Map<string, LostWrite[]>()
  for (const loss of losses) {
    const key = `${loss.cause} ${loss.node}`
    const known = kinds.get(key)
    if (known === undefined) kinds.set(key, [loss])
    else known.push(loss)
  }
  return [...kinds.values()].flatMap((some) => {
    const [first] = some
    if (first === undefined) return []
    const { node, cause, atMs } = first
    const count = countOf(some.length, 'acknowledged write')
    const until = some.at(-1)?.atMs ?? atMs
    const when = until === atMs ? '' : `, the last one at ${secondsText(until)}`
    const verb = some.length === 1 ? 'is' : 'are'
    return [
      link(
        atMs,
        `${count} of ${node} from here on ${verb} lost${when}: ${LOSS_WORDS[cause]}.`,
        node,
      ),
    ]
  })
}

function calmChapter(file: ScenarioFile, history: RunHistory): Chapter {
  const { groups } = file.topology
  const names = wordList(groups.map(({ name, master }) => `${master} of ${name}`))
  const faults = history.happenings.filter(({ kind }) => kind === 'fault').length
  const text =
    faults === 0
      ? `Nothing was done to the cluster, and no Sentinel suspected the master ${names}.`
      : `No Sentinel suspected the master ${names}: there was nothing to fail over.`
  const links = [link(undefined, text)]
  return {
    group: undefined,
    master: undefined,
    title: 'No failover',
    fromMs: 0,
    untilMs: history.endMs,
    links,
  }
}
