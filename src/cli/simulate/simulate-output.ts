/** What people and scripts are shown about all histories together. */

import { type Painter, PLAIN } from '../../scenario/report.ts'
import { adviceFor } from '../../simulate/advice.ts'
import { compare, type Pair } from '../../simulate/compare.ts'
import type { Advice } from '../../simulate/evidence.ts'
import type { MeasuredHistory } from '../../simulate/measure.ts'
import { compareModes } from '../../simulate/replication-modes.ts'
import type { Stage } from '../../simulate/stage.ts'
import { onlyGroup, summarize } from '../../simulate/summary.ts'
import { clusterLines } from '../../simulate/text-cluster.ts'
import { comparisonLines, replicationLines } from '../../simulate/text-compare.ts'
import { summaryLines } from '../../simulate/text-summary.ts'
import { paragraph } from '../../simulate/text-table.ts'
import { colors as pc } from '../colors.ts'
import { type Configuration, replayCommand, type SimulateOptions } from './simulate-options.ts'

export const PAINTER: Painter = pc.isColorSupported
  ? { good: pc.green, bad: pc.red, bold: pc.bold, dim: pc.dim }
  : PLAIN

export interface Findings {
  readonly options: SimulateOptions
  readonly configurations: readonly Configuration[]
  readonly stages: readonly Stage[]
  /** In the order of the seeds; each entry has one history per configuration. */
  readonly measured: readonly (readonly MeasuredHistory[])[]
  /** Seeds that could not be played, with the reason. */
  readonly crashed: readonly { readonly seed: string; readonly reason: string }[]
  readonly isInterrupted: boolean
}

export function findingsText(findings: Findings): string {
  const { configurations, options } = findings
  const path = configurations[0]?.path ?? ''
  const replay = replayCommand(path, options, 'N')
  const lines = [
    ...headLines(findings),
    '',
    ...(options.compareReplication ? replicationText(findings) : configurationTexts(findings)),
    '  To see the history of seed #N:',
    `    ${replay}`,
  ]
  return `${lines.join('\n')}\n`
}

function configurationTexts(findings: Findings): string[] {
  const each = findings.stages.flatMap((_, place) => [...configurationLines(findings, place), ''])
  return [...each, ...comparedLines(findings)]
}

/** The last of the clusters is the strict one, whose lines say the most. */
function replicationText({ stages, configurations, measured }: Findings): string[] {
  const stage = stages.at(-1)
  if (stage === undefined) return []
  return [
    PAINTER.bold(nameOf(configurations[0])),
    ...clusterLines(stage.cluster, stage.profile),
    '',
    PAINTER.bold('The same histories, by what an acknowledged write means'),
    ...replicationLines(compareModes(measured), PAINTER),
    '',
  ]
}

function headLines({ measured, isInterrupted, options, crashed }: Findings): string[] {
  const { first, last } = options.seeds
  const count = `${measured.length} random histories, seeds ${first} to ${last}`
  const head = isInterrupted ? `Interrupted after ${count}` : count
  return [
    PAINTER.bold(head),
    ...crashed.map(({ seed, reason }) => PAINTER.bad(`  #${seed} could not be played: ${reason}`)),
  ]
}

function configurationLines(findings: Findings, place: number): string[] {
  const { stages, measured } = findings
  const stage = stages[place]
  if (stage === undefined) return []
  const own = measured.flatMap((each) => each[place] ?? [])
  const letter = stages.length === 1 ? '' : `${LETTERS[place]}: `
  const { cluster, profile } = stage
  return [
    PAINTER.bold(`${letter}${nameOf(findings.configurations[place])}`),
    ...clusterLines(cluster, profile),
    '',
    ...(stages.length > 1 || own.length === 0 ? [] : [...summaryOf(stage, own), '']),
    PAINTER.bold('  Advice'),
    ...adviceLines(adviceFor(cluster, own), PAINTER),
  ]
}

function summaryOf({ cluster }: Stage, own: readonly MeasuredHistory[]): string[] {
  const groups = cluster.groups.map(({ title }, index) => {
    return { title, summary: summarize(onlyGroup(own, index)) }
  })
  return summaryLines(summarize(own), groups, PAINTER)
}

const LETTERS = ['A', 'B'] as const

function nameOf(configuration: Configuration | undefined): string {
  const { path = '', servers = [] } = configuration ?? {}
  return [path, ...servers].join(' with ')
}

function comparedLines(findings: Findings): string[] {
  const { configurations } = findings
  if (configurations.length < 2) return []
  return [
    PAINTER.bold('The same histories in both'),
    ...comparisonLines(compare(pairsOf(findings)), PAINTER),
    '',
  ]
}

function pairsOf({ measured }: Findings): readonly Pair[] {
  return measured.flatMap(([a, b]): Pair[] => (a === undefined || b === undefined ? [] : [[a, b]]))
}

/** All findings, in one object. */
export function findingsJson(findings: Findings): string {
  const { stages, measured, options, crashed, isInterrupted } = findings
  const configurations = stages.map(({ cluster }, place) => {
    const own = measured.flatMap((each) => each[place] ?? [])
    const { outages: _, ...summary } = summarize(own)
    return { ...cluster, summary, advice: adviceFor(cluster, own), histories: own }
  })
  const { profile, seeds } = options
  const comparison = stages.length === 2 ? compare(pairsOf(findings)) : undefined
  const replication = options.compareReplication ? compareModes(measured) : undefined
  const all = { profile, seeds, isInterrupted, crashed, configurations, comparison, replication }
  return `${JSON.stringify(all)}\n`
}

/** For each setting its effect, how often it was seen and with which seed, and what to try. */
export function adviceLines(advice: readonly Advice[], paint: Painter): string[] {
  if (advice.length === 0) return ['  No setting is to blame for what these histories brought.']
  return advice.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...oneAdvice(each, paint)])
}

function oneAdvice(advice: Advice, paint: Painter): string[] {
  const { group, setting, effect, seen, seed, tryThis } = advice
  const name = group === undefined ? setting : `${group}: ${setting}`
  const [first = '', ...rest] = paragraph(`! ${name}: ${effect}.`, '  ')
  const mark = paint.bad('!')
  const marked = first.startsWith(`  ! ${name}`)
    ? `  ${mark} ${paint.bold(name)}${first.slice(4 + name.length)}`
    : first
  const where = seed === undefined ? '' : ` (#${seed})`
  return [
    marked,
    ...rest.map((line) => `  ${line}`),
    ...paragraph(`${seen.replace(/\.$/, '')}${where}.`, '    '),
    ...paragraph(`Try ${tryThis}.`, '    '),
  ]
}
