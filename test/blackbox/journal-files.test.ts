import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { playSegment } from '../../src/cli/replay/play.ts'
import { frameOfSync, MAGIC } from '../../src/io/blackbox/frames.ts'
import { JournalFiles, type JournalOptions } from '../../src/io/blackbox/journal-files.ts'
import { isJournal, readJournal } from '../../src/io/blackbox/journal-reader.ts'
import { type JournalHead, journalHeadText } from '../../src/journal/entry-text.ts'
import { mutateBytes } from '../support/mutate-bytes.ts'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const NOW = { monoMs: 7, wallMs: 1_700_000_000_000 }
const HEAD: JournalHead = {
  ...{ program: 'test', runId: 'a'.repeat(40), address: '10.0.0.1:6379' },
  ...{ keeper: 'node', now: NOW },
}

function journal(options: Partial<JournalOptions> = {}) {
  const { folder = scratchFolder('journal') } = options
  const warnings: string[] = []
  const warn = (text: string) => warnings.push(text)
  const limits = { maxBytes: 64 * 1024 * 1024, maxDays: 14 }
  const files = new JournalFiles({ ...limits, head: () => HEAD, ...options, folder, warn })
  const say = (reason: string) => files.note(NOW, { kind: 'failed', reason })
  return { folder, warnings, files, say }
}

const segmentsIn = (folder: string) => readdirSync(folder).map((name) => join(folder, name))
const reasonsIn = (folder: string) =>
  segmentsIn(folder)
    .flatMap((path) => readJournal({ path }).entries)
    .map(({ event }) => (event?.kind === 'failed' ? event.reason : ''))

describe('a journal on disk', () => {
  test('is whole when the process ends, whatever was still being written, and is for its owner alone', () => {
    const { folder, files, say } = journal({ folder: join(scratchFolder('journal'), 'box') })
    for (let at = 0; at < 2_500; at++) say(String(at))
    files.finish()
    say('too late')
    expect(reasonsIn(folder)).toEqual(Array.from({ length: 2_500 }, (_, at) => String(at)))
    const [path = ''] = segmentsIn(folder)
    expect(readJournal({ path })).toMatchObject({ head: HEAD, fault: undefined })
    expect([folder, path].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o600])
  })

  test('is written a moment after something happened', async () => {
    const { folder, files, say } = journal()
    say('now')
    await until('it is written', 5_000, () => reasonsIn(folder).includes('now'))
    files.finish()
  })

  test('keeps to its size: the oldest segments go', async () => {
    const { folder, files, say } = journal({ maxBytes: 1024 * 1024 })
    const rng = createRng('journal')
    for (let round = 0; round < 12; round++) {
      for (let at = 0; at < 1_000; at++) say(rng.hex(250))
      await files.list()
    }
    files.finish()
    const sizes = segmentsIn(folder).map((path) => statSync(path).size)
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1024 * 1024 + 250 * 1024)
    expect(segmentsIn(folder)[0]).not.toContain('00000001')
  })

  test('goes on after trouble with the disk with a new segment; the warning comes once', async () => {
    const { folder, warnings, files, say } = journal()
    rmSync(folder, { recursive: true })
    for (let at = 0; at < 3_000; at++) say('lost')
    await until('a warning', 5_000, () => warnings.length === 1)
    expect(warnings[0]).toMatch(/^black box: what happens now is not recorded: ENOENT \(/)
    for (let at = 0; at < 3_001; at++) say('lost as well')
    mkdirSync(folder)
    files.renew()
    say('kept')
    files.finish()
    expect(warnings).toHaveLength(1)
    expect(reasonsIn(folder)).toEqual(['kept'])
  })
})

describe('a journal that is not what it should be', () => {
  const { folder, files, say } = journal()
  say('one')
  files.cut()
  say('two')
  files.finish()
  const whole = readFileSync(segmentsIn(folder)[0] ?? '', 'latin1')
  const path = join(folder, 'hostile.vbb')

  function readBytes(bytes: string | Buffer) {
    writeFileSync(path, bytes, 'latin1')
    return readJournal({ path })
  }

  test('cut off anywhere, is read up to there', () => {
    expect(readBytes(whole).entries).toHaveLength(2)
    for (let length = 0; length < whole.length; length++) {
      const { entries, fault } = readBytes(whole.slice(0, length))
      expect(fault, String(length)).toBeUndefined()
      expect(entries.length).toBeLessThan(2)
    }
  })

  test('mutated, is refused with its file and an offset, or is what it was', () => {
    const rng = createRng('journals')
    for (let round = 0; round < 200; round++) {
      const { fault } = readBytes(mutateBytes(whole, rng))
      if (fault !== undefined) expect(fault).toMatch(/hostile\.vbb, offset \d+: /)
    }
  })

  const forged = (type: 'J' | 'E', text: string) => {
    const head = type === 'E' ? [frameOfSync('J', journalHeadText(HEAD))] : []
    return Buffer.concat([Buffer.from(MAGIC), ...head, frameOfSync(type, text)])
  }

  test.each([
    ['a head of something else', forged('J', '{}'), 'the head of the segment is not complete'],
    ['no entries', forged('E', '{}'), 'it is no list of entries'],
    [
      'an entry without fields',
      forged('E', '[[1,2,"failed",{}]]'),
      'entry 1: failed has no reason',
    ],
  ])('%s with a right checksum, is refused with its offset', (_what, bytes, reason) => {
    expect(readBytes(bytes).fault).toMatch(/hostile\.vbb, offset \d+: /)
    expect(readBytes(bytes).fault).toContain(reason)
  })

  test('is no record of a Sentinel, nor the other way round', () => {
    writeFileSync(path, whole, 'latin1')
    expect(isJournal({ path })).toBe(true)
    const steps = playSegment({ path })
    const { value } = steps.next()
    expect((value as { fault: string }).fault).toContain(
      'it is a journal: nothing in it can be played',
    )
    writeFileSync(path, Buffer.concat([Buffer.from(MAGIC), frameOfSync('H', '{}')]))
    expect(isJournal({ path })).toBe(false)
  })
})
