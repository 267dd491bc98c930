/** The tables of docs/redis-suite.md: how many tests of each unit pass, and which do not, and why. */
import { writeResults } from '../../bench/support/document.mjs'
import { KNOWN, LEFT_OUT, SOMETIMES } from './known.mjs'

const PAGE = 'docs/redis-suite.md'

/** `results` of all units that were run, in any order; `units` in the order of the suite. */
export function writePage(units, results, version) {
  const byUnit = new Map(results.map((result) => [result.unit, result]))
  const rows = units.map((unit) => rowOf(unit, byUnit.get(unit)))
  const sum = (cells) => cells.reduce((total, count) => total + count, 0)
  const passed = sum(results.map((result) => result.count))
  const failed = sum(results.map((result) => result.failed.size))
  const text = [
    `Redis ${version}: ${passed} tests pass, ${failed} do not.`,
    ['| unit | pass | do not |', '|---|---:|---:|', ...rows].join('\n'),
    ...units.filter((unit) => unit in KNOWN).map((unit) => reasonsOf(unit, KNOWN[unit])),
    ...Object.entries(SOMETIMES).map(([unit, why]) => reasonsOf(unit, why, ', in some runs')),
    leftOut(),
  ].join('\n\n')
  writeResults('redis-suite', text, PAGE)
}

function rowOf(unit, { count, failed }) {
  return `| \`${unit}\` | ${count} | ${failed.size} |`
}

function reasonsOf(unit, reasons, when = '') {
  const rows = Object.entries(reasons).map(([test, why]) => `- *${test}*: ${why}`)
  return `**\`${unit}\`${when}**\n\n${rows.join('\n')}`
}

function leftOut() {
  const rows = Object.entries(LEFT_OUT).map(([unit, why]) => `- \`${unit}\`: ${why}`)
  return `**Not run**\n\n${rows.join('\n')}`
}
