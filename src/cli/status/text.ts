/** A status report as text: one block per group, one row per Sentinel, then the nodes, then what is wrong. */

import { GROUP_OPTIONS, JUDGING_OPTION_ROWS } from '../../core/group-options.ts'
import { colors as pc } from '../colors.ts'
import { type Cell, cell, type FittedColumn, table, wrapped } from '../table.ts'
import { grouped, type Paint, truncate } from '../up/paint.ts'
import type { GroupReport, Health, StatusReport } from './judge.ts'
import { isSilent, nothingSeen, worstOf } from './judge.ts'
import { chainedText, type NodeView, nodesOf, stateOf } from './nodes.ts'
import { wayOut } from './silence.ts'
import { silentPeers, strengthOf, strengthText } from './strength.ts'
import { type GroupView, hasEffect, isVedette, optionOf, type SentinelAnswer } from './view.ts'

const PAINTS: Readonly<Record<Health, Paint>> = {
  well: pc.green,
  trouble: pc.yellow,
  danger: pc.red,
}
const MARKS: Readonly<Record<Health, string>> = { well: '✔', trouble: '!', danger: '✘' }

/** For a terminal of so many columns; no line break at the end. */
export function statusText(report: StatusReport, columns = Number.POSITIVE_INFINITY): string {
  const groups = report.groups.map((group) => groupText(group, report.sentinels, columns))
  const nothing = nothingSeen(report)
  const rest = nothing === undefined ? [] : [emptyText(nothing, report)]
  return [...groups, ...rest].join('\n\n')
}

/**
 * For a terminal of so many rows. If they are too few, the groups that are worst come first, and the last line counts
 * those that have no room: nobody can scroll in a picture that is drawn every second.
 */
export function statusPicture(
  report: StatusReport,
  columns = Number.POSITIVE_INFINITY,
  rows = Number.POSITIVE_INFINITY,
): string {
  const whole = statusText(report, columns)
  if (report.groups.length === 0 || linesOf(whole).length <= rows) return whole
  const groups = [...report.groups].sort((a, b) => urgency(b) - urgency(a))
  const shown = firstFitting(
    groups.map((group) => linesOf(groupText(group, report.sentinels, columns))),
    groups.length === 1 ? rows : rows - 2,
  )
  const rest = groups.slice(shown.length)
  const counted = rest.length === 0 ? [] : [pc.dim(truncate(countedText(rest), columns))]
  return [...shown.map((lines) => lines.join('\n')), ...counted].join('\n\n')
}

type Lines = readonly string[]

function linesOf(text: string): Lines {
  return text.split('\n')
}

const HEALTHS = ['well', 'trouble', 'danger'] as const

function urgency({ findings }: GroupReport): number {
  return HEALTHS.indexOf(worstOf(findings))
}

/** The first block in any case: without its middle, if it has no room; what is wrong stands at its end. */
function firstFitting(blocks: readonly Lines[], rows: number): readonly Lines[] {
  const [first = [], ...others] = blocks
  if (first.length > rows) {
    const end = Math.max(1, rows - 2)
    return [[...first.slice(0, 1), `${' '.repeat(INDENT)}…`, ...first.slice(-end)]]
  }
  let left = rows - first.length
  const more = others.findIndex((lines) => {
    left -= lines.length + 1
    return left < 0
  })
  return [first, ...(more < 0 ? others : others.slice(0, more))]
}

function countedText(groups: readonly GroupReport[]): string {
  const counts = HEALTHS.toReversed().flatMap((health) => {
    const count = groups.filter(({ findings }) => worstOf(findings) === health).length
    return count === 0 ? [] : [`${count} ${MARKS[health]}`]
  })
  return `${counts.join(', ')} more: name a group, or make the window larger`
}

function emptyText(nothing: string, { sentinels }: StatusReport): string {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  const lines = silent.map(({ address, failure }) => `  ${address}  ${pc.red(failure ?? '')}`)
  const way = isSilent(sentinels) ? [wayOut(silent.map(({ failure }) => failure))] : []
  return [pc.bold(nothing), ...lines, ...way].join('\n')
}

function groupText(
  group: GroupReport,
  sentinels: readonly SentinelAnswer[],
  columns: number,
): string {
  const findings = group.findings.flatMap(({ health, text }) =>
    marked(health, text.split(' '), ' ', columns - INDENT).map(indented),
  )
  return [
    ...titleOf(group, sentinels, columns),
    ...sentinelRows(group, sentinels, columns - INDENT).map(indented),
    ...nodeRows(group, columns - INDENT).map(indented),
    ...findings,
  ].join('\n')
}

const INDENT = 2

function indented(line: string): string {
  return `${' '.repeat(INDENT)}${line}`
}

/** The mark counts as two of the columns, and stands before the first line only. */
function marked(
  health: Health,
  parts: readonly string[],
  separator: string,
  columns: number,
): readonly string[] {
  const mark = `${PAINTS[health](MARKS[health])} `
  return wrapped(parts, separator, columns - 2, 0).map(
    (line, at) => `${at === 0 ? mark : '  '}${line}`,
  )
}

function titleOf(
  group: GroupReport,
  sentinels: readonly SentinelAnswer[],
  columns: number,
): readonly string[] {
  const { name } = group
  const [first = '', ...rest] = rulesOf(group, sentinels)
  const health = worstOf(group.findings)
  const [line = '', ...more] = marked(health, [`${name}  ${first}`, ...rest], ' · ', columns)
  return [line.replace(name, () => pc.bold(name)), ...more]
}

function rulesOf({ says }: GroupReport, sentinels: readonly SentinelAnswer[]): readonly string[] {
  const master = says[0]?.group.master
  if (master === undefined) return []
  const after = `down after ${optionOf(master, GROUP_OPTIONS.downAfterMs)} ms`
  const isPaused = says.some(({ group }) => group.master['pause-left-ms'] !== undefined)
  const rules = [
    ...(isPaused ? ['FAILOVER PAUSED'] : []),
    strengthText(strengthOf(sentinels, says)),
    after,
    ...ownRules(says),
  ]
  return [...rules, `config epoch ${master['config-epoch']}`]
}

/** Of the first Sentinel that has the option: redis-sentinel knows only silence. */
function ownRules(says: GroupReport['says']): readonly string[] {
  const own = says.find(({ sentinel }) => isVedette(sentinel))
  if (own === undefined) return []
  const { master } = own.group
  const shown = JUDGING_OPTION_ROWS.map(([key, row]) => {
    const value = optionOf(master, row)
    const isSaid = row.isShownIfSet !== true || master[row.name] !== undefined
    const isShown = isSaid && value !== '0' && hasEffect(master, row)
    const words = `${row.name.replaceAll('-', ' ')} ${value}${row.kind === 'duration' ? ' ms' : ''}`
    return { key, beside: row.onlyWith?.key, words: isShown ? [words] : [] }
  })
  const besides = (key: string) => shown.filter(({ beside }) => beside === key)
  return shown
    .filter(({ beside }) => beside === undefined)
    .map(({ key, words }) => [...words, ...besides(key).flatMap((one) => one.words)].join(', '))
    .filter((text) => text !== '')
}

const SENTINEL_COLUMNS: readonly FittedColumn[] = [
  { head: 'SENTINEL' },
  { head: 'ID', spare: 3 },
  { head: 'PROGRAM', spare: 2 },
  { head: 'NAMES AS MASTER' },
  { head: 'STATE' },
  { head: 'PEERS', align: 'right', spare: 1 },
  { head: 'REPLICAS', align: 'right', spare: 1 },
]

function sentinelRows(
  { says }: GroupReport,
  sentinels: readonly SentinelAnswer[],
  columns: number,
): readonly string[] {
  const common = mostCommon(says.map(({ sentinel, group }) => opinionOf(sentinel, group)))
  const rows = says.map(({ sentinel, group }) => {
    const opinion = opinionOf(sentinel, group)
    const { address, myid, program } = sentinel
    return [
      cell(address),
      cell(myid.slice(0, 8), pc.dim),
      cell(program, pc.dim),
      ...opinion.map((text, at) => cell(text, text === common[at] ? undefined : pc.yellow)),
    ]
  })
  const silent = silentPeers(sentinels, says).map(({ address }) => [
    ...[cell(address), cell(''), cell(''), cell('–', pc.dim), cell('no answer', pc.red)],
  ])
  return table(SENTINEL_COLUMNS, [...rows, ...silent], columns)
}

/** What the Sentinels should agree on. */
function opinionOf({ isTilted }: SentinelAnswer, group: GroupView): readonly string[] {
  const { address, master, peers, replicas } = group
  const state = isTilted ? 'TILT' : stateOf(master)
  return [address, state, String(peers.length), String(replicas.length)]
}

/** The most common value of each column. */
function mostCommon(rows: readonly (readonly string[])[]): readonly string[] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width }, (_, at) => {
    const values = rows.map((cells) => cells[at] ?? '')
    const votes = (value: string) => values.filter((other) => other === value).length
    return [...values].sort((a, b) => votes(b) - votes(a))[0] ?? ''
  })
}

const NODE_COLUMNS: readonly FittedColumn[] = [
  { head: 'NODE' },
  { head: 'ROLE' },
  { head: 'SEEN' },
  { head: 'LINK', spare: 2 },
  { head: 'PRIORITY', align: 'right', spare: 4 },
  { head: 'OFFSET', align: 'right', spare: 1 },
  { head: 'BEHIND', align: 'right' },
  { head: 'LAST ACK', align: 'right', spare: 3 },
]

function nodeRows({ says }: GroupReport, columns: number): readonly string[] {
  const nodes = nodesOf(says)
  const told = nodes.find(({ ageMs }) => ageMs !== undefined)?.ageMs
  const when =
    told === undefined ? [] : [`offsets as the master reported them ${inSeconds(told)} ago`]
  const chained = [chainedText(says) ?? []].flat()
  const rows = nodes.map(nodeRow)
  return [
    ...table(NODE_COLUMNS, rows, columns),
    ...[...when, ...chained].map((text) => pc.dim(truncate(text, columns))),
  ]
}

function nodeRow(node: NodeView): readonly Cell[] {
  const { address, role, states, link, priority, offset, lagBytes, ackSeconds } = node
  const isWell = states.every((state) => state === 'ok')
  const seen = isWell ? `ok by ${states.length}` : [...new Set(states)].join('/')
  return [
    cell(address),
    cell(role),
    cell(seen, isWell ? undefined : pc.red),
    cell(link ?? '', link === 'down' ? pc.yellow : undefined),
    cell(String(priority ?? '')),
    cell(offset === undefined ? '' : grouped(offset)),
    cell(lagBytes === undefined ? '' : `${grouped(lagBytes)} B`),
    cell(ackSeconds === undefined ? '' : `${ackSeconds} s ago`),
  ]
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
