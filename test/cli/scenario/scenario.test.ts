import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ProgramSide } from '../../../src/cli/scenario/engines.ts'
import { pageName } from '../../../src/cli/scenario/run-page.ts'
import { runScenarios } from '../../../src/cli/scenario/scenario.ts'
import type { ScenarioOptions } from '../../../src/cli/scenario/scenario-options.ts'
import { programsOf } from '../../../src/engine/process/engine.ts'
import type { EngineName } from '../../../src/scenario/world.ts'
import { altered, SOUND } from '../../scenario/support.ts'
import { scratchFolder } from '../../support/scratch.ts'

// Where CI is set, colours are on without a terminal, too; they are looked up when the module loads.
vi.hoisted(() => {
  process.env.NO_COLOR = '1'
})

const OPTIONS: ScenarioOptions = { engine: 'sim', against: 'vedette' }
const LIAR = '../../../scenarios/47-an-epoch-of-2-to-the-48.yml'
const FAILING = altered('within: 2s', 'within: 200ms')

let folder = ''
let told = { out: '', err: '' }

beforeEach(() => {
  folder = scratchFolder('scenario')
  told = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    told.out += String(text)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told.err += String(text)
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('a run that passes ends with 0, and says how fast it was on standard error', async () => {
  expect(await runScenarios([write('a.yml', SOUND)], OPTIONS)).toBe(0)
  expect(told.out).toMatch(/^\S*PASSED/)
  // Where it takes more than a second, its progress stands before that.
  expect(told.err).toMatch(/^sim: 10\.0 s in \d+\.\d\d s, \d+ times real time\n$/m)
})

test('a run that fails ends with 1, and those beside it are counted', async () => {
  const files = [write('a.yml', SOUND), write('b.yml', FAILING)]
  expect(await runScenarios(files, { ...OPTIONS, brief: true })).toBe(1)
  expect(told.out).toMatch(/1 passed, 1 failed\n$/)
})

test('nothing is run when one of the files is wrong, and all problems are told', async () => {
  const files = [write('a.yml', 'name: [1'), join(folder, 'b.yml'), write('c.yml', SOUND)]
  expect(await runScenarios(files, OPTIONS)).toBe(2)
  expect(told.out).toBe('')
  expect(told.err).toMatch(/a\.yml:\d+:\d+/)
  expect(told.err).toMatch(/cannot read .*b\.yml: there is no such file/)
})

test('Redis cannot be asked of an engine that has none', async () => {
  const status = await runScenarios([write('a.yml', SOUND)], { ...OPTIONS, against: 'redis' })
  expect(status).toBe(2)
  expect(told.err).toContain('add --engine process')
})

test('with --json the same seed prints the same bytes, one line a run', async () => {
  const files = [write('a.yml', SOUND)]
  const options = { ...OPTIONS, json: true, seeds: { first: 3, last: 4 } } as const
  await runScenarios(files, options)
  const first = told.out
  told.out = ''
  await runScenarios(files, options)
  expect(told.out).toBe(first)
  const lines = first.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).seed)).toEqual(['3', '4'])
})

test('of many seeds those that pass get a line, and the others are shown', async () => {
  const files = [write('a.yml', SOUND), write('b.yml', FAILING)]
  await runScenarios(files, { ...OPTIONS, brief: true, seeds: { first: 1, last: 2 } })
  expect(told.out.match(/^.*PASSED.*, seed \d.*$/gm)).toHaveLength(2)
  expect(told.out.match(/✗ .*within 200 ms/g)).toHaveLength(2)
})

test('when all runs are skipped nothing is proved, and the status says so', async () => {
  const liar = readFileSync(fileURLToPath(new URL(LIAR, import.meta.url)), 'utf8')
  const files = [write('a.yml', liar), write('b.yml', liar)]
  expect(await runScenarios(files, { ...OPTIONS, engine: 'tcp' })).toBe(3)
  expect(told.out).toMatch(/0 passed, 0 failed, 2 skipped\n$/)
  expect(told.err).toContain('vedette: nothing was played: all 2 runs were skipped')
})

test('pages of other engines and other programs have names of their own', () => {
  const nameOf = (engine: EngineName, against: ProgramSide) =>
    pageName('07-a', { seed: '1', engine, against })
  expect(nameOf('sim', 'vedette')).toBe('07-a-seed1.html')
  expect(nameOf('process', 'vedette')).toBe('07-a-process-seed1.html')
  expect(nameOf('process', 'redis')).toBe('07-a-process-redis-seed1.html')
  expect(nameOf('process', 'mixed')).toBe('07-a-process-mixed-seed1.html')
})

test('a page says whose programs ran', async () => {
  const report = join(folder, 'pages')
  await runScenarios([write('a.yml', SOUND)], { ...OPTIONS, report, brief: true })
  expect(readFileSync(join(report, 'a-seed1.html'), 'utf8')).toContain('programs: Vedette</p>')
  expect(programsOf('redis', () => '7.0.15')).toBe('redis-server and redis-sentinel 7.0.15')
  expect(programsOf('mixed', () => '7.0.15')).toContain('Vedette and redis-sentinel in turn')
})

test('--report writes a page for each run, named by file and seed', async () => {
  const report = join(folder, 'deep', 'pages')
  await runScenarios([write('07-a.yml', SOUND)], { ...OPTIONS, report, seed: 'x/y', brief: true })
  expect(readdirSync(report)).toEqual(['07-a-seedx_y.html'])
  expect(told.err).toContain(`report: ${join(report, '07-a-seedx_y.html')}`)
})

test('pages of files that are called alike do not replace each other', async () => {
  for (const place of ['shop', 'mail']) mkdirSync(join(folder, place))
  const files = [write('shop/a.yml', SOUND), write('mail/a.yml', FAILING), write('b.yml', SOUND)]
  const report = join(folder, 'pages')
  await runScenarios(files, { ...OPTIONS, report, brief: true })
  expect(readdirSync(report).sort()).toEqual([
    'b-seed1.html',
    'mail-a-seed1.html',
    'shop-a-seed1.html',
  ])
})

test('a file in the place of the folder of pages is told before anything is played', async () => {
  const files = [write('a.yml', SOUND)]
  const report = files[0] ?? ''
  expect(await runScenarios(files, { ...OPTIONS, report })).toBe(2)
  expect(told.out).toBe('')
  expect(told.err).toContain(`${report} is a file\n  name a folder`)
})

test('a folder of pages that cannot be made is told before anything is played', async () => {
  const files = [write('a.yml', SOUND)]
  const report = join(files[0] ?? '', 'pages')
  expect(await runScenarios(files, { ...OPTIONS, report })).toBe(2)
  expect(told.out).toBe('')
  expect(told.err).toContain(`cannot write ${report}: ENOTDIR`)
})

test('a page that cannot be written costs no verdict of the runs after it, and the status is 1', async () => {
  const files = [write('a.yml', SOUND), write('b.yml', SOUND)]
  const report = join(folder, 'pages')
  mkdirSync(join(report, 'a-seed1.html'), { recursive: true })
  expect(await runScenarios(files, { ...OPTIONS, report, brief: true })).toBe(1)
  expect(told.out).toMatch(/2 passed, 0 failed\n$/)
  expect(told.err).toMatch(/cannot write .*a-seed1\.html: EISDIR/)
  expect(told.err).toMatch(/report: .*b-seed1\.html/)
})
