/**
 * The result for a reader: two rows per scenario, and in words what did not hold and where Redis was
 * better.
 */
import { summarise } from '../../bench/support/statistics.mjs'
import { renderTable, spread, whole } from '../../bench/support/table.mjs'
import { CONTENDERS } from './run.mjs'

const TITLES = { vedette: 'Vedette', redis: 'Redis' }

/** A difference below `slack` counts as none: a clock's tick, or a write more or less under way. */
const MEASURES = [
  { id: 'worstClientMs', title: 'worst client, ms', slack: 50 },
  { id: 'nobodyMs', title: 'nobody could write, ms', slack: 50 },
  { id: 'lost', title: 'lost writes', slack: 10 },
  { id: 'dualMs', title: 'two writable masters, ms', slack: 50 },
]

export function renderScoreboard(samples, skipped) {
  const scenarios = [...new Set(samples.map(({ scenario }) => scenario))]
  const rows = scenarios.flatMap((scenario) =>
    CONTENDERS.map((contender) => rowOf(samples, scenario, contender)),
  )
  const headings = ['scenario, by', ...MEASURES.map(({ title }) => title), 'held']
  return [
    renderTable(headings, rows),
    behind(samples, scenarios),
    unmet(samples, scenarios),
    leftOut(skipped),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function rowOf(samples, scenario, contender) {
  const own = samplesOf(samples, scenario, contender)
  const passed = own.filter(({ verdict }) => verdict === 'passed').length
  const cells = MEASURES.map(({ id }) => spread(summarise(own.map((sample) => sample[id]))))
  return [
    `${scenario.replace('.yml', '')}, ${TITLES[contender]}`,
    ...cells,
    `${passed} of ${own.length}`,
  ]
}

/** Where a median is worse than Redis': stated in words, so that readers need not look for it. */
function behind(samples, scenarios) {
  const lines = scenarios.flatMap((scenario) =>
    MEASURES.flatMap(({ id, title, slack }) => {
      const [ours, theirs] = CONTENDERS.map((contender) =>
        summarise(samplesOf(samples, scenario, contender).map((sample) => sample[id])),
      )
      if (ours === undefined || theirs === undefined) return []
      if (ours.median <= theirs.median + slack) return []
      const numbers = `${whole(ours.median)} against ${whole(theirs.median)}`
      return [`- ${scenario.replace('.yml', '')}, ${title}: ${numbers}`]
    }),
  )
  if (lines.length === 0) return 'By the medians Redis is better nowhere.'
  return `Where Redis is better, by the medians:\n\n${lines.join('\n')}`
}

/** Every claim that did not hold in some round, and how often. */
function unmet(samples, scenarios) {
  const lines = scenarios.flatMap((scenario) =>
    CONTENDERS.flatMap((contender) => {
      const own = samplesOf(samples, scenario, contender)
      const counts = new Map()
      for (const text of own.flatMap((sample) => sample.unmet)) {
        counts.set(text, (counts.get(text) ?? 0) + 1)
      }
      const title = `${scenario.replace('.yml', '')}, ${TITLES[contender]}`
      return [...counts].map(([text, count]) => `- ${title}: ${text} (${count} of ${own.length})`)
    }),
  )
  return lines.length === 0 ? '' : `What did not hold:\n\n${lines.join('\n')}`
}

function leftOut(skipped) {
  if (skipped.length === 0) return ''
  const lines = skipped.map(({ file, reason }) => `- ${file.file}: ${reason}`)
  return `Left out, since this machine or real processes cannot play them:\n\n${lines.join('\n')}`
}

function samplesOf(samples, scenario, contender) {
  return samples.filter((one) => one.scenario === scenario && one.contender === contender)
}
