/**
 * Plays scenarios and drawn seeds until one fails, in a process whose machines may hold a planted fault.
 * Told what to do by one argument of JSON; tells what it found in one line of JSON.
 *
 * `{ dist, scenarios: [path], scenarioSeeds, profiles, first, last, likely, only, excluded, isThorough }`: thorough
 * means not to stop at the first failure, and to list them all. `likely`, `only` and `excluded` are lists of
 * places as failures name them (`seed 7`): what is played first, nothing but what is played, and what is not.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { impatient, Violated } from './impatient.mjs'

const task = JSON.parse(process.argv[2])
const { drawRun } = await load('fuzz/draw/draw.js')
const { scenarioOf } = await load('fuzz/run.js')
const { parseScenario } = await load('scenario/parse.js')
const { playScenario } = await load('scenario/run.js')
const { SIM_ENGINE } = await load('scenario/sim-engine.js')
const { drawTranscripts, judgeTranscript } = await load('fuzz/transcripts/judge.js')
const { keptTranscripts } = await load('cli/fuzz/transcript-files.js')

const IMPATIENT_ENGINE = impatient(SIM_ENGINE)

const failures = []
let runs = 0
for await (const failure of hunt()) {
  failures.push(failure)
  if (!task.isThorough) break
}
console.log(JSON.stringify({ runs, failures }))

async function* hunt() {
  const all = new Map(everyRun())
  const likely = (task.likely ?? []).filter((where) => all.has(where))
  for (const where of new Set([...likely, ...all.keys()])) yield* found(where, all.get(where))
}

function* everyRun() {
  for (const path of task.scenarios) {
    for (let seed = 1; seed <= task.scenarioSeeds; seed++) {
      yield [`${basename(path, '.yml')}, seed ${seed}`, () => playFile(path, `${seed}`)]
    }
  }
  for (const profile of task.profiles) {
    const prefix = profile === 'faults' ? '' : `${profile}, `
    for (let seed = task.first; seed <= task.last; seed++) {
      yield [`${prefix}seed ${seed}`, () => playSeed(profile, `${seed}`)]
    }
  }
}

async function* found(where, play) {
  if (task.excluded?.includes(where)) return
  if (task.only?.includes(where) === false) return
  runs++
  const failure = await play()
  if (failure !== undefined) yield { where, checker: failure.checker, text: failure.text }
}

async function playSeed(profile, seed) {
  const plan = drawRun({ seed, profile, detection: undefined })
  return (await play(scenarioOf(plan, seed), seed)) ?? asked(seed)
}

/** As `vedette fuzz` does: a drawn run also asks what a redis-server was asked. */
function asked(seed) {
  for (const transcript of drawTranscripts(seed, keptTranscripts())) {
    const failure = judgeTranscript(transcript)
    if (failure !== undefined) return failure
  }
  return undefined
}

async function playFile(path, seed) {
  const parsed = parseScenario(readFileSync(path, 'utf8'), path)
  if (!parsed.ok) throw new Error(`${path}: ${JSON.stringify(parsed.problems)}`)
  return await play(parsed.value, seed)
}

/** Why it failed; undefined: it did not. */
async function play(file, seed) {
  try {
    const { result } = await playScenario(file, { seed, engine: IMPATIENT_ENGINE })
    const [violation] = result.violations
    if (violation !== undefined) return violation
    const missed = result.expectations.find(({ passed }) => !passed)
    return missed && { checker: missed.text, text: missed.finding }
  } catch (error) {
    return error instanceof Violated ? error.happening : { checker: 'no crash', text: error.stack }
  }
}

function load(file) {
  return import(pathToFileURL(join(task.dist, file)).href)
}
