/** A status report as text: one block a group, one row a Sentinel, then the nodes, then what is wrong. */
import pc from 'picocolors'
import { type Column, type Paint, row } from '../up/paint.ts'
import type { GroupReport, Health, Report } from './judge.ts'
import { worstOf } from './judge.ts'
import {
  addressOf,
  detectionOf,
  type Fields,
  flagsOf,
  type GroupView,
  type SentinelView,
} from './view.ts'

const PAINTS: Readonly<Record<Health, Paint>> = {
  well: pc.green,
  trouble: pc.yellow,
  danger: pc.red,
}
const MARKS: Readonly<Record<Health, string>> = { well: '✔', trouble: '!', danger: '✘' }

/** Without a line end at the end. */
export function statusText(report: Report): string {
  const groups = report.groups.map(groupText)
  const rest = report.groups.length === 0 ? [emptyText(report.sentinels)] : []
  return [...groups, ...rest].join('\n\n')
}

function emptyText(sentinels: readonly SentinelView[]): string {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  const lines = silent.map(({ address, failure }) => `  ${address}  ${pc.red(failure ?? '')}`)
  const answered = sentinels.length - silent.length
  const title = answered === 0 ? 'no Sentinel answers' : 'no such group is watched'
  return [pc.bold(title), ...lines].join('\n')
}

function groupText(group: GroupReport): string {
  const health = worstOf(group.findings)
  const title = `${PAINTS[health](MARKS[health])} ${pc.bold(group.name)}  ${pc.dim(rulesOf(group))}`
  const findings = group.findings.map(
    (finding) => `  ${PAINTS[finding.health](MARKS[finding.health])} ${finding.text}`,
  )
  return [title, ...sentinelRows(group), ...nodeRows(group), ...findings].join('\n')
}

function rulesOf({ says }: GroupReport): string {
  const master = says[0]?.group.master
  if (master === undefined) return ''
  const { quorum } = master
  const after = `down after ${master['down-after-milliseconds']} ms`
  const rules = [`quorum ${quorum} of ${says.length}`, after, ...detectionText(says)]
  return [...rules, `config epoch ${master['config-epoch']}`].join(' · ')
}

/** Of the first who has a choice: Redis' Sentinels know nothing but silence. */
function detectionText(says: GroupReport['says']): readonly string[] {
  const own = says.find(({ sentinel }) => sentinel.program === 'vedette')
  if (own === undefined) return []
  const { detection, refusedAfterMs, grayAfterMs } = detectionOf(own.group.master)
  const isByEvidence = detection === 'evidence'
  return [
    `detection ${detection}${isByEvidence ? `, refused after ${refusedAfterMs} ms` : ''}`,
    ...(grayAfterMs > 0 ? [`gray after ${grayAfterMs} ms`] : []),
  ]
}

const SENTINEL_COLUMNS: readonly Column[] = [
  { width: 24, align: 'left' },
  { width: 10, align: 'left' },
  { width: 16, align: 'left' },
  { width: 24, align: 'left' },
  { width: 8, align: 'left' },
  { width: 6, align: 'right' },
  { width: 9, align: 'right' },
]

function sentinelRows({ says }: GroupReport): readonly string[] {
  const head = ['SENTINEL', 'ID', 'PROGRAM', 'NAMES AS MASTER', 'STATE', 'PEERS', 'REPLICAS']
  const common = mostCommon(says.map(({ group }) => cellsOf(group)))
  const rows = says.map(({ sentinel, group }) => {
    const cells = cellsOf(group)
    const paints = cells.map((cell, at) => (cell === common[at] ? undefined : pc.yellow))
    const who = [sentinel.address, sentinel.myid.slice(0, 8), sentinel.program]
    return row(SENTINEL_COLUMNS, [...who, ...cells], [undefined, pc.dim, pc.dim, ...paints])
  })
  return [pc.dim(row(SENTINEL_COLUMNS, head)), ...rows].map((line) => `  ${line}`.trimEnd())
}

/** What the Sentinels should agree on. */
function cellsOf({ address, master, peers, replicas }: GroupView): readonly string[] {
  return [address, stateOf(master), String(peers.length), String(replicas.length)]
}

function stateOf(fields: Fields): string {
  const flags = flagsOf(fields)
  if (fields['failover-state'] !== undefined) return 'failover'
  if (flags.includes('o_down')) return 'odown'
  if (flags.includes('s_down')) return 'sdown'
  return flags.includes('disconnected') ? 'apart' : 'ok'
}

/** Column by column the value most of them give. */
function mostCommon(rows: readonly (readonly string[])[]): readonly string[] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width }, (_, at) => {
    const values = rows.map((cells) => cells[at] ?? '')
    const votes = (value: string) => values.filter((other) => other === value).length
    return [...values].sort((a, b) => votes(b) - votes(a))[0] ?? ''
  })
}

const NODE_COLUMNS: readonly Column[] = [
  { width: 24, align: 'left' },
  { width: 10, align: 'left' },
  { width: 16, align: 'left' },
  { width: 24, align: 'left' },
  { width: 8, align: 'right' },
  { width: 14, align: 'right' },
]

function nodeRows({ says }: GroupReport): readonly string[] {
  const nodes = new Map<string, Fields[]>()
  for (const { group } of says) {
    for (const node of [group.master, ...group.replicas]) {
      nodes.set(addressOf(node), [...(nodes.get(addressOf(node)) ?? []), node])
    }
  }
  const head = ['NODE', 'ROLE', 'SEEN', 'LINK TO MASTER', 'PRIORITY', 'OFFSET']
  const rows = [...nodes].map(([address, seen]) => nodeRow(address, seen))
  return [pc.dim(row(NODE_COLUMNS, head)), ...rows].map((line) => `  ${line}`.trimEnd())
}

function nodeRow(address: string, seen: readonly Fields[]): string {
  const states = seen.map(stateOf)
  const isWell = states.every((state) => state === 'ok')
  const [first] = seen
  const link = first?.['master-link-status']
  return row(
    NODE_COLUMNS,
    [
      address,
      first?.['role-reported'] === 'slave' ? 'replica' : (first?.['role-reported'] ?? '?'),
      isWell ? `ok by ${seen.length}` : [...new Set(states)].join('/'),
      link === undefined ? '' : link === 'ok' ? 'up' : 'down',
      first?.['slave-priority'] ?? '',
      first?.['slave-repl-offset'] ?? '',
    ],
    [undefined, undefined, isWell ? undefined : pc.red, link === 'err' ? pc.yellow : undefined],
  )
}
