/** The results of a sample as tables: by machine, by folder, and the files in which something goes unnoticed. */
import { dirname } from 'node:path'
import { JUDGES } from './judges.mjs'

const MACHINES = [
  ['core/', 'Sentinel'],
  ['server/', 'data node'],
  ['', 'both'],
]

/** The first judge, in the order of JUDGES, that notices; undefined: nobody does. */
export function firstToNotice(verdict) {
  return JUDGES.find((kind) => verdict[kind]?.notice !== undefined)
}

/** In one line. */
export function lineOf(verdict) {
  if (verdict.equivalent !== undefined) return `equivalent ${placeOf(verdict)}`
  const asked = JUDGES.filter((kind) => verdict[kind] !== undefined)
  const words = asked.map((kind) => `${kind} ${wordOf(verdict[kind])}`)
  return `${(firstToNotice(verdict) ?? 'NOBODY').padEnd(10)} ${placeOf(verdict)}  (${words.join('; ')})`
}

export function placeOf({ file, line, operator, was, replace }) {
  const short = (text) => text.replace(/\s+/g, ' ').slice(0, 60)
  return `${file}:${line} ${operator}: ${short(was)} → ${short(replace) || 'nothing'}`
}

/** `runs`: `[title, verdicts]`, the last one is the one that is told in full. */
export function reportOf(runs, settings) {
  const [, verdicts] = runs.at(-1)
  const survivors = judgedOf(verdicts).filter((one) => firstToNotice(one) === undefined)
  const equivalent = verdicts.filter((one) => one.equivalent !== undefined)
  return [
    settings,
    totalsTable(runs),
    folderTable(verdicts),
    ...section('Not noticed', survivors, (one) => `\`${placeOf(one)}\`${hintOf(one)}`),
    ...section('Equivalent', equivalent, (one) => `\`${placeOf(one)}\`: ${one.equivalent}`),
  ].join('\n\n')
}

/** What a survivor's histories looked like: this tells a missing judge from a history that is too narrow. */
function hintOf(verdict) {
  const told = JUDGES.filter((kind) => verdict[kind]?.reached > 0).map((kind) => {
    const { reached, tried, changed } = verdict[kind]
    const isPlayed = kind === 'seeds' || kind === 'scenarios'
    const what = isPlayed ? `, ${changed} with another history` : ''
    return `${kind}: ${tried} of ${reached} that execute it${what}`
  })
  return `: ${told.join('; ') || 'nothing executes it'}`
}

function wordOf({ reached, tried, changed, notice }) {
  if (notice !== undefined) return `${notice.how}: ${notice.finding.slice(0, 60)} (${notice.where})`
  return `none of ${tried}/${reached}, ${changed} changed`
}

function totalsTable(runs) {
  const rows = runs.flatMap(([title, verdicts]) =>
    MACHINES.map(([prefix, name]) => {
      const own = verdicts.filter(({ file }) => file.startsWith(prefix))
      const label = runs.length > 1 ? `${name}, ${title}` : name
      return row([label, own.length, own.length - judgedOf(own).length, ...figures(own)])
    }),
  )
  const head = ['', 'changes', 'equivalent', ...JUDGES, 'unnoticed', 'endless', 'noticed']
  return table(head, rows)
}

function folderTable(verdicts) {
  const folders = [...new Set(verdicts.map(({ file }) => dirname(file)))].sort()
  const rows = folders.map((folder) => {
    const own = verdicts.filter(({ file }) => dirname(file) === folder)
    return row([`\`${folder}\``, ...figures(own), filesWithGaps(own)])
  })
  return table(['folder', ...JUDGES, 'unnoticed', 'endless', 'noticed', 'files with gaps'], rows)
}

/** `file.js 2 of 3`, for those in which not everything is noticed. */
function filesWithGaps(verdicts) {
  const files = [...new Set(verdicts.map(({ file }) => file))].sort()
  const texts = files.flatMap((file) => {
    const own = judgedOf(verdicts).filter((one) => one.file === file)
    const seen = own.filter((one) => firstToNotice(one) !== undefined).length
    return seen === own.length ? [] : [`\`${file.split('/').at(-1)}\` ${seen} of ${own.length}`]
  })
  return texts.join(', ')
}

/** Each judge by itself: one change can be noticed by all three. */
function figures(verdicts) {
  const judged = judgedOf(verdicts)
  const byJudge = JUDGES.map((kind) => {
    const wasAsked = judged.some((one) => one[kind] !== undefined)
    return wasAsked ? judged.filter((one) => one[kind]?.notice).length : 'not asked'
  })
  const seen = judged.filter((one) => firstToNotice(one) !== undefined).length
  const isEndless = (one) => JUDGES.some((kind) => one[kind]?.notice?.how === 'endless')
  const share = judged.length === 0 ? '' : `${Math.round((100 * seen) / judged.length)} %`
  return [...byJudge, judged.length - seen, judged.filter(isEndless).length, share]
}

function judgedOf(verdicts) {
  return verdicts.filter(({ equivalent }) => equivalent === undefined)
}

function section(title, items, textOf) {
  if (items.length === 0) return []
  return [`${title}:`, items.map((item) => `- ${textOf(item)}`).join('\n')]
}

function table(head, rows) {
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

function row(cells) {
  return `| ${cells.map((cell) => `${cell}`.replaceAll('|', '\\|')).join(' | ')} |`
}
