/** What happened in a cluster: a line for each thing done and each event, with its time, as text or as a page. */
import type { Member, TimelineOptions } from './api.ts'
import { checkNames, checkSwitch } from './arguments.ts'
import type { DiaryEntry } from './diary.ts'

/** The events without which a failover can be understood are left out unless all are asked for. */
const QUIET: ReadonlySet<string> = new Set(['+set', '+monitor', '+slave', '+sentinel'])

/** Whose names stand for ports and run ids, which are drawn by chance and say nothing. */
export interface Cast {
  readonly members: readonly Member[]
  /** Names by run id. */
  readonly sentinels: ReadonlyMap<string, string>
}

/** Times are milliseconds since the cluster was started. */
export function timelineOf(
  entries: readonly DiaryEntry[],
  cast: Cast,
  options: TimelineOptions = {},
): string {
  checkNames('timeline', options, ['format', 'withLogs'])
  const { format = 'text', withLogs = false } = options
  checkSwitch('timeline: withLogs', withLogs)
  const lines = entries.flatMap((entry) => lineOf(entry, withLogs) ?? [])
  const named = lines.map((line) => ({ ...line, text: withNames(line.text, cast) }))
  switch (format) {
    case 'text':
      return named.map(textOf).join('\n')
    case 'html':
      return pageOf(named, cast.members)
    default:
      throw new TypeError(`timeline: format is one of text, html, not '${format}'`)
  }
}

interface TimelineLine {
  readonly atMs: number
  /** Undefined: the test itself. */
  readonly member: string | undefined
  readonly kind: DiaryEntry['kind']
  readonly text: string
}

function lineOf(entry: DiaryEntry, withLogs: boolean): TimelineLine | undefined {
  const { atMs, kind } = entry
  switch (entry.kind) {
    case 'done':
      return { atMs, kind, member: undefined, text: entry.text }
    case 'event': {
      const { name, payload, sentinel } = entry.event
      return QUIET.has(name)
        ? undefined
        : { atMs, kind, member: sentinel, text: `${name} ${payload}` }
    }
    case 'log': {
      if (!withLogs) return undefined
      return { atMs, kind, member: entry.member, text: `(${entry.level}) ${entry.text}` }
    }
  }
}

function withNames(text: string, { members, sentinels }: Cast): string {
  const named = text.replace(/127\.0\.0\.1[ :](\d+)/g, (whole, port) => {
    return members.find((member) => member.port === Number(port))?.name ?? whole
  })
  return named.replace(/\b[0-9a-f]{40}\b/g, (id) => sentinels.get(id) ?? id)
}

function textOf({ atMs, member, text }: TimelineLine): string {
  return `${atMs.toFixed(0).padStart(7)} ms  ${member === undefined ? '**' : member.padEnd(4)} ${text}`
}

/** A table with a column for the test and one for each member that has something to say. */
function pageOf(lines: readonly TimelineLine[], members: readonly Member[]): string {
  const lanes = members
    .map(({ name }) => name)
    .filter((name) => lines.some(({ member }) => member === name))
  const rows = lines.map(({ atMs, member, kind, text }) => {
    const cells = [undefined, ...lanes].map((lane) => {
      return `<td class="${kind}">${lane === member ? escaped(text) : ''}</td>`
    })
    return `<tr><th>${atMs.toFixed(0)}</th>${cells.join('')}</tr>`
  })
  const head = ['ms', 'the test', ...lanes].map((word) => `<th>${escaped(word)}</th>`).join('')
  return `${PAGE_HEAD}<table><thead><tr>${head}</tr></thead>\n<tbody>${rows.join('\n')}</tbody></table>\n`
}

const PAGE_HEAD = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Timeline of a cluster</title>
<style>body{font:14px system-ui;margin:2em}table{border-collapse:collapse}
th,td{padding:2px 10px;vertical-align:top;text-align:left;border-bottom:1px solid #8884}
tbody th{text-align:right;font-weight:normal;opacity:.7}thead th{position:sticky;top:0;background:Canvas}
td.done{font-weight:600}td.log{opacity:.6}:root{color-scheme:light dark}</style>
`

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
