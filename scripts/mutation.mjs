/**
 * Mutation as a measure: changes the compiled machines at places drawn by a seed, one at a time, and asks
 * who notices: drawn histories, the shipped scenarios, the unit tests, those beside redis-server. Each is tried where it executes the
 * place, the likeliest first, for so many seconds.
 *
 *   node scripts/mutation.mjs [--sample 300] [--seed 1] [--seeds 1..40] [--seconds 10] [--files core/failover]
 *                             [--resume FILE] [--report] [--before FILE] [--json]
 *
 *   --resume FILE   keeps the results there as they come; if the file exists, goes on from it
 *   --report        writes the tables into docs/simulator.md
 *   --from FILE     judges nothing: only the tables of an earlier run's file, whatever the code is now
 *   --before FILE   an earlier run's file, whose totals stand beside those of this one
 *   --json          a line of JSON for each verdict
 *   --shell         in place of a sample: the slips of test/mutation/shell-list.mjs, which are made in the shell
 *   --only TEXT     of these those whose name contains it
 *
 * Exit status 1: something fails without any change, or equivalent.json does not fit the code; 2: an option
 * makes no sense. Changes that nobody notices are the result, and no failure.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeResults } from '../bench/support/document.mjs'
import { inParallel } from '../bench/support/parallel.mjs'
import { problemsIn, reasonOf } from '../test/mutation/equivalent.mjs'
import { judge } from '../test/mutation/judges.mjs'
import { Places } from '../test/mutation/places.mjs'
import { record } from '../test/mutation/record.mjs'
import { lineOf, reportOf } from '../test/mutation/report.mjs'
import { Results, readResults } from '../test/mutation/results.mjs'
import { candidatesIn, drawSample, fingerprintOf } from '../test/mutation/sample.mjs'
import { judgeShell, shellTable } from '../test/mutation/shell.mjs'
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf } from './paths.mjs'

const DIST = pathOf('dist')
const PAGE = 'docs/simulator.md'
/** Six histories in real time, at the same time. */
const SHELL_SEEDS = '1..6'

const values = scriptOptions(import.meta.url, {
  sample: { type: 'string', default: '300' },
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1..40' },
  seconds: { type: 'string', default: '10' },
  files: { type: 'string' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  resume: { type: 'string' },
  before: { type: 'string' },
  from: { type: 'string' },
  report: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  shell: { type: 'boolean', default: false },
  only: { type: 'string' },
})

endWithParents()
process.exitCode = await main()

async function main() {
  const numbers = ['sample', 'seed', 'seconds', 'jobs'].filter(
    (name) => !/^\d+$/.test(values[name]),
  )
  if (numbers.length > 0 || !/^\d+\.\.\d+$/.test(values.seeds)) {
    console.error(`mutation: numbers are wanted for --${[...numbers, 'seeds A..B'].join(', --')}`)
    return 2
  }
  const earlier = values.before && readResults(values.before)
  if (!(await ensureBuilt())) return 1
  if (values.shell) return await judgeSlips()
  const stale = problemsIn(candidatesIn(DIST, ''))
  for (const problem of stale) console.error(`equivalent.json: ${problem}`)
  if (stale.length > 0) return 1
  if (values.from !== undefined) {
    const { run, verdicts } = readResults(values.from)
    tellAll(verdicts, earlier, run)
    return 0
  }
  const { sample, seed, seeds, seconds, files } = values
  const settings = { sample: Number(sample), seed: Number(seed), seeds, seconds, files }
  const drawn = drawSample(DIST, settings)
  if (drawn.length === 0) {
    console.error(`mutation: no compiled file of the machines begins with ${files}`)
    return 2
  }
  const results = new Results(values.resume, { ...settings, machines: fingerprintOf(DIST) })
  try {
    await recordAll(drawn, results)
  } catch (error) {
    console.error(`mutation: ${error.message}`)
    return 1
  }
  await judgeAll(drawn, results)
  tellAll(results.verdicts, earlier, settings)
  return 0
}

async function judgeSlips() {
  const verdicts = await judgeShell({
    seeds: SHELL_SEEDS,
    only: values.only,
    tell({ name, sockets, tests }) {
      const line = `${name}: sockets ${sockets ?? '-'}; tests ${tests ?? '-'}`
      console.log(values.json ? JSON.stringify({ name, sockets, tests }) : line)
    },
  })
  if (verdicts === undefined) return 1
  const text = shellTable(verdicts)
  if (!values.json) console.log(`\n${text}`)
  if (values.report) writeResults('shell-slips', text, PAGE)
  return 0
}

async function recordAll(drawn, results) {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-mutation-'))
  const [first, last] = values.seeds.split('..').map(Number)
  const places = new Places(DIST)
  try {
    await record({
      folder,
      places: drawn.map((mutation) => places.of(mutation)),
      seeds: Array.from({ length: last - first + 1 }, (_, index) => first + index),
      jobs: Number(values.jobs),
      known: [...results.recorded],
      keep: (play) => results.record(play),
      tell,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function judgeAll(drawn, results) {
  // What was found equivalent since an interrupted run judged it is not judged.
  const isJudged = new Set(results.verdicts.map(({ id }) => id))
  const open = drawn
    .map((mutation, index) => [mutation, index])
    .filter(([{ id }]) => !isJudged.has(id))
  await inParallel(open, Number(values.jobs), async ([mutation, index]) => {
    const equivalent = reasonOf(mutation)
    const verdict =
      equivalent === undefined
        ? await judge(mutation, index, results.recorded, Number(values.seconds))
        : { equivalent }
    results.add({ ...mutation, ...verdict })
    const last = results.verdicts.at(-1)
    tell('')
    const line = `${String(results.verdicts.length).padStart(3)} of ${drawn.length}  ${lineOf(last)}`
    console.log(values.json ? JSON.stringify(last) : line)
  })
}

function tellAll(verdicts, earlier, { sample, seed, seeds, seconds }) {
  // Equivalence may have been found out after the verdict.
  const known = (all) => all.map((one) => ({ ...one, equivalent: reasonOf(one) }))
  const runs = [['now', known(verdicts)]]
  if (earlier) runs.unshift(['before', known(earlier.verdicts)])
  const head =
    `${verdicts.length} of ${sample} changes drawn with seed ${seed}, in an order of chance; seeds ${seeds}, every scenario, the fast tests and those beside redis-server, ` +
    `of each those that execute the place, the likeliest first, for ${seconds} s of processor time.`
  const text = reportOf(runs, head)
  if (!values.json) console.log(`\n${text}`)
  if (values.report) writeResults('mutation', text, PAGE)
}

/** Overwritten on a terminal; in a log only now and then. */
function tell(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
  else if (/[05]0 of/.test(text)) process.stderr.write(`${text}\n`)
}
