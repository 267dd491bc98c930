/** `vedette incident`: what several Sentinels recorded of a failover, in the order of causes. */
import { isJournal } from '../../io/blackbox/journal-reader.ts'
import { segmentsAt } from '../../io/blackbox/records-at.ts'
import type { Chapter } from '../../report/chain/chain.ts'
import { renderRecordedPage } from '../../report/page/html-page.ts'
import type { MemberAccess } from '../explain/look.ts'
import { writeResult } from '../files.ts'
import { printJson } from '../json-answer.ts'
import type { SeedRange } from '../options.ts'
import { sayNoRecord } from '../replay/no-record.ts'
import { clockTime } from '../replay/words.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { writeBundle } from './bundle.ts'
import { type Gathered, gatherRecords } from './gather.ts'
import { watchedWords } from './group-meant.ts'
import { livesIn, nodeLivesIn } from './lives.ts'
import { lossesIn, lossJson } from './lost-writes.ts'
import { ownWordsOf } from './own-words.ts'
import { aboutGroups, partOf, type RecordedRun } from './recorded-run.ts'
import { type Choice, groupsIn, tell } from './stories.ts'
import {
  clockLines,
  eventsOf,
  type IncidentStory,
  incidentText,
  lostLines,
  type ShownIncident,
  type ShownLosses,
} from './text.ts'

import { reconstruct } from './what-if/reconstruct.ts'
import { type ChangedSetting, scenarioText } from './what-if/scenario.ts'
import { whatIfJson, whatIfLines } from './what-if/text.ts'
import { NEAR_ENOUGH, playWhatIf, type WhatIf } from './what-if/what-if.ts'

export interface IncidentOptions extends Choice, MemberAccess {
  readonly json?: boolean
  /** The file into which the page is written. */
  readonly html?: string
  /** The file into which the records of the incidents are put. */
  readonly bundle?: string
  /** The file into which the incident is written as a scenario. */
  readonly scenario?: string
  /** It is played in the simulated world. */
  readonly whatIf?: boolean
  /** With these settings, beside those that were. */
  readonly set?: readonly ChangedSetting[]
  readonly seeds?: SeedRange
  /** Other names and addresses in the bundle. */
  readonly pseudonyms?: boolean
}

/** `records`: files and folders; none: they are fetched from the Sentinels. Returns the exit status. */
export async function runIncident(
  records: readonly string[],
  options: IncidentOptions,
): Promise<number> {
  const { last, since, at, id, sentinel = [] } = options
  const ways = [last, since !== undefined, at !== undefined, id !== undefined]
  if (ways.filter(Boolean).length > 1) {
    say('vedette: use only one of --last, --since, --at and --id')
    return EXIT_CONFIG
  }
  if (records.length > 0 && sentinel.length > 0) {
    say('vedette: give either files of records or --sentinel, not both')
    return EXIT_CONFIG
  }
  if (options.pseudonyms === true && options.bundle === undefined) {
    say('vedette: --pseudonyms changes what --bundle writes: name the file')
    return EXIT_CONFIG
  }
  if (options.whatIf !== true && (options.set ?? options.seeds) !== undefined) {
    say('vedette: --set and --seeds are about --what-if: add it')
    return EXIT_CONFIG
  }
  const gathered =
    records.length > 0 ? fromFiles(records, options) : await gatherRecords(options, options)
  return typeof gathered === 'number' ? gathered : await show(gathered, options)
}

function fromFiles(records: readonly string[], choice: Choice): Gathered | number {
  const all = segmentsAt(records)
  const journals = all.filter(isJournal)
  const { lives, faults: broken, played } = livesIn(all.filter((one) => !journals.includes(one)))
  const { nodes, faults: torn } = nodeLivesIn(journals)
  const faults = [...broken, ...torn]
  if (lives.length > 0) {
    const told = tell(lives, choice, nodes)
    return { faults, played, lives, missing: [], silentNodes: [], losses: undefined, told }
  }
  for (const fault of faults) say(`vedette: ${fault}`)
  if (faults.length === 0) sayNoRecord('record of a Sentinel', records)
  return EXIT_FAILED
}

async function show(gathered: Gathered, options: IncidentOptions): Promise<number> {
  const { faults, missing, told } = gathered
  const { json, html, bundle } = options
  for (const fault of faults) say(`vedette: ${fault}`)
  for (const { address, reason } of missing) say(`vedette: no record of ${address}: ${reason}`)
  const { run, ties, nodeTies, chosen, stories } = told
  if (stories.length === 0) return sayNothing(gathered, options)
  const { silentNodes } = gathered
  const shown = {
    silentNodes,
    nameOf: run.nameOf,
    ties,
    nodeTies,
    stories,
    losses: shownLosses(gathered),
  }
  if (bundle !== undefined) writeBundle(bundle, gathered, options.pseudonyms === true)
  if (html !== undefined) writePage(html, chosen, run, shown)
  const played = await tryOut(gathered, options)
  if (typeof played === 'number') return played
  const whatIf = played && { whatIf: whatIfJson(played) }
  if (json === true) printJson({ ...incidentJson(shown, missing), ...whatIf })
  else {
    process.stdout.write(incidentText(shown))
    if (played !== undefined) process.stdout.write(`\n${whatIfLines(played).join('\n')}\n`)
  }
  const isNear = played === undefined || (played.strayed ?? 1) <= NEAR_ENOUGH
  return faults.length === 0 && isNear ? 0 : EXIT_FAILED
}

/** Undefined: that was not asked for. An exit status: it cannot be done, and it has been said why. */
async function tryOut(
  { told, lives }: Gathered,
  { scenario, whatIf, set = [], seeds = DEFAULT_SEEDS }: IncidentOptions,
): Promise<WhatIf | number | undefined> {
  if (scenario === undefined && whatIf !== true) return undefined
  const chapter = told.chosen.at(-1)
  const real = chapter && reconstruct(told, lives, chapter)
  if (real === undefined || typeof real === 'string') {
    say(`vedette: this incident cannot be reconstructed: ${real}`)
    return EXIT_FAILED
  }
  if (scenario !== undefined) writeResult(scenario, scenarioText(real.reconstruction, []))
  if (whatIf !== true) return undefined
  const played = await playWhatIf(real, set, seeds)
  if (typeof played !== 'string') return played
  say(`vedette: ${played}`)
  return EXIT_CONFIG
}

const DEFAULT_SEEDS: SeedRange = { first: 1, last: 10 }

function shownLosses({ losses, told }: Gathered): ShownLosses | undefined {
  if (losses === undefined) return undefined
  const { chosen, all, run } = told
  return { known: losses, parts: chosen.map((one) => lossesIn(losses, one, all, run.zeroMs)) }
}

/** Why there is no story; returns the exit status. */
function sayNothing({ told, faults, missing }: Gathered, { id, group }: Choice): number {
  const known = groupsIn(told)
  if (group !== undefined && !known.includes(group)) {
    say(`vedette: no Sentinel of these records watches '${group}'; ${watchedWords(known)}`)
    return EXIT_CONFIG
  }
  const isWhole = faults.length === 0 && missing.length === 0
  const nothing = isWhole
    ? 'these Sentinels suspected no master in that time'
    : 'what could be read of these records suspects no master in that time'
  say(`vedette: ${id === undefined ? nothing : noSuch(id, told.run)}`)
  return EXIT_FAILED
}

const SHOWN_IDS = 10

function noSuch(id: string, { ended }: RecordedRun): string {
  const ids = [...new Set(ended.map((one) => one.id))]
  if (ids.length === 0) return `there is no incident ${id}: no failover has ended in these records`
  return `there is no incident ${id} in these records; the last ones are ${ids.slice(-SHOWN_IDS).join(', ')}`
}

/** One page for all of them, from before the first to behind the last, with the groups that they are about. */
function writePage(
  path: string,
  chosen: readonly Chapter[],
  run: RecordedRun,
  shown: ShownIncident,
): void {
  const fromMs = Math.min(...chosen.map((chapter) => chapter.fromMs))
  const untilMs = Math.max(...chosen.map((chapter) => chapter.untilMs))
  const groups = new Set(chosen.flatMap(({ group }) => group ?? []))
  const part = partOf(aboutGroups(run, groups), fromMs, untilMs)
  const [only, another] = chosen
  const title = another === undefined ? (only?.title ?? '') : `${chosen.length} incidents`
  const remarks = [
    `time 0 is ${clockTime(part.zeroMs)}`,
    ...clockLines(shown),
    ...chosen.flatMap((_, at) => lostLines(shown, at)),
    'told by what Sentinels recorded: what was done to the cluster and what clients felt is not in it',
  ]
  const { file, history } = part
  writeResult(path, renderRecordedPage({ title, remarks, file, history }))
}

/** The incidents for scripts. */
function incidentJson(
  { nameOf, ties, nodeTies, silentNodes, stories, losses }: ShownIncident,
  missing: Gathered['missing'],
): object {
  return {
    missing: missing.map(({ address, reason }) => ({ sentinel: address, reason })),
    incidents: stories.map((story, at) => ({
      ...storyJson(story),
      lost: losses?.parts[at]?.map(lossJson) ?? null,
    })),
    lossesUnknownOf: losses?.known.silent ?? null,
    nodesWithoutJournal: silentNodes.map(({ address, reason }) => ({ node: address, reason })),
    nodeClocks: [...nodeTies].map(([{ head }, { address, aheadMs, withinMs }]) => {
      return { node: address, run: head.runId, aheadMs, withinMs: withinMs ?? null }
    }),
    clocks: [...ties].map(([{ myid }, { aheadMs, withinMs }]) => {
      return { sentinel: nameOf(myid), aheadMs, withinMs: withinMs ?? null }
    }),
  }
}

function storyJson(story: IncidentStory): object {
  const { chapter, run, ids } = story
  const time = (atMs: number) => clockTime(run.zeroMs + atMs)
  return {
    title: chapter.title,
    group: chapter.group ?? null,
    ids,
    from: time(chapter.fromMs),
    until: time(chapter.untilMs),
    sentences: chapter.links.map(({ atMs, process, text }) => ({
      at: atMs === undefined ? null : time(atMs),
      process: process ?? null,
      text,
    })),
    events: eventsOf(story).map(({ atMs, process, text }) => {
      return { at: time(atMs), sentinel: process, event: text }
    }),
    nodesSay: ownWordsOf(story).map(({ atMs, process, fact, text }) => {
      return { at: time(atMs), node: process, fact, text }
    }),
  }
}
