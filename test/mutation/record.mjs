/**
 * Which histories and which test files execute each place of a sample, and how long each takes: so that a
 * change is tried only where it can be noticed. What fails here fails without any change.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inParallel } from '../../bench/support/parallel.mjs'
import { pathOf, scenarioFiles } from '../../scripts/paths.mjs'
import { runChild } from './child.mjs'

export const HOOK = new URL('./hook.mjs', import.meta.url).href
export const PLAYER = fileURLToPath(new URL('./play.mjs', import.meta.url))
export const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...['--config', 'test/mutation/unit.config.mjs'],
]

/** Of these folders alone: the others test what is not changed, or play whole histories. */
const TESTS = [
  ['unit tests', /^test\/(core|server|session|sim|http|hooks)\/.*\.test\.ts$/],
  // They run our node in their own process, beside a redis-server; without one they skip themselves.
  ['beside Redis', /^test\/diff\/.*\.test\.ts$/],
]

export function testFiles() {
  return readdirSync(pathOf('test'), { recursive: true })
    .map((name) => `test/${name}`)
    .filter((name) => kindOf(name) !== undefined)
    .sort()
}

function kindOf(name) {
  return TESTS.find(([, pattern]) => pattern.test(name))?.[0]
}

/**
 * `places`: for each change of the sample where it shows. `keep` gets `{ kind, name, cpuMs, hash, executed }`
 * for everything that is played and does not stand in `known` already. Throws if something fails.
 */
export async function record({ folder, places, seeds, jobs, known, keep, tell }) {
  const names = new Set(known.map(({ kind, name }) => `${kind} ${name}`))
  const isOpen = ({ kind, name }) => !names.has(`${kind} ${name}`)
  const plays = [
    ...seeds.map((seed) => ({ kind: 'seeds', name: `${seed}` })),
    ...scenarioFiles().map((name) => ({ kind: 'scenarios', name })),
  ].filter(isOpen)
  const tests = testFiles().filter((name) => isOpen({ kind: kindOf(name), name }))
  const all = plays.length + tests.length
  let done = 0
  const tellNext = () => tell(`recording, ${++done} of ${all}`)
  const parts = Array.from({ length: jobs }, (_, index) =>
    plays.filter((_play, at) => at % jobs === index),
  )
  const works = [
    ...parts.map((part, index) => () => recordPlays(part, `${folder}/plays-${index}`)),
    () => recordTests(tests, `${folder}/tests`),
  ]
  await inParallel(works, jobs, (work) => work())

  async function recordPlays(part, path) {
    let count = 0
    writeFileSync(path, JSON.stringify(places))
    const task = JSON.stringify({ dist: pathOf('dist'), plays: part })
    const ended = await runChild(['--import', HOOK, PLAYER, task], {
      env: { VEDETTE_PLACES: path, VEDETTE_MUTATION: '' },
      hear(line) {
        const { kind, name, finding } = line
        if (finding) throw new Error(`without any change, ${kind} ${name} fails: ${finding}`)
        tellNext()
        keep(line)
        count++
      },
    })
    if (count < part.length) throw new Error(`the recording broke: ${ended.words}`)
  }

  async function recordTests(wanted, path) {
    if (wanted.length === 0) return
    writeFileSync(path, JSON.stringify(places))
    const failing = new Set()
    let count = 0
    const ended = await runChild(VITEST, {
      env: { VEDETTE_PLACES: path, VEDETTE_MUTATION: '', VEDETTE_TESTS: JSON.stringify(wanted) },
      hear({ name, finding }) {
        tellNext()
        if (finding !== undefined) {
          failing.add(name)
          console.error(`${name} is left out, it fails without any change: ${finding}`)
        }
        const lines = executedIn(path)
        for (const line of lines.slice(count)) keepTest(line, failing)
        count = lines.length
      },
    })
    if (count === 0) throw new Error(`the tests cannot be recorded: ${ended.words}`)
  }

  /** One that fails anyway tells nothing: it executes no place, so it judges none. */
  function keepTest({ name: path, cpuMs, executed }, failing) {
    const name = path.slice(pathOf('.').length)
    keep({ kind: kindOf(name), name, cpuMs, executed: failing.has(name) ? [] : executed })
  }
}

function executedIn(path) {
  const text = readFileSync(`${path}.executed`, 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
