/**
 * Shows that the laboratory can tell: every planted fault of test/mutants must be found within so many
 * seeds, and the machines as they are must pass where it was found.
 *
 *   node scripts/mutants.mjs [--seeds 1..200] [--jobs N] [--only NAME,NAME] [--half] [--minutes M] [--json] [--remember]
 *
 * Each hunt begins where the fault was found the last time (test/mutants/found-at.json, which `--remember`
 * writes): a place that has gone stale costs time and nothing else. `--minutes` bounds the time of one
 * mutant. `--half` plays every other one, and the commit says which half: CI has no time for all. Exit status 1: one survived, or something fails without any.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inParallel } from '../bench/support/parallel.mjs'
import { problemsIn } from '../test/mutants/check.mjs'
import { MUTANTS } from '../test/mutants/list.mjs'
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf } from './paths.mjs'

const SCENARIO_SEEDS = 10
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../test/mutants')
const HOOK = pathToFileURL(join(FOLDER, 'hook.mjs')).href
const HUNT = join(FOLDER, 'hunt.mjs')
const FOUND_AT = join(FOLDER, 'found-at.json')

const values = scriptOptions(import.meta.url, {
  seeds: { type: 'string', default: '1..200' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  minutes: { type: 'string', default: '20' },
  only: { type: 'string' },
  half: { type: 'boolean', default: false },
  /** Compiled files in another folder; they are not built then. */
  dist: { type: 'string' },
  /** Seeds that fail without a mutant are looked for first and left out, instead of ending the run. */
  tolerant: { type: 'boolean', default: false },
  /** Drawn seeds only, without the scenarios that mutants name. */
  drawn: { type: 'boolean', default: false },
  /** Writes where each was found, for the next run. */
  remember: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
})
const [first, last] = values.seeds.split('..').map(Number)
const jobs = Number(values.jobs)
const limitMs = Number(values.minutes) * 60_000
const dist = values.dist ?? pathOf('dist')

endWithParents()
process.exitCode = await main()

async function main() {
  if (values.dist === undefined && !(await ensureBuilt())) return 1
  const problems = problemsIn(dist)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) return 1
  const wanted = values.only?.split(',')
  const unknown = wanted?.filter((name) => !MUTANTS.some((mutant) => mutant.name === name)) ?? []
  if (unknown.length > 0) {
    console.error(`no mutant is called ${unknown.join(', ')}; test/mutants has their names`)
    return 1
  }
  const chosen = MUTANTS.filter(({ name }) => wanted === undefined || wanted.includes(name))
  const mutants = values.half ? halfOf(chosen) : chosen
  const foundAt = JSON.parse(readFileSync(FOUND_AT, 'utf8'))
  const excluded = values.tolerant ? placesOf(await findFailingWithout(mutants)) : []
  const verdicts = await inParallel(mutants, jobs, (mutant) =>
    tryMutant(mutant, excluded, foundAt[mutant.name]),
  )
  const caught = verdicts.filter(({ isCaught }) => isCaught)
  const failing = await findFailingWithout(mutants, placesOf(caught))
  report(verdicts, failing)
  if (values.remember) remember(foundAt, caught)
  return failing.length === 0 && caught.length === verdicts.length ? 0 : 1
}

/** By chance, and the same when a commit is tested again. */
function halfOf(mutants) {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: pathOf('.'), encoding: 'utf8' })
  const commit = stdout?.trim() ?? ''
  const rest = commit === '' ? 0 : Number.parseInt(commit.at(-1), 16) % 2
  console.log(`every other mutant, from number ${rest + 1} on: commit ${commit || 'unknown'}`)
  return mutants.filter((_, at) => at % 2 === rest)
}

function placesOf(findings) {
  return findings.map(({ where }) => where)
}

/** Only what the list still holds, in its order. */
function remember(foundAt, caught) {
  const now = { ...foundAt, ...Object.fromEntries(caught.map(({ name, where }) => [name, where])) }
  const kept = MUTANTS.filter(({ name }) => name in now).map(({ name }) => [name, now[name]])
  writeFileSync(FOUND_AT, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`)
}

/** Plays scenarios and seeds without a mutant: every one, or those at the given places. */
async function findFailingWithout(mutants, only) {
  const scenarios = [...new Set(mutants.flatMap(scenariosOf))]
  const share = Math.ceil((last - first + 1) / jobs)
  const parts = Array.from({ length: jobs }, (_, index) => ({
    scenarios: scenarios.filter((_path, at) => at % jobs === index),
    profiles: [...new Set(mutants.map(profileOf))],
    first: first + index * share,
    last: Math.min(last, first + (index + 1) * share - 1),
    only,
    isThorough: true,
  }))
  const found = await inParallel(parts, jobs, (part) => hunt('', part))
  return found.flatMap(({ failures, problem }) => {
    return problem === undefined
      ? failures
      : [{ where: 'the run', checker: 'no crash', text: problem }]
  })
}

async function tryMutant(mutant, excluded, likely) {
  const startedAtMs = performance.now()
  const drawn = { profiles: [profileOf(mutant)], first, last }
  const part = { scenarios: scenariosOf(mutant), ...drawn, excluded, likely: [likely] }
  const { runs = 0, failures = [], problem } = await hunt(mutant.name, part)
  const tookMs = performance.now() - startedAtMs
  const [catching] = failures
  const where = catching?.where ?? ''
  // An exception in the machines is a failure that the hunt reports. If the hunt itself breaks, nothing
  // is shown.
  const checker = catching?.checker ?? problem ?? ''
  const isCaught = catching !== undefined
  const verdict = { name: mutant.name, isCaught, where, checker, runs, tookMs }
  if (!values.json) console.log(lineOf(verdict))
  return verdict
}

function scenariosOf({ scenarios = [] }) {
  if (values.drawn) return []
  return scenarios.map((path) => join(FOLDER, 'scenarios', path))
}

/** What its seeds are drawn from. */
function profileOf({ profile = 'faults' }) {
  return profile
}

/** One process with one mutant, or none. */
function hunt(mutant, part) {
  const task = JSON.stringify({ dist, scenarioSeeds: SCENARIO_SEEDS, ...part })
  const env = { ...process.env, VEDETTE_MUTANT: mutant }
  const child = spawn(process.execPath, ['--import', HOOK, HUNT, task], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, limitMs)
    child.on('close', (status) => {
      clearTimeout(timer)
      if (isLate) resolve({ problem: 'nothing was found in time' })
      else if (status !== 0) resolve({ problem: `the hunt itself broke, status ${status}` })
      else resolve(JSON.parse(output))
    })
  })
}

function report(verdicts, failing) {
  for (const { where, checker, text } of failing) {
    console.error(`without any mutant, ${where} fails: ${checker}: ${text}`)
  }
  if (values.json) {
    console.log(JSON.stringify(verdicts, undefined, 2))
    return
  }
  const survivors = verdicts.filter(({ isCaught }) => !isCaught)
  console.log(`${verdicts.length - survivors.length} of ${verdicts.length} mutants caught`)
  for (const { name } of survivors) console.log(`SURVIVED: ${name}`)
}

function lineOf({ name, isCaught, where, checker, runs, tookMs }) {
  const seconds = `${(tookMs / 1_000).toFixed(1)} s`
  if (!isCaught) return `${name.padEnd(42)} SURVIVED ${runs} runs, ${seconds} ${checker}`
  return `${name.padEnd(42)} ${checker.padEnd(40)} ${where}, ${seconds}`
}
