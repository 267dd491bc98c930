/**
 * Has a command become dearer? Counts what each command allocates, in this build and in one before it, and fails
 * if one allocates more than it may. Unlike times, these counts hardly depend on the machine or its load, and
 * what is allocated is what a data node in JavaScript pays for twice: when it is made and when it is collected.
 *
 *   npm run bench:guard                                  # beside the counts kept in bench/guard/kept.json, as CI does
 *   npm run bench:guard -- --keep                        # keeps the counts of this build
 *   npm run bench:guard -- --against ../before/dist      # beside another build, counted in the same run
 *
 * Counts differ from one release of Node to the next, so those kept are compared under the major release they were
 * kept with alone.
 *
 * Exit status 1: a command allocates too much; 2: an option makes no sense, or there is nothing to compare with.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { pathOf } from '../scripts/paths.mjs'
import { renderTable } from './support/table.mjs'

/** Compiled at the same moments in every run, and nothing is collected while it counts. */
const FLAGS = ['--expose-gc', '--single-threaded']
const ROOM = ['--min-semi-space-size=64', '--max-semi-space-size=64']
/** Few commands differ between two runs of one build, by up to a tenth, and the least of three by a few objects. */
const ROUNDS = 3
const MORE_ALLOWED = 1.1
const BYTES_ALLOWED = 32
const KEPT = pathOf('bench/guard/kept.json')
const NODE = Number.parseInt(process.versions.node, 10)

const { against, dist, json, keep } = new Command('bench:guard')
  .description('counts what each command allocates, and compares it with an earlier build')
  .option(
    '--against <folder>',
    'compare with the build in this dist folder, not with the kept counts',
  )
  .option('--dist <folder>', 'the build to measure', pathOf('dist'))
  .option('--keep', 'keep the counts of this build, for later ones to be compared with')
  .option('--json', 'print the counts as JSON')
  .addHelpText('after', '\nExample:\n  npm run bench:guard -- --against ../before/dist')
  .parse()
  .opts()

const ours = countsOf(dist)
const before = against === undefined ? keptCounts() : countsOf(against)
if (ours !== undefined && keep) keepCounts(ours)
else if (ours !== undefined && before !== undefined) report(ours, before)

function keptCounts() {
  if (keep) return {}
  const { node, counts } = JSON.parse(readFileSync(KEPT, 'utf8'))
  if (node === NODE) return counts
  return fail(
    `bench/guard/kept.json was counted with Node ${node}, and this is ${NODE}: use that one, or --against`,
  )
}

function keepCounts(counts) {
  writeFileSync(KEPT, `${JSON.stringify({ node: NODE, counts }, null, 2)}\n`)
  console.log(shown(counts, counts))
}

/** The least of all rounds: what a run counts beyond it is the engine's, and not the command's. */
function countsOf(folder) {
  if (!existsSync(join(folder, 'server', 'node.js'))) {
    return fail(`${resolve(folder)} is no build: run npm run build there, and name its dist folder`)
  }
  const rounds = Array.from({ length: ROUNDS }, () => countOnce(folder))
  if (rounds.includes(undefined)) return undefined
  const commands = Object.keys(rounds[0])
  return Object.fromEntries(
    commands.map((command) => [command, Math.min(...rounds.map((counts) => counts[command]))]),
  )
}

function countOnce(folder) {
  const script = pathOf('bench/guard/count.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...FLAGS, ...ROOM, script, resolve(folder)],
    { encoding: 'utf8' },
  )
  return status === 0 ? JSON.parse(stdout) : fail(`${resolve(folder)}: ${stderr.trim()}`)
}

function fail(text) {
  console.error(`bench:guard: ${text}`)
  process.exitCode = 2
}

function report(now, then) {
  const dearer = Object.keys(now).filter((command) => isDearer(now[command], then[command]))
  if (json) console.log(JSON.stringify({ now, before: then, dearer }))
  else console.log(shown(now, then))
  for (const command of dearer) {
    console.error(
      `bench:guard: ${command} allocates ${now[command]} bytes, ${then[command]} before`,
    )
  }
  if (dearer.length > 0) process.exitCode = 1
}

/** A command that the other build did not count has nothing to be compared with. */
function isDearer(bytes, bytesBefore) {
  if (bytesBefore === undefined) return false
  return bytes > Math.max(bytesBefore * MORE_ALLOWED, bytesBefore + BYTES_ALLOWED)
}

function shown(now, then) {
  const rows = Object.entries(now).map(([command, bytes]) => {
    const old = then[command]
    const ratio = old === undefined ? '–' : (bytes / old).toFixed(2)
    return [command, String(old ?? '–'), String(bytes), ratio]
  })
  return renderTable(['command', 'before', 'now', 'ratio'], rows)
}
