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

/** Runs the static checks and then vitest with these arguments. Resolves to the exit status. */
export async function runChecks(vitestArgs) {
  const { counts, isBuilt } = await runStaticChecks()
  // Process tests would run whatever was built last, which proves nothing.
  if (!isBuilt) console.log('the process tests are left out: there is no build to run them on')
  add(counts, await runVitest(isBuilt ? vitestArgs : ['--project', 'fast']))
  console.log(verdict(counts))
  return counts.failed === 0 ? 0 : 1
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

/** The reporter writes its counts to a pipe of their own, so that no output can be mistaken for them. */
async function runVitest(args) {
  let text = ''
  const reporters = ['--reporter=default', '--reporter=./scripts/count-reporter.mjs']
  const status = await runNode([VITEST, 'run', ...reporters, '--silent=passed-only', ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    onSpawn(child) {
      child.stdio[3].on('data', (piece) => {
        text += piece
      })
    },
  })
  const counts = text === '' ? { passed: 0, failed: 0, skipped: 0 } : JSON.parse(text)
  // Something went wrong outside of any test: that must not look like a pass.
  if (status !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

function add(counts, more) {
  for (const key of Object.keys(counts)) counts[key] += more[key]
}

function verdict({ passed, failed, skipped }) {
  const line = `${passed} passed, ${failed} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}
