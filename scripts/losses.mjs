/**
 * The ways in which users of Sentinel lost acknowledged writes, on real processes: with asynchronous replication, with
 * strict replication, and with redis-server and redis-sentinel where every client sends WAIT 1 after each write. Counts
 * what is lost, and writes the tables in README.md and docs/strict.md. Needs root, iproute2, nftables, redis-server
 * and redis-sentinel.
 *
 *     npm run losses -- [--rounds 1] [--jobs 2] [--no-docs]
 */
import { hasResults, writeResults } from '../bench/support/document.mjs'
import { settingLine } from '../bench/support/machine.mjs'
import { inParallel } from '../bench/support/parallel.mjs'
import { openProgress } from '../bench/support/progress.mjs'
import { renderTable, whole } from '../bench/support/table.mjs'
import { ensureBuilt } from './build.mjs'
// biome-ignore lint/correctness/useImportExtensions: the types of a module stand beside it
import { CONTENDERS, scenarioText, WAYS } from './losses/ways.mjs'
import { scriptOptions } from './options.mjs'
import { describeMachine } from './scoreboard/machine.mjs'
import { loadLaboratory } from './scoreboard/run.mjs'

const NAME = 'losses'
const PAGES = ['README.md', 'docs/strict.md']

const values = scriptOptions(import.meta.url, {
  rounds: { type: 'string', default: '1' },
  jobs: { type: 'string', default: '2' },
  'no-docs': { type: 'boolean', default: false },
})
const counts = [values.rounds, values.jobs].map(Number)
if (counts.some((count) => !Number.isSafeInteger(count) || count < 1)) {
  console.error('--rounds and --jobs must be whole numbers above 0')
  process.exitCode = 2
} else process.exitCode = (await ensureBuilt()) ? await main(...counts) : 2

/** Returns the exit status. */
async function main(rounds, jobs) {
  const laboratory = await loadLaboratory()
  if (laboratory.refusal !== undefined) {
    console.error(`the losses cannot be counted: ${laboratory.refusal}`)
    return 2
  }
  const setting = describeMachine()
  const samples = await measure(laboratory, plan(rounds), jobs)
  const where = `\`npm run losses\`: ${settingLine(setting)} ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`
  const texts = [shortTable(samples), `${longTable(samples)}\n\n${where}`]
  console.log(texts.join('\n\n'))
  const broken = samples.filter(({ failure }) => failure !== undefined)
  for (const { way, contender, failure } of broken) {
    console.error(`${contender.id}, ${way.name}: ${failure}`)
  }
  if (broken.length > 0) return 1
  if (values['no-docs'] || !PAGES.every((page) => hasResults(NAME, page))) return 0
  for (const [at, page] of PAGES.entries()) writeResults(NAME, texts[at], page)
  return 0
}

function plan(rounds) {
  return Array.from({ length: rounds }, (_, round) =>
    WAYS.flatMap((way) => CONTENDERS.map((contender) => ({ round, way, contender }))),
  ).flat()
}

async function measure(laboratory, runs, jobs) {
  const progress = openProgress(runs.length)
  try {
    return await inParallel(runs, jobs, async (run) => {
      progress.begin(`round ${run.round + 1}, ${run.contender.id}: ${run.way.name}`)
      return { ...run, ...(await play(laboratory, run)) }
    })
  } finally {
    progress.close()
  }
}

async function play({ engineOf, parseScenario, runScenario, graceMs }, { round, way, contender }) {
  const { against, replication, client } = contender
  const text = scenarioText(way, { replication, client, isOurs: against === 'vedette' })
  const parsed = parseScenario(text, way.name)
  if (!parsed.ok) throw new Error(`${way.name}: ${parsed.problems[0]?.message}`)
  try {
    const options = { seed: String(round + 1), engine: engineOf(against), graceMs }
    const { facts } = await runScenario(parsed.value, options)
    return countsOf(facts.groups[0])
  } catch (error) {
    return { failure: error.message.split('\n')[0] }
  }
}

function countsOf({ lost, writes }) {
  if (lost === undefined) return { failure: 'the Sentinels did not agree on a master in the end' }
  const gone = lost.byMajority + lost.byCutOff + lost.byDeposed
  return { lost: gone, acknowledged: writes.acknowledged }
}

/** For each contender, in how many of the ways it lost something, and how much. */
function shortTable(samples) {
  const rows = CONTENDERS.map(({ id, title }) => {
    const own = samples.filter(({ contender }) => contender.id === id)
    const ways = new Set(own.filter(({ lost }) => lost > 0).map(({ way }) => way.name))
    const shares = [sumOf(own, 'lost'), sumOf(own, 'acknowledged')]
    return [title, `${ways.size} of ${WAYS.length}`, ...shares.map(whole)]
  })
  return renderTable(['', 'lost something in', 'writes lost', 'acknowledged'], rows)
}

function longTable(samples) {
  const rows = WAYS.map((way) => [
    way.name,
    ...CONTENDERS.map(({ id }) => {
      const own = samples.filter((one) => one.way === way && one.contender.id === id)
      return `${whole(sumOf(own, 'lost'))} of ${whole(sumOf(own, 'acknowledged'))}`
    }),
  ])
  return renderTable(['acknowledged writes lost', ...CONTENDERS.map(({ title }) => title)], rows)
}

function sumOf(samples, field) {
  return samples.reduce((sum, sample) => sum + (sample[field] ?? 0), 0)
}
