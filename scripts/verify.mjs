/**
 * Everything that can be checked, counted as one: types, style, and the tests. The last line is the
 * verdict, alone on its line, so that a person and a script read the same.
 */
import { build } from './build.mjs'
import { captureNode, runNode } from './spawn.mjs'

const TSC = 'node_modules/typescript/bin/tsc'
const BIOME = 'node_modules/@biomejs/biome/bin/biome'
const VITEST = 'node_modules/vitest/vitest.mjs'

/** Each counts as one test. The first is the build that the process tests run. */
const STATIC_CHECKS = [
  ['src compiles', buildCheck],
  ['the pure folders know no Node', () => captureNode([TSC, '-p', 'tsconfig.core.json'])],
  ['tests and benches type-check', () => captureNode([TSC, '-p', 'tsconfig.test.json'])],
  ['style and lint', () => captureNode([BIOME, 'check', '--error-on-warnings'])],
]

/** Every test was skipped, or none was chosen: that must not look like a pass. all-skipped-reporter.mjs says so. */
const EXIT_NOTHING_TESTED = 3

/** Runs the static checks and then vitest with these arguments. Resolves to the exit status. */
export async function runChecks(vitestArgs) {
  const { counts, isBuilt } = await runStaticChecks()
  // Process tests would run an old build, which proves nothing.
  if (!isBuilt) console.log('the process tests are left out: there is no build to run them on')
  const tests = await runVitest(isBuilt ? vitestArgs : ['--project', 'fast'])
  add(counts, tests)
  console.log(verdict(counts))
  if (counts.failed > 0) return 1
  return tests.passed === 0 ? EXIT_NOTHING_TESTED : 0
}

async function runStaticChecks() {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const results = await Promise.all(STATIC_CHECKS.map(([, check]) => check()))
  results.forEach(({ status, output }, at) => {
    const [name] = STATIC_CHECKS[at]
    console.log(`${status === 0 ? '✓' : '✗'} ${name}`)
    if (status !== 0) console.log(output)
    counts[status === 0 ? 'passed' : 'failed']++
  })
  return { counts, isBuilt: results[0].status === 0 }
}

async function buildCheck() {
  const { isBuilt, output } = await build()
  return { status: isBuilt ? 0 : 1, output }
}

const ALL_SKIPPED = '--reporter=./scripts/all-skipped-reporter.mjs'

/** The reporter writes its counts to a separate pipe, so that no output can be mistaken for them. */
async function runVitest(args) {
  let text = ''
  const reporters = ['--reporter=default', '--reporter=./scripts/count-reporter.mjs', ALL_SKIPPED]
  const status = await runNode([VITEST, 'run', ...reporters, '--silent=passed-only', ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    onSpawn(child) {
      child.stdio[3].on('data', (piece) => {
        text += piece
      })
    },
  })
  const counts = text === '' ? { passed: 0, failed: 0, skipped: 0 } : JSON.parse(text)
  // Something failed outside of any test: that must not look like a pass.
  const isBroken = status !== 0 && status !== EXIT_NOTHING_TESTED
  if (isBroken && counts.failed === 0) counts.failed = 1
  return counts
}

function add(counts, more) {
  for (const key of Object.keys(counts)) counts[key] += more[key]
}

function verdict({ passed, failed, skipped }) {
  const line = `${passed} passed, ${failed} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}
