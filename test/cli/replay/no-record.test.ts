import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runIncident } from '../../../src/cli/incident/incident.ts'
import { runReplay } from '../../../src/cli/replay/replay.ts'
import { scratchFolder } from '../../support/scratch.ts'

const KILL = ['s1', 's2', 's3'].map((name) => join('incidents/kill/records', name))

afterEach(() => {
  vi.restoreAllMocks()
})

function listen(): { err: string; out: string } {
  const told = { err: '', out: '' }
  for (const [stream, of] of [['stderr', 'err'] as const, ['stdout', 'out'] as const]) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      told[of] += String(text)
      return true
    })
  }
  return told
}

test('the folder of --records is no record: its runs are named', async () => {
  const folder = scratchFolder('records')
  mkdirSync(join(folder, '01-a/s1'), { recursive: true })
  writeFileSync(join(folder, '01-a/s1/00000001.vbb'), '')
  const told = listen()
  expect(await runReplay([folder], {})).toBe(1)
  expect(await runIncident([folder], {})).toBe(1)
  const hint = `each run has a folder of its own; name the one you mean: ${join(folder, '01-a')}\n`
  expect(told.err.split(hint)).toHaveLength(3)
})

test('without any record the option that keeps one is named', async () => {
  const told = listen()
  expect(await runReplay([scratchFolder('records')], {})).toBe(1)
  expect(told.err).toMatch(/<state file>.blackbox, unless its configuration says black-box: no/)
})

test('records of which a part cannot be read are not said to hold nothing', async () => {
  const folder = scratchFolder('records')
  writeFileSync(join(folder, '00000001.vbb'), 'vedette-blackbox 3\n')
  const told = listen()
  const at = Date.parse('2001-01-01T00:00:00Z')
  expect(await runIncident([...KILL, folder], { at })).toBe(1)
  expect(told.err).toContain('00000001.vbb, offset 0: its format is "3"')
  expect(told.err).toContain('what could be read of these records suspects no master in that time')
})

test('records that can be read to their end are', async () => {
  const told = listen()
  expect(await runIncident(KILL, { at: Date.parse('2001-01-01T00:00:00Z') })).toBe(1)
  expect(told.err).toBe('vedette: these Sentinels suspected no master in that time\n')
})

test('a file of another kind is told once', async () => {
  const path = join(scratchFolder('records'), 'notes.txt')
  writeFileSync(path, 'nothing of ours')
  const told = listen()
  expect(await runIncident([path], {})).toBe(1)
  expect(told.err).toBe(
    `vedette: ${path}, offset 0: it is no record of a Sentinel, and no journal\n`,
  )
})

test('an empty segment, as a crash leaves it, is no sign that all is the same', async () => {
  const path = join(scratchFolder('records'), '00000001.vbb')
  writeFileSync(path, '')
  const told = listen()
  expect(await runReplay([path], {})).toBe(0)
  expect(told.out).toContain('0 steps, 0 decisions: nothing was recorded here')
})
