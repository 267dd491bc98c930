import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runScenarios } from '../../src/cli/scenario.ts'
import type { ScenarioOptions } from '../../src/cli/scenario-options.ts'
import { altered, SOUND } from '../scenario/support.ts'
import { scratchFolder } from '../support/scratch.ts'

// Where CI is set, colours are on without a terminal, too; they are looked up when the module loads.
vi.hoisted(() => {
  process.env.NO_COLOR = '1'
})

const OPTIONS: ScenarioOptions = { engine: 'sim', against: 'vedette' }
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
  rmSync(folder, { recursive: true })
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('a run that passes ends with 0, and says how fast it was on standard error', async () => {
  expect(await runScenarios([write('a.yml', SOUND)], OPTIONS)).toBe(0)
  expect(told.out).toMatch(/^\S*PASSED/)
  expect(told.err).toMatch(/^sim: 10\.0 s in \d+\.\d\d s, \d+ times real time\n$/)
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

test('--report writes a page for each run, named by file and seed', async () => {
  const report = join(folder, 'deep', 'pages')
  await runScenarios([write('07-a.yml', SOUND)], { ...OPTIONS, report, seed: 'x/y', brief: true })
  expect(readdirSync(report)).toEqual(['07-a-seedx_y.html'])
  expect(told.err).toContain(`report: ${join(report, '07-a-seedx_y.html')}`)
})

test('a folder that cannot be written to is named', async () => {
  const report = join(write('file', ''), 'pages')
  const run = runScenarios([write('a.yml', SOUND)], { ...OPTIONS, report })
  await expect(run).rejects.toThrow(/cannot write .*file\/pages\/a-seed1\.html: ENOTDIR/)
})
