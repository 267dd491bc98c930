/** A record that is handed out while it is kept. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { DEFAULT_SENTINEL } from '../../src/core/config.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import type { Answer } from '../../src/core/external-query.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import { RecordFiles } from '../../src/io/blackbox/segment-writer.ts'
import { scratchFolder } from '../support/scratch.ts'
import { GROUP } from '../support/sentinel-stage.ts'
import { differencesOf, KeptRecord, LonelySentinel } from './support.ts'

const isQuestion = ({ kind }: Effect) => kind === 'inquire'

test('a record does not hold what of it was handed out, and decides the same when it is played', () => {
  const record = new KeptRecord()
  const config = { ...DEFAULT_SENTINEL, groups: [GROUP] }
  const start = { config, saved: undefined, rng: createRng('told') }
  let monoMs = 1_000
  const now = () => ({ monoMs: ++monoMs, wallMs: 1_700_000_000_000 + monoMs })
  const { state, effects } = startSentinel({ ...start, now: now() })
  record.recorder.begin(state, now(), effects)
  const feed = (event: Event): readonly Effect[] => {
    const done = record.recorder.step(state, now(), event)
    if (done.some(({ kind }) => kind === 'save')) feed({ kind: 'saved' })
    const isHeld = done.some(({ kind }) => kind === 'awaitDrain')
    return isHeld ? [...done, ...feed({ kind: 'drained', client: 1 })] : done
  }
  feed({ kind: 'saved' })
  const ends = { address: '10.0.0.9:4000', localAddress: '10.0.0.1:26379' }
  feed({ kind: 'clientOpened', client: 1, ...ends })
  /** More than a client is promised before it has taken some. */
  for (let at = 0; at < 3; at++) {
    const bytes = `SENTINEL BLACK-BOX READ 00000001.vbb ${at}\r\n`
    const asked = feed({ kind: 'received', client: 1, bytes }).find(isQuestion)
    if (asked?.kind !== 'inquire') throw new Error('it asked nothing')
    const answer: Answer = { kind: 'readRecord', bytes: 'never-in-a-record '.repeat(50_000) }
    feed({ kind: 'inquired', inquiry: asked.inquiry, answer })
    feed({ kind: 'wake' })
  }
  expect(differencesOf(record)).toEqual([])
  expect(record.text).toContain('"recordTold"')
  expect(record.text).not.toContain('never-in-a-record')
})

test('the list has what happened up to now, and pieces of a segment are those of its file', async () => {
  const folder = scratchFolder('blackbox')
  const options = { folder, maxBytes: 64 * 1024 * 1024, maxDays: 14, program: 'test' }
  const files = new RecordFiles({ ...options, warn: () => undefined })
  const sentinel = new LonelySentinel(files.recorder)
  sentinel.live(100)
  const [before] = await files.list()
  sentinel.live(100)
  const [segment] = await files.list()
  const { name = '', bytes = 0 } = segment ?? {}
  expect(bytes).toBeGreaterThan(before?.bytes ?? 0)
  const whole = readFileSync(join(folder, name), 'latin1')
  expect(bytes).toBe(whole.length)
  expect(await files.read(name, 10, 20)).toBe(whole.slice(10, 30))
  expect(await files.read(name, bytes - 5, 20)).toBe(whole.slice(-5))
  expect(await files.read(name, bytes + 5, 20)).toBe('')
  await expect(files.read('00000099.vbb', 0, 20)).rejects.toThrow('there is no segment 00000099')
  files.finish()
})
