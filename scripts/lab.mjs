/**
 * What the laboratory has to show before a change lands, and what takes it minutes: its worlds on real
 * sockets and processes, the tests of `npm test` that leave things to chance with more of it, random
 * histories on virtual time, every scenario on real sockets, and a few random histories in real time.
 * `npm run test:lab`; with `-- --part length` only the tests of `npm test`, which continuous integration runs at length
 * anyway; with `-- --part virtual` only what else leaves sockets and processes alone, with `-- --part real` only the
 * rest, so that the two can run beside each other.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptOptions } from './options.mjs'
import { pathOf } from './paths.mjs'
import { captureNode, runNode } from './spawn.mjs'

const options = scriptOptions(import.meta.url, {
  seeds: { type: 'string', default: '1..60' },
  only: { type: 'string', default: '' },
  part: { type: 'string', default: 'all' },
})
const PARTS = ['all', 'length', 'virtual', 'real']
if (!PARTS.includes(options.part)) {
  console.error(`--part is one of ${PARTS.join(', ')}, not '${options.part}'`)
  process.exit(2)
}
const MAIN = pathOf('dist/launch/vedette.cjs')
/** More worlds in one process would make each other late. */
const JOBS_PER_PROCESS = 4
const PROCESSES = 2
const GRACE = '1500ms'
/** Half a minute each. They mostly wait, but too many clusters at the same time make each other late. */
const IN_REAL_TIME = [
  ['--engine', 'tcp', '--seeds', '1..6', '--jobs', '3'],
  ['--engine', 'process', '--seeds', '9..9'],
]
/** This machine has no namespaces to play with; the program has said which. */
const NOTHING_PLAYED = 3
const VITEST = 'node_modules/vitest/vitest.mjs'

/** Those need no socket and no other process, only a processor. */
const VIRTUAL_WORLDS = ['crash', 'hostile', 'long-life'].map((name) => `test/lab/${name}.test.ts`)

const STEPS = [
  {
    name: 'the worlds on real sockets and processes',
    part: 'real',
    run: () => runTests(['--reporter=default', '--project', 'lab', ...excluding(VIRTUAL_WORLDS)]),
  },
  {
    name: 'chance at length, beside redis-server',
    part: 'length',
    run: () => atLength(['--project', 'net', ...sizedTests('test/diff')]),
  },
  { name: 'scenarios on real sockets', part: 'real', run: scenariosOnSockets },
  { name: 'random histories in real time', part: 'real', run: historiesInRealTime },
  {
    name: 'random histories',
    part: 'virtual',
    run: () => runNode([MAIN, 'fuzz', '--seeds', options.seeds]),
  },
  {
    name: 'power cuts and mutated bytes',
    part: 'virtual',
    run: () => runTests(['--reporter=default', '--project', 'lab', ...VIRTUAL_WORLDS]),
  },
  {
    name: 'chance at length, in virtual time',
    part: 'length',
    run: () => atLength(['--project', 'fast', ...sizedTests('test')]),
  },
]

/** Told once more at the end: of a long log often only the end is kept. */
const failedTests = []
let failed = 0
const steps = STEPS.filter(({ part }) => options.part === 'all' || part === options.part)
for (const { name, run } of steps) {
  const startedMs = Date.now()
  const status = await run()
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (status !== 0) failed++
}
for (const name of failedTests) console.log(`✗ ${name}`)
console.log(`${steps.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function excluding(files) {
  return files.flatMap((file) => ['--exclude', file])
}

/** The tests that take their size from support/sized.ts: for the others nothing would change. */
function sizedTests(folder) {
  const files = readdirSync(pathOf(folder), { recursive: true }).map((file) => `${folder}/${file}`)
  const sized = files.filter(
    (file) =>
      file.endsWith('.test.ts') && readFileSync(pathOf(file), 'utf8').includes('support/sized.ts'),
  )
  if (sized.length === 0) throw new Error(`no test under ${folder} uses support/sized.ts`)
  return sized
}

/** The same tests as in `npm test`, with the sizes that take longer. */
function atLength(args) {
  return runTests(['--reporter=dot', '--silent=passed-only', ...args], { VEDETTE_LONG: '1' })
}

async function runTests(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-lab-'))
  const report = join(folder, 'report.json')
  const reporter = ['--reporter=json', `--outputFile.json=${report}`]
  const status = await runNode([VITEST, 'run', ...reporter, ...args], { env })
  if (status !== 0) failedTests.push(...failuresIn(report))
  rmSync(folder, { recursive: true })
  return status
}

/** Nothing if the run ended before it could report. */
function failuresIn(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const failures = testResults.filter(({ status }) => status === 'failed')
    return failures.flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed')
      return tests.length === 0
        ? [`${name}: ${message}`]
        : tests.map(
            (test) => `${name}: ${test.fullName}\n    ${test.failureMessages[0]?.slice(0, 500)}`,
          )
    })
  } catch (error) {
    return [`no report of the tests: ${error.message}`]
  }
}

async function historiesInRealTime() {
  const runs = IN_REAL_TIME.map((options) => runNode([MAIN, 'fuzz', ...options]))
  const statuses = await Promise.all(runs)
  return statuses.every((status) => status === 0 || status === NOTHING_PLAYED) ? 0 : 1
}

async function scenariosOnSockets() {
  const files = readdirSync(pathOf('scenarios'))
    .filter((file) => file.endsWith('.yml') && file.includes(options.only))
    .map((file) => `scenarios/${file}`)
  const shares = Array.from({ length: PROCESSES }, (_, share) =>
    files.filter((_file, index) => index % PROCESSES === share),
  )
  const runs = await Promise.all(shares.map((share) => play(share, JOBS_PER_PROCESS)))
  const results = runs.flat()
  const late = results.filter(isLate).map(({ file }) => file)
  // Once more, alone: runs that were late only because the machine was busy are on time then.
  const again = late.length === 0 ? [] : await play(late, 1)
  const settled = [...results.filter((result) => !isLate(result)), ...again]
  const wrong = settled.filter(({ verdict }) => verdict === 'failed')
  for (const result of wrong) tell(result)
  const twice = late.length === 0 ? '' : `, ${late.length} at the second try: ${late.join(' ')}`
  const skipped = settled.filter(({ verdict }) => verdict === 'skipped').map(({ file }) => file)
  const left = skipped.length === 0 ? '' : `, not for sockets: ${skipped.join(' ')}`
  const held = settled.length - wrong.length - skipped.length
  console.log(`  ${held} of ${files.length} scenarios hold${twice}${left}`)
  return wrong.length === 0 && settled.length === files.length ? 0 : 1
}

async function play(files, jobs) {
  if (files.length === 0) return []
  const options = ['--engine', 'tcp', '--jobs', `${jobs}`, '--grace', GRACE, '--json']
  const { status, output } = await captureNode([MAIN, 'scenario', 'run', ...files, ...options])
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length !== files.length) console.log(`exit status ${status}\n${output.slice(-2_000)}`)
  return lines.map((line) => JSON.parse(line))
}

/** A checker's finding is never blamed on a busy machine. */
function isLate({ verdict, violations }) {
  return verdict === 'failed' && violations.length === 0
}

function tell({ file, expectations, violations }) {
  console.log(`  ✗ ${file}`)
  for (const { text, passed, finding } of expectations) {
    if (!passed) console.log(`      ${text}: ${finding}`)
  }
  for (const { checker, text } of violations) console.log(`      ${checker}: ${text}`)
}
