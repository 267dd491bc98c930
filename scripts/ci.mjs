/**
 * What CI runs after `npm test`: everything that takes minutes, in two lanes beside each other. One holds
 * real processes, which mostly wait; the other computes first, and takes only the time that the first one
 * leaves, and then runs what else is real. The output of a step is shown when it is over, so that the two
 * do not mix, and what failed is shown once more at the end, because of a long log often only its last
 * kilobytes are kept.
 *
 *   node scripts/ci.mjs [--limit MINUTES]
 *
 * `--limit` bounds one step, in which the computing lane may get little of the processor for a long time. Exit status
 * 1: a step failed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { scriptOptions } from './options.mjs'
import { endWithParents } from './parents.mjs'
import { captureNode } from './spawn.mjs'

const options = scriptOptions(import.meta.url, { limit: { type: 'string', default: '40' } })
const LIMIT_MS = Number(options.limit) * 60_000
/** Of a step that passed only the end is shown, which tells how much it has seen. */
const END_OF_PASSED = { lines: 15, characters: 2_000 }
const END_OF_FAILED = { lines: 400, characters: 100_000 }
const END_OF_FAILED_AGAIN = { lines: 100, characters: 7_000 }

const { PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--silent=passed-only', '--project']
const LAB = ['scripts/lab.mjs', '--part']
/** The units that are quick and leave little to the clock; `npm run test:redis-suite` runs all. */
const SUITE_UNITS = [
  'unit/type/string',
  'unit/type/incr',
  'unit/type/list',
  'unit/type/list-2',
  'unit/type/set',
  'unit/type/zset',
  'unit/type/hash',
  'unit/type/stream',
  'unit/type/stream-cgroups',
  'unit/keyspace',
  'unit/scan',
  'unit/protocol',
  'unit/pubsub',
  'sentinel',
]
/** A part of what `npm run test:lab` plays: this lane has to be over with the other one. */
const VIRTUAL_SEEDS = '1..12'
const REDIS_SUITE = ['scripts/redis-suite.mjs', '--units', SUITE_UNITS.join(',')]
/** A fleet that moves and the commands that are compared; all of `npm run test:newer` takes too long. */
const NEWER_TESTS = ['diff/newer', 'diff/newer-data', 'peers/migration', 'peers/restarted-replica']
const NEWER_PEERS = [
  'scripts/newer-peers.mjs',
  '--tests',
  NEWER_TESTS.map((name) => `test/${name}.test.ts`).join(','),
]
/** Their exit status where a package of Redis, or a program, cannot be had. */
const LACKS_PART = 3

const LANES = [
  [
    { name: 'test:net', args: [...VITEST, 'peers'] },
    { name: 'test:attack', args: [...VITEST, 'attack'] },
    { name: 'test:doors', args: [...VITEST, 'doors'] },
    { name: 'test:lab, what is real', args: [...LAB, 'real'] },
  ],
  [
    {
      name: 'test:lab, what is virtual',
      args: [...LAB, 'virtual', '--seeds', VIRTUAL_SEEDS],
      priority: PRIORITY_LOW,
    },
    { name: 'test:mutants', args: ['scripts/mutants.mjs', '--half'], priority: PRIORITY_LOW },
    { name: 'bench:guard', args: ['bench/guard.mjs'], priority: PRIORITY_LOW },
    // Real processes, too; the other lane is the longer one and mostly waits when these begin.
    { name: 'test:redis-suite', args: REDIS_SUITE, lacking: LACKS_PART },
    { name: 'test:newer', args: NEWER_PEERS, lacking: LACKS_PART },
  ],
]

let processorSecondsOfEnded = 0

endWithParents()
const results = (await Promise.all(LANES.map(runLane))).flat()
for (const { name, output, hasPassed } of results) {
  if (!hasPassed)
    console.log(`\n--- ${name}, the end once more\n${endOf(output, END_OF_FAILED_AGAIN)}`)
}
console.log('')
for (const { line } of results) console.log(line)
process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1

async function runLane(steps) {
  const done = []
  for (const step of steps) done.push(await runStep(step))
  return done
}

async function runStep({ name, args, lacking, priority = PRIORITY_NORMAL }) {
  const startedMs = Date.now()
  let isLate = false
  let timer
  const onSpawn = (child) => {
    setPriority(child.pid, priority)
    timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, LIMIT_MS)
  }
  const { status, output } = await captureNode(args, { onSpawn })
  clearTimeout(timer)
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  const computed = Math.round(processorSeconds())
  const isLacking = status === lacking
  const hasPassed = status === 0 || isLacking
  const mark = isLacking ? '– not run:' : hasPassed ? '✓' : '✗'
  const line = `${mark} ${name} (${seconds} s, ${computed} s of processor)${isLate ? `: not over after ${options.limit} minutes` : ''}`
  console.log(`\n--- ${name}\n${endOf(output, hasPassed ? END_OF_PASSED : END_OF_FAILED)}\n${line}`)
  return { name, line, output, hasPassed }
}

/**
 * What the step used that has just ended, with all that it started. Linux adds the time of a child to its
 * parent's when the child has ended (proc(5): cutime and cstime, in hundredths); elsewhere 0.
 */
function processorSeconds() {
  if (!existsSync('/proc/self/stat')) return 0
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const total = (Number(fields[13]) + Number(fields[14])) / 100
  const ofStep = total - processorSecondsOfEnded
  processorSecondsOfEnded = total
  return ofStep
}

function endOf(output, { lines, characters }) {
  return output.trimEnd().split('\n').slice(-lines).join('\n').slice(-characters)
}
