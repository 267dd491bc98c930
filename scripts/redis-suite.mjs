/**
 * The tests that Redis ships (Tcl, over the wire), against our programs: `npm run test:redis-suite`. Which tests fail
 * knowingly, and why, stands in scripts/redis-suite/known.mjs; any other failure, and one of those that passes, counts.
 *
 *   node scripts/redis-suite.mjs [--source FOLDER|ARCHIVE] [--units unit/type/list,sentinel] [--jobs 2]
 *                                [--against ours|redis] [--tls] [--logs FOLDER] [--write]
 *
 * Needs Debian's tcl, tcl-tls, redis-tools, redis-server and redis-sentinel. Without `--source`, apt-get fetches the source
 * package. `--against redis` runs the same over redis-server, to see which tests fail on this machine with any server;
 * `--tls` runs each unit over TLS, except the Sentinel's; `--logs` keeps what each unit printed; `--write` writes the table of docs/redis-suite.md.
 * A unit with a surprise is run once more. Exit status 1: a test failed, or passed, that is not known to, twice; 2: wrong
 * options, or an error of its own; 3: this machine lacks the source package or a program.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Lacking } from './apt.mjs'
import { scriptOptions } from './options.mjs'
import { KNOWN, LEFT_OUT, SOMETIMES } from './redis-suite/known.mjs'
import { writePage } from './redis-suite/page.mjs'
import { runSentinels, runUnit } from './redis-suite/run.mjs'
import {
  placeFolder,
  sourceFolder,
  temporaryFolders,
  unitsOf,
  versionOf,
} from './redis-suite/source.mjs'

const options = scriptOptions(import.meta.url, {
  source: { type: 'string' },
  units: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  against: { type: 'string', default: 'ours' },
  tls: { type: 'boolean', default: false },
  logs: { type: 'string' },
  write: { type: 'boolean', default: false },
})

const LACKS_PART = 3
/** Two more: the Sentinel's own tests, over redis-servers and over our data nodes. */
const SENTINEL_UNITS = { sentinel: 'oursOverRedis', 'sentinel/nodes': 'ours' }

process.on('exit', () => {
  for (const folder of temporaryFolders()) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`redis-suite: ${error.message}`)
  process.exitCode = error instanceof Lacking ? LACKS_PART : 2
}

async function main() {
  checkOptions()
  const source = sourceFolder(options.source)
  const units = chosenUnits(source)
  console.log(`Redis ${versionOf(source) ?? 'of unknown version'}, ${units.length} units`)
  const results = await inLanes(units, source)
  const surprises = results.flatMap(surprisesOf)
  for (const { unit, text } of surprises) console.log(`✗ ${unit}: ${text}`)
  console.log(summary(results, surprises))
  if (options.write) writePage(units, results, versionOf(source))
  return surprises.length === 0 ? 0 : 1
}

function checkOptions() {
  if (!['ours', 'redis'].includes(options.against)) {
    throw new Error(`--against is ours or redis, not '${options.against}'`)
  }
  if (!/^[1-9]$/.test(options.jobs)) throw new Error(`--jobs is 1 to 9, not '${options.jobs}'`)
  if (options.logs !== undefined) mkdirSync(options.logs, { recursive: true })
  if (
    options.write &&
    (options.units !== undefined || options.against === 'redis' || options.tls)
  ) {
    throw new Error('--write needs all units, of ours, without --tls')
  }
}

function chosenUnits(source) {
  const all = [...unitsOf(source), ...Object.keys(SENTINEL_UNITS)]
  if (options.units === undefined) return all.filter((unit) => !(unit in LEFT_OUT))
  const wanted = options.units.split(',')
  const unknown = wanted.find((unit) => !all.includes(unit))
  if (unknown === undefined) return wanted
  throw new Error(`--units: there is no unit '${unknown}'; there are ${all.join(', ')}`)
}

/** The Sentinel's tests use ports of their own, and one of the two at a time. */
async function inLanes(units, source) {
  const waiting = units.filter((unit) => !(unit in SENTINEL_UNITS))
  const results = []
  const lanes = Array.from({ length: Number(options.jobs) }, async (_, slot) => {
    const folder = placeFolder(source, options.against)
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      const run = { unit, folder, slot, log: logOf(unit), overTls: options.tls }
      results.push(await settled(() => runUnit(run)))
    }
  })
  await Promise.all(lanes)
  for (const unit of units.filter((name) => name in SENTINEL_UNITS)) {
    const side = options.against === 'redis' ? 'redis' : SENTINEL_UNITS[unit]
    const folder = placeFolder(source, side)
    results.push(await settled(() => runSentinels({ unit, folder, log: logOf(unit) })))
  }
  return results
}

/** Some tests wait a fixed time for something, too short on a busy machine: what surprises has to do so twice. */
async function settled(run) {
  const first = shown(await run())
  return surprisesOf(first).length === 0 ? first : shown(await run())
}

function logOf(unit) {
  return options.logs === undefined
    ? undefined
    : join(options.logs, `${unit.replaceAll('/', '_')}.log`)
}

function shown(result) {
  const { unit, count, failed, wasCut } = result
  const mark = surprisesOf(result).length === 0 ? '✓' : '✗'
  const fails = failed.size === 0 ? '' : `, ${failed.size} failed`
  console.log(`${mark} ${unit}: ${count} passed${fails}${wasCut ? ', ended early' : ''}`)
  return result
}

/** What differs from what is known. */
function surprisesOf({ unit, passed, failed, wasCut }) {
  const [known, sometimes] =
    options.against === 'ours' ? [KNOWN[unit] ?? {}, SOMETIMES[unit] ?? {}] : [{}, {}]
  const texts = []
  for (const [test, seen] of failed) {
    if (!(test in known) && !(test in sometimes))
      texts.push(`${test}\n    ${seen.replaceAll('\n', '\n    ')}`)
  }
  for (const test of Object.keys(known)) {
    if (passed.has(test)) texts.push(`${test}: known to fail, and passed`)
  }
  if (wasCut && !('ends early' in known)) texts.push('the unit did not come to its end')
  return texts.map((text) => ({ unit, text }))
}

function summary(results, surprises) {
  const sum = (count) => results.reduce((total, result) => total + count(result), 0)
  const failed = sum((result) => result.failed.size)
  return `${sum((result) => result.count)} passed, ${failed} failed, ${surprises.length} not as known`
}
