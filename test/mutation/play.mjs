/**
 * Plays drawn seeds and scenarios one after the other, in a process whose machines may be changed, and tells
 * of each as soon as it is over, in one line of JSON:
 * `{ kind, name, cpuMs, finding, hash, executed }`. `hash` is that of the whole history, `finding` what a
 * judge said. The second failure of one kind tells nothing new, so the rest of that kind is not played.
 *
 * Told what to play by one argument of JSON: `{ dist, plays: [{ kind, name }] }`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { impatient, Violated } from '../mutants/impatient.mjs'
import { takeCoverage } from './coverage.mjs'

const { dist, plays } = JSON.parse(process.argv[2])
const placesFile = process.env.VEDETTE_PLACES
const places = placesFile && JSON.parse(readFileSync(placesFile, 'utf8'))
const { drawPlan } = await load('fuzz/draw/draw.js')
const { scenarioOf, traceHash } = await load('fuzz/run.js')
const { parseScenario } = await load('scenario/parse.js')
const { playScenario } = await load('scenario/run.js')
const { SIM_ENGINE } = await load('scenario/sim-engine.js')
const { drawTranscripts, judgeTranscript } = await load('fuzz/transcripts/judge.js')
const { keptTranscripts } = await load('cli/fuzz/transcript-files.js')

const IMPATIENT_ENGINE = impatient(SIM_ENGINE)

if (places) takeCoverage(places)
const failed = new Set()
for (const { kind, name } of plays) {
  if (failed.has(kind)) continue
  const before = process.cpuUsage()
  const { finding, hash } = await play(kind, name)
  const { user, system } = process.cpuUsage(before)
  const executed = places && takeCoverage(places)
  const cpuMs = Math.round((user + system) / 1_000)
  console.log(JSON.stringify({ kind, name, cpuMs, finding, hash, executed }))
  if (finding !== undefined) failed.add(kind)
}

async function play(kind, name) {
  try {
    const [file, seed] = kind === 'seeds' ? [drawn(name), name] : [read(name), '1']
    const { result, history } = await playScenario(file, { seed, engine: IMPATIENT_ENGINE })
    const missed = result.expectations.find(({ passed }) => !passed)
    const isAsked = kind === 'seeds' && result.violations.length === 0 && missed === undefined
    const finding =
      result.violations[0]?.checker ?? missed?.text ?? (isAsked ? asked(name) : undefined)
    return { finding, hash: traceHash(history) }
  } catch (error) {
    if (error instanceof Violated) return { finding: error.happening.checker, hash: '' }
    const at = /dist\/\S+/.exec(error.stack)?.[0] ?? ''
    return { finding: `no crash: ${error.message.slice(0, 80)} ${at}`, hash: '' }
  }
}

/** As `vedette fuzz` does: a drawn run also asks what a redis-server was asked. */
function asked(seed) {
  const failures = drawTranscripts(seed, keptTranscripts()).map(judgeTranscript)
  return failures.find((failure) => failure !== undefined)?.checker
}

function drawn(seed) {
  return scenarioOf(drawPlan(seed), seed)
}

function read(path) {
  const parsed = parseScenario(readFileSync(path, 'utf8'), path)
  if (!parsed.ok) throw new Error(`${path}: ${JSON.stringify(parsed.problems)}`)
  return parsed.value
}

function load(file) {
  return import(pathToFileURL(join(dist, file)).href)
}
