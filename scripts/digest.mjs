/**
 * A digest of everything that happens in every shipped scenario and in so many drawn histories: a change
 * that must not change behaviour leaves all of them as they were.
 *
 *   npm run digest -- --write before.txt                  # on the code as it was
 *   npm run digest -- --against before.txt                # on the code as it is
 *   npm run digest -- [--seeds 1..500] [--jobs N]         # prints them
 *
 * Exit status 1: a run differs, or one of the two sides does not have it; 2: an option makes no sense.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf, scenarioFiles } from './paths.mjs'
import { captureNode } from './spawn.mjs'

const options = scriptOptions(import.meta.url, {
  seeds: { type: 'string', default: '1..500' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  write: { type: 'string' },
  against: { type: 'string' },
  /** Used between this program and its own processes: which share of the runs to play. */
  share: { type: 'string' },
})

endWithParents()
process.exitCode = options.share === undefined ? await compareAll() : await playShare(options.share)

async function compareAll() {
  if (!/^\d+\.\.\d+$/.test(options.seeds) || !/^[1-9]\d*$/.test(options.jobs)) {
    console.error('digest: --seeds takes first..last, as 1..500, and --jobs a number from 1 on')
    return 2
  }
  // Before minutes are spent on runs that there is nothing to compare with.
  const before = options.against === undefined ? undefined : readFileSync(options.against, 'utf8')
  if (!(await ensureBuilt())) return 1
  const jobs = Number(options.jobs)
  const shares = await Promise.all(
    Array.from({ length: jobs }, (_, index) => playElsewhere(`${index}/${jobs}`)),
  )
  const lines = shares.flat().sort()
  if (options.write !== undefined) writeFileSync(options.write, `${lines.join('\n')}\n`)
  if (before === undefined && options.write === undefined) console.log(lines.join('\n'))
  return before === undefined ? 0 : reportAgainst(before, lines)
}

async function playElsewhere(share) {
  const args = [pathOf('scripts/digest.mjs'), '--share', share, '--seeds', options.seeds]
  const { status, output } = await captureNode(args)
  if (status !== 0) throw new Error(`a share of the runs could not be played:\n${output}`)
  return output.trimEnd().split('\n')
}

function reportAgainst(text, lines) {
  const before = new Set(text.trimEnd().split('\n'))
  const now = new Set(lines)
  const gone = [...before].filter((line) => !now.has(line))
  const come = [...now].filter((line) => !before.has(line))
  for (const line of gone) console.log(`- ${line}`)
  for (const line of come) console.log(`+ ${line}`)
  console.log(`${lines.length - come.length} of ${before.size} runs are as they were`)
  return gone.length + come.length === 0 ? 0 : 1
}

/** One line per run: its name and the digest of its trace. */
async function playShare(share) {
  const [index, count] = share.split('/').map(Number)
  const { runSeed, traceHash } = await load('fuzz/run.js')
  const { parseScenario } = await load('scenario/parse.js')
  const { playScenario } = await load('scenario/run.js')
  const [first, last] = options.seeds.split('..').map(Number)
  const seeds = Array.from({ length: last - first + 1 }, (_, at) => `${first + at}`)
  const runs = [
    ...scenarioFiles().map((path) => [path, () => playFile(path)]),
    ...seeds.map((seed) => [`seed ${seed}`, async () => (await runSeed(seed)).traceHash]),
  ]
  for (const [name, play] of runs.filter((_run, at) => at % count === index)) {
    console.log(`${name} ${await play()}`)
  }
  return 0

  async function playFile(path) {
    const parsed = parseScenario(readFileSync(pathOf(path), 'utf8'), path)
    if (!parsed.ok) throw new Error(`${path}: ${JSON.stringify(parsed.problems)}`)
    return traceHash((await playScenario(parsed.value, { seed: '1' })).history)
  }
}

function load(file) {
  return import(pathToFileURL(pathOf(`dist/${file}`)).href)
}
