/**
 * What the laboratory has to show before a change lands, and what takes it minutes: its worlds on real
 * sockets and processes, the tests of `npm test` that leave things to chance with more of it, random
 * histories on virtual time, and every scenario on real sockets.
 * `npm run test:lab`.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pathOf } from './paths.mjs'
import { captureNode, runNode } from './spawn.mjs'

const { values: options } = parseArgs({
  options: { seeds: { type: 'string', default: '1..500' }, only: { type: 'string', default: '' } },
})
const MAIN = pathOf('dist/cli/main.js')
/** More of them in one process would be late for each other. */
const JOBS_PER_PROCESS = 4
const PROCESSES = 2
const GRACE = '1500ms'

const VITEST = 'node_modules/vitest/vitest.mjs'

const STEPS = [
  ['the worlds on real sockets and processes', () => runNode([VITEST, 'run', '--project', 'lab'])],
  ['chance at length, in virtual time', () => atLength(['--project', 'fast'])],
  ['chance at length, beside redis-server', () => atLength(['--project', 'net', 'test/diff'])],
  ['random histories', () => runNode([MAIN, 'fuzz', '--seeds', options.seeds])],
  ['scenarios on real sockets', scenariosOnSockets],
]

let failed = 0
for (const [name, step] of STEPS) {
  const startedMs = Date.now()
  const status = await step()
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (status !== 0) failed++
}
console.log(`${STEPS.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** The same tests as in `npm test`, with the sizes that take longer. */
function atLength(args) {
  const reporters = ['--reporter=dot', '--silent=passed-only']
  return runNode([VITEST, 'run', ...reporters, ...args], { env: { VEDETTE_LONG: '1' } })
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
  // Once more, alone: what was late only because the machine was busy is on time then.
  const again = late.length === 0 ? [] : await play(late, 1)
  const settled = [...results.filter((result) => !isLate(result)), ...again]
  const wrong = settled.filter(({ verdict }) => verdict === 'failed')
  for (const result of wrong) tell(result)
  const twice = late.length === 0 ? '' : `, ${late.length} at the second try: ${late.join(' ')}`
  console.log(`  ${settled.length - wrong.length} of ${files.length} scenarios hold${twice}`)
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

/** What a checker found is never put down to a busy machine. */
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
