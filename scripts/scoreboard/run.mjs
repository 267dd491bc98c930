/** Plays scenarios, and keeps of each run what the scoreboard shows. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { openProgress } from '../../bench/support/progress.mjs'
import { pathOf } from '../paths.mjs'

const FOLDER = 'scenarios'
export const CONTENDERS = ['vedette', 'redis']

/** The built programs; `refusal` is why nothing at all can run here. */
export async function loadLaboratory() {
  const engine = await import(pathOf('dist/engine/process/engine.js'))
  const { parseScenario } = await import(pathOf('dist/scenario/parse.js'))
  const { runScenario } = await import(pathOf('dist/scenario/run.js'))
  const { GRACE_MS } = await import(pathOf('dist/cli/scenario/engines.js'))
  const refusals = CONTENDERS.map((against) => engine.processEngineRefusal(against))
  return {
    refusal: refusals.find((reason) => reason !== undefined),
    engineOf: (against) => engine.createProcessEngine({ against }),
    parseScenario,
    runScenario,
    graceMs: GRACE_MS.process,
  }
}

/** All scenarios that can run here, and the others with the reason. */
export function readScenarios({ engineOf, parseScenario }, only) {
  const names = readdirSync(pathOf(FOLDER))
    .filter((name) => name.endsWith('.yml'))
    .filter((name) => only.length === 0 || only.some((word) => name.includes(word)))
    .sort()
  const judged = names.map((name) => {
    const file = readScenario(`${FOLDER}/${name}`, parseScenario)
    return { file, reason: engineOf('redis').refusal(file) }
  })
  return {
    files: judged.filter(({ reason }) => reason === undefined).map(({ file }) => file),
    skipped: judged.filter(({ reason }) => reason !== undefined),
  }
}

function readScenario(path, parseScenario) {
  const parsed = parseScenario(readFileSync(pathOf(path), 'utf8'), path)
  if (parsed.ok) return parsed.value
  throw new Error(`${path}: ${parsed.problems[0]?.message}`)
}

/** Everything to be run, in order. Each round begins with the other contender. */
export function plan(files, rounds) {
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed()
    for (const file of files) {
      for (const contender of order) runs.push({ round, file, contender })
    }
  }
  return runs
}

/** Runs them, `jobs` at a time; a run that breaks is reported and kept as such. */
export async function measure(laboratory, runs, jobs) {
  const progress = openProgress(runs.length)
  const samples = []
  let next = 0
  const work = async () => {
    while (next < runs.length) {
      const run = runs[next]
      next++
      const title = `round ${run.round + 1}, ${basename(run.file.file)}, ${run.contender}`
      progress.begin(title)
      const sample = await sampleOf(run, laboratory)
      samples.push(sample)
      if (!process.stderr.isTTY)
        console.error(`${samples.length}/${runs.length} ${title}: ${sample.verdict}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: jobs }, work))
  } finally {
    progress.close()
  }
  return samples
}

async function sampleOf({ round, file, contender }, { engineOf, runScenario, graceMs }) {
  const head = { round, contender, scenario: basename(file.file), name: file.name }
  try {
    const engine = engineOf(contender)
    const result = await runScenario(file, { seed: String(round + 1), engine, graceMs })
    return { ...head, ...factsOf(result) }
  } catch (error) {
    return { ...head, verdict: 'broken', unmet: [error.message.split('\n')[0]] }
  }
}

function factsOf({ verdict, facts, expectations, violations }) {
  const { groups } = facts
  return {
    verdict,
    worstClientMs: largest(groups.flatMap(({ outages }) => outages.map(lengthOf))),
    nobodyMs: largest(groups.map(({ longestOutageMs }) => longestOutageMs)),
    dualMs: largest(groups.map(({ dualWritesTotalMs }) => dualWritesTotalMs)),
    lost: groups.some(({ lost }) => lost === undefined) ? undefined : sum(groups.map(countLost)),
    failovers: sum(groups.map(({ failovers }) => failovers)),
    unmet: [
      ...expectations.filter(({ passed }) => !passed).map(({ text }) => text),
      ...violations.map(({ checker, text }) => `${checker}: ${text}`),
    ],
  }
}

function lengthOf({ fromMs, untilMs }) {
  return untilMs - fromMs
}

function countLost({ lost }) {
  return lost.byMajority + lost.byCutOff + lost.byDeposed
}

function largest(values) {
  return Math.max(0, ...values)
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
