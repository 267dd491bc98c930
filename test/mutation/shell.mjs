/**
 * Who notices a slip in the shell: drawn histories on real sockets, or the tests of the shell. The tests that
 * need sockets are those of `net` that run the shell in their own process.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf } from '../../scripts/paths.mjs'
import { runChild } from './child.mjs'
import { HOOK, VITEST } from './record.mjs'
import { SLIPS } from './shell-list.mjs'

const MAIN = pathOf('dist/cli/main.js')
const NET_TESTS = ['alarm', 'connections', 'links', 'links-real', 'real-shell', 'sentinel-host']
/** A run that takes longer than all that any history may take hangs. */
const WALL_MS = 400_000
const CPU_MS = 90_000

/** Without a slip nothing may fail. */
const NO_SLIP = { name: 'no slip at all' }

/** Calls `tell` with `{ name, file, sockets, tests }` for each: what was noticed, or undefined. */
export async function judgeShell({ seeds, only, tell }) {
  const slips = SLIPS.filter(({ name }) => only === undefined || name.includes(only))
  const verdicts = []
  for (const slip of [NO_SLIP, ...slips]) {
    const mutation = slip === NO_SLIP ? '' : JSON.stringify(mutationOf(slip))
    const tests = await runTests(mutation)
    const sockets = await runHistories(mutation, seeds)
    const { name, file } = slip
    tell({ name, file, sockets, tests })
    if (slip !== NO_SLIP) verdicts.push({ name, file, sockets, tests })
    else if (tests ?? sockets) return undefined
  }
  return verdicts
}

export function shellTable(verdicts) {
  const rows = verdicts.map(({ name, file, sockets, tests }) => {
    return `| ${name} | \`${file}\` | ${sockets ?? 'no'} | ${tests ?? 'no'} |`
  })
  const count = (kind) => verdicts.filter((verdict) => verdict[kind]).length
  const missed = verdicts.filter(({ sockets, tests }) => !sockets && !tests).length
  return [
    `Of ${verdicts.length} slips, histories on sockets notice ${count('sockets')} and tests notice ${count('tests')}. Neither notices ${missed}.`,
    '',
    '| slip | file | drawn histories on sockets | tests of the shell |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function mutationOf({ name, file, find, replace }) {
  const source = readFileSync(pathOf(`dist/${file}`), 'utf8')
  const start = source.indexOf(find)
  if (start < 0 || source.includes(find, start + 1)) {
    throw new Error(`${name}: stands not exactly once in ${file}: ${find}`)
  }
  return { file, start, end: start + find.length, was: find, replace, operator: 'by hand' }
}

async function runHistories(mutation, seeds) {
  const out = mkdtempSync(join(tmpdir(), 'vedette-shell-'))
  const options = ['--engine', 'tcp', '--seeds', seeds, '--stop-at-first', '--json', '--out', out]
  let finding
  const ended = await runChild(['--import', HOOK, MAIN, 'fuzz', ...options], {
    env: { VEDETTE_MUTATION: mutation, VEDETTE_PLACES: '' },
    boundMs: () => CPU_MS,
    wallMs: WALL_MS,
    hear({ kind, checker, text }) {
      if (kind !== 'failure') return true
      finding = checker === 'no crash' ? `crash: ${text.slice(0, 60)}` : checker
      return false
    },
  })
  rmSync(out, { recursive: true })
  return finding ?? brokenBy(ended)
}

async function runTests(mutation) {
  const own = readdirSync(pathOf('test/io'), { recursive: true })
    .map((name) => `test/io/${name}`)
    // The library of the log does not load natively beside vitest; no slip is made there.
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/io/log/'))
  const tests = [...own, ...NET_TESTS.map((name) => `test/net/${name}.test.ts`)]
  let finding
  const ended = await runChild(VITEST, {
    env: {
      VEDETTE_MUTATION: mutation,
      VEDETTE_PLACES: '',
      VEDETTE_TESTS: JSON.stringify(tests),
    },
    boundMs: () => CPU_MS,
    wallMs: WALL_MS,
    hear(line) {
      finding = line.finding && `${line.name}: ${line.finding}`
      return finding === undefined
    },
  })
  return finding ?? brokenBy(ended)
}

function brokenBy({ how, status, words }) {
  if (how === 'late') return 'it never comes to an end'
  if (how === 'stopped' || status === 0) return undefined
  return `the run breaks: ${words.trim().split('\n').at(-1)?.slice(0, 80)}`
}
