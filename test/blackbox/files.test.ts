import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { BlockWriter } from '../../src/blackbox/block.ts'
import { STREAMS } from '../../src/blackbox/event-table.ts'
import { livesIn } from '../../src/cli/incident/lives.ts'
import { playSegment, type SegmentOutcome } from '../../src/cli/replay/play.ts'
import { runReplay } from '../../src/cli/replay/replay.ts'
import { bundleOf } from '../../src/io/blackbox/bundle.ts'
import { frameOfSync, MAGIC } from '../../src/io/blackbox/frames.ts'
import { segmentsAt } from '../../src/io/blackbox/records-at.ts'
import { usualBytes } from '../../src/io/blackbox/segment-files.ts'
import { summaryOf } from '../../src/io/blackbox/segment-reader.ts'
import { RecordFiles, type RecordOptions } from '../../src/io/blackbox/segment-writer.ts'
import { mutateBytes } from '../support/mutate-bytes.ts'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { LonelySentinel } from './support.ts'

const MB = 1024 * 1024
const OPTIONS = { maxBytes: 64 * 1024 * 1024, maxDays: 14, program: 'test' }

/** A Sentinel whose record goes to files. */
function recorded(options: Partial<RecordOptions> = {}) {
  const { folder = scratchFolder('blackbox') } = options
  const warnings: string[] = []
  const warn = (text: string) => warnings.push(text)
  const files = new RecordFiles({ ...OPTIONS, ...options, folder, warn })
  return { folder, warnings, files, sentinel: new LonelySentinel(files.recorder) }
}

function segmentsIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}

/** Something is decided in the first of four segments. */
function quietAfterOne(skewMs = 0): { folder: string; paths: string[] } {
  const { folder, files, sentinel } = recorded()
  if (skewMs !== 0) sentinel.setClock(skewMs)
  sentinel.live(100)
  sentinel.wait(100)
  for (let round = 0; round < 3; round++) {
    files.recorder.renew()
    sentinel.wait(600)
  }
  files.finish()
  return { folder, paths: segmentsIn(folder) }
}

function play(path: string): SegmentOutcome {
  const steps = playSegment({ path })
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a record on disk', () => {
  test('is written every minute, also after a pause in which there was nothing to write', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { folder, files, sentinel } = recorded()
    sentinel.live(100)
    files.recorder.pause()
    vi.advanceTimersByTime(60_000)
    files.recorder.renew()
    sentinel.live(100)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    await until('a block on disk', 10_000, () => {
      const path = segmentsIn(folder).at(-1) ?? ''
      return play(path).steps > 0
    })
    files.finish()
  })

  test('is whole when the process ends, whatever was still being written', () => {
    const { folder, files, sentinel } = recorded()
    sentinel.live(1_000)
    files.finish()
    const [path = ''] = segmentsIn(folder)
    expect(play(path)).toMatchObject({ steps: sentinel.steps, fault: undefined })
  })

  test('keeps to its size: the oldest segments go', async () => {
    const { folder, files, sentinel } = recorded({ maxBytes: 1024 * 1024 })
    for (let round = 0; round < 9; round++) {
      const before = segmentsIn(folder).at(-1)
      sentinel.chatter(400 * 1024)
      files.recorder.cut()
      await until('the next segment', 10_000, () => {
        sentinel.live(1)
        return segmentsIn(folder).at(-1) !== before
      })
    }
    files.finish()
    const sizes = segmentsIn(folder).map((path) => readFileSync(path).length)
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1024 * 1024 + 250 * 1024)
    expect(segmentsIn(folder)[0]).not.toContain('00000001')
    for (const path of segmentsIn(folder)) expect(play(path).fault).toBeUndefined()
  })

  test('takes a tenth of a small disk, and a quarter of a gigabyte of a large one, if nobody says how much', () => {
    const ofDisk = (bytes: number) => usualBytes({ bsize: 4096, blocks: bytes / 4096 })
    expect(ofDisk(100 * MB)).toBe(10 * MB)
    expect(ofDisk(1024 * 1024 * MB)).toBe(256 * MB)
    expect(ofDisk(0)).toBe(256 * MB)
    expect(ofDisk(4096)).toBe(64 * 1024)
    const { files, folder } = recorded({ maxBytes: undefined })
    files.finish()
    expect(segmentsIn(folder)).toHaveLength(1)
  })

  test('loses nothing and begins no segment because the wall clock jumped by years', async () => {
    const { folder, files, sentinel } = recorded()
    await files.list()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 })
    sentinel.live(100)
    await files.list()
    sentinel.live(100)
    expect((await files.list()).map(({ name }) => name)).toEqual(['00000001.vbb'])
    files.recorder.renew()
    sentinel.live(100)
    expect((await files.list()).length).toBe(2)
    files.finish()
    expect(segmentsIn(folder).map((path) => play(path).fault)).toEqual([undefined, undefined])
  })

  test('goes on after trouble with the disk with a new segment, and says what is missing', async () => {
    const { folder, warnings, files, sentinel } = recorded()
    sentinel.live(100)
    files.recorder.cut()
    rmSync(folder, { recursive: true })
    files.recorder.renew()
    sentinel.live(100)
    await until('a warning', 10_000, () => warnings.length === 1)
    expect(warnings[0]).toMatch(/^black box: what happens now is not recorded: ENOENT \(/)
    mkdirSync(folder)
    files.recorder.renew()
    sentinel.live(100)
    files.finish()
    expect(segmentsIn(folder).map((path) => play(path).fault)).toEqual([undefined])
  })

  test.each([
    ['a batch', () => undefined],
    ['a segment', (files: RecordFiles) => files.recorder.renew()],
  ])(
    'ends with a fault of the recorder at the end of %s, and the Sentinel goes on',
    (_what, end) => {
      const { folder, warnings, files, sentinel } = recorded()
      sentinel.live(100)
      const add = vi.spyOn(BlockWriter.prototype, 'add').mockImplementation(() => {
        throw new Error('a fault')
      })
      end(files)
      sentinel.wait(600)
      sentinel.live(100)
      add.mockRestore()
      files.recorder.renew()
      sentinel.live(100)
      files.finish()
      expect(warnings).toEqual([
        expect.stringMatching(/^black box: a fault in the recorder, .*: Error: a fault\n/),
      ])
      expect(segmentsIn(folder).map((path) => play(path).fault)).toEqual([undefined])
    },
  )

  test('continues the numbers of the process before it, and leaves its segments alone', () => {
    const first = recorded()
    first.files.finish()
    const second = recorded({ folder: first.folder })
    second.files.finish()
    const names = readdirSync(first.folder).sort()
    expect(names).toEqual(['00000001.vbb', '00000002.vbb'])
  })

  test('is only played near a moment at which a Sentinel decided something', () => {
    const { folder, paths } = quietAfterOne()
    const quiet = paths.map((path) => summaryOf({ path })?.isQuiet)
    expect(quiet).toEqual([false, true, true, true])
    const playedOf = (names: readonly string[]) =>
      livesIn(names.map((path) => ({ path }))).played.map(({ source }) => source.path)
    expect(playedOf(paths)).toEqual(paths.slice(0, 2))
    expect(playedOf(paths.slice(1))).toEqual(paths.slice(-1))
    // Where a Sentinel was asked for its clock, its quiet segments are found by ours.
    const [early, late] = [paths[0], paths[3]].map((path = '') => ({ path }))
    const begun = [early, late].map((one) => summaryOf(one ?? { path: '' })?.fromMs ?? 0)
    const aheadMs = (begun[1] ?? 0) - (begun[0] ?? 0)
    const sources = [early ?? { path: '' }, { path: late?.path ?? '', aheadMs }]
    expect(livesIn(sources).played).toHaveLength(2)
    const damaged = join(folder, 'damaged.vbb')
    const whole = readFileSync(paths[1] ?? '')
    writeFileSync(damaged, whole.fill(0x55, whole.length - 5))
    expect(
      livesIn([{ path: damaged }, ...paths.slice(2).map((path) => ({ path }))]).faults,
    ).toEqual([expect.stringContaining('damaged.vbb, offset')])
  })

  test('is played if another Sentinel decided something then, however far its own clock is off', () => {
    const [deciding, [, ...quiet]] = [quietAfterOne().paths, quietAfterOne(-90 * 86_400_000).paths]
    const { played } = livesIn([...deciding, ...quiet].map((path) => ({ path })))
    const names = played.map(({ source }) => source.path)
    expect(names).toEqual([...deciding.slice(0, 2), quiet[0]])
  })

  test('is played if a Sentinel decided something while its wall clock was wrong', () => {
    const { folder, files, sentinel } = recorded()
    sentinel.live(100)
    files.recorder.renew()
    sentinel.setClock(400 * 86_400_000)
    sentinel.live(10)
    files.recorder.cut()
    sentinel.setClock(0)
    sentinel.live(10)
    files.finish()
    const paths = segmentsIn(folder)
    const { played } = livesIn(paths.map((path) => ({ path })))
    expect(played.map(({ source }) => source.path)).toEqual(paths)
  })

  test('shows a moment by the clock of that moment, although the clock was set back later', async () => {
    const { folder, files, sentinel } = recorded()
    sentinel.wait(5)
    sentinel.setClock(400 * 86_400_000)
    sentinel.wait(5)
    sentinel.setClock(0)
    sentinel.wait(5)
    files.finish()
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    // The Sentinel begins at 1.7e12, and has lived for eight seconds and a half.
    await runReplay([folder], { at: 1_700_000_000_000 + 400 * 86_400_000 + 8_500 })
    await runReplay([folder], { at: 1_700_000_000_000 + 12_500 })
    const told = written.mock.calls.map(([text]) => String(text).split('\n')[0])
    written.mockRestore()
    expect(told).toEqual(['at 2024-12-18T22:13:28.000Z:', 'at 2023-11-14T22:13:32.000Z:'])
  })

  test('is for its owner alone', () => {
    const { folder, files } = recorded({ folder: join(scratchFolder('blackbox'), 'box') })
    files.finish()
    const modes = [folder, ...segmentsIn(folder)].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })
})

describe('a record that is not what it should be', () => {
  const { folder, files, sentinel } = recorded()
  sentinel.live(1_000)
  files.finish()
  const whole = readFileSync(segmentsIn(folder)[0] ?? '', 'latin1')
  const place = join(folder, 'hostile.vbb')

  function outcomeOf(bytes: string | Buffer): SegmentOutcome {
    writeFileSync(place, bytes, 'latin1')
    return play(place)
  }

  test('cut off anywhere, is played up to there', () => {
    for (let length = 0; length < whole.length; length += 1 + Math.floor(whole.length / 200)) {
      expect(outcomeOf(whole.slice(0, length)).fault, String(length)).toBeUndefined()
    }
  })

  test('mutated, is refused with its file and an offset, or is what it was', () => {
    const rng = createRng('records')
    for (let round = 0; round < 100; round++) {
      const { fault } = outcomeOf(mutateBytes(whole, rng))
      if (fault !== undefined) expect(fault).toMatch(/hostile\.vbb, offset \d+[:,] /)
    }
  })

  test.each([
    ['of another kind', 'nothing of ours\n', 'offset 0: it is no record of a Sentinel'],
    ['of a later format', 'vedette-blackbox 6\n', 'offset 0: its format is "6"'],
    [
      'of an earlier format',
      'vedette-blackbox 3\n',
      'not damaged, and the version of Vedette that wrote it can play it',
    ],
  ])('%s, is refused', (_kind, bytes, reason) => {
    expect(outcomeOf(bytes).fault).toContain(reason)
  })

  test.each([
    ['a head without an image', '{}', 'the head of the segment is not complete'],
    ['a head that is no JSON', '{', 'the head of the segment is not complete'],
    ['an image that is none', head('[]'), 'it is no list of nodes'],
    ['an image with a broken reference', head('[{"a":[[7]]}]'), '[7] is no value'],
    ['an image of something else', head('[{"o":{}}]'), 'it holds no state of a Sentinel'],
    ['an unknown class', head('[{"c":"x","v":1}]'), 'an unknown kind of object: "x"'],
    ['a class made of nonsense', head('[{"c":"access","v":7}]'), 'cannot be read'],
  ])('%s, is refused', (_kind, text, reason) => {
    const { fault } = outcomeOf(Buffer.concat([Buffer.from(MAGIC), frameOfSync('H', text)]))
    expect(fault).toContain(`hostile.vbb, offset ${MAGIC.length}: `)
    expect(fault).toContain(reason)
  })

  test.each([
    ['no JSON', '}', 'it does not begin with a JSON object'],
    ['no columns', '{}', 'its from are missing'],
    ['a moment that is none', block({ from: [0.5, 1] }), 'its from holds 0.5'],
    ['half a step', block({ steps: 1.5 }), 'its steps holds 1.5'],
    ['more steps than memory', block({ steps: 1e12 }), 'no block has 1000000000000 steps'],
    [
      'a column that is too short',
      block({ columns: [1, 1] }, '\0\0'),
      'step 1: its column times of wake ends',
    ],
    ['a column that ends within a number', block({}, '\x80'), 'step 1: its column streams ends'],
    [
      'a number beyond all bounds',
      block({ columns: [1, 9] }, `\0${'\xff'.repeat(9)}`),
      'step 1: its column turns of wake ends',
    ],
    [
      'more numbers than steps',
      block({ columns: [2, ...of('wake')] }, '\0\0\0\0'),
      'its columns are longer',
    ],
    ['an event that is missing', block({}, '\0\x04\0'), 'step 1: there is no such event'],
    ['a stream that is missing', block({}, '\x07\0\0'), 'step 1: there is no such event'],
    [
      'a step before the one before',
      block(
        { steps: 3, columns: [3, 2, 1, 0, 0, 0, 0, 0, 2, 1], events: [WAKE, REQUEST] },
        '\0\x01\0\0\x01\0\0\x04\x09',
      ),
      'step 3: it comes before the step before',
    ],
    ['an event that is none', block({ events: [7] }), '7 is no event'],
    ['an unknown event', block({ events: [{ kind: 'toString' }] }), 'no event is of the kind'],
    ['an event without its link', block({ events: [{ kind: 'linkUp' }] }), 'needs link, a number'],
    [
      'a part of INFO without the whole',
      block(
        { columns: [1, ...of('info')], events: [{ kind: 'infoAgain', link: 1, lines: [] }] },
        '\x05\0\0',
      ),
      'a part of INFO on link 1',
    ],
    [
      'something that the machine cannot digest',
      block(
        { columns: [1, ...of('other')], events: [{ kind: 'reloaded', config: {}, before: {} }] },
        '\x06\0\0',
      ),
      'step 1 of 1: the machine fails: TypeError',
    ],
    ['another history', block({}), 'what it sends and answers is not what it sent'],
  ])('with a block of %s, is refused', (_kind, text, reason) => {
    const upToHead = whole.slice(0, firstFrameEnd(whole))
    const frame = frameOfSync('B', text).toString('latin1')
    expect(outcomeOf(upToHead + frame).fault).toContain(`hostile.vbb, offset ${upToHead.length}`)
    expect(outcomeOf(upToHead + frame).fault).toContain(reason)
  })
})

const WAKE = { kind: 'wake' }
const REQUEST = { kind: 'received', client: 1, bytes: 'PING\r\n' }

function head(image: string): string {
  const now = { monoMs: 1, wallMs: 1 }
  return JSON.stringify({ myid: 'a', program: 'test', now, image, confidants: [] })
}

/** One step, told to wake up, with changes. */
function block(change: object, columns = '\0\0\0'): string {
  const from = [1_000, 1_700_000_001_000]
  const lists = { columns: [1, ...of('wake')], wall: [], digests: [], extras: [] }
  const events = [WAKE]
  const line = JSON.stringify({ from, steps: 1, ...lists, digest: 1, events, ...change })
  return `${line}\n${columns}`
}

/** The lengths of the columns of numbers and times, if one step is of this stream. */
function of(stream: (typeof STREAMS)[number]): readonly number[] {
  const numbers = STREAMS.map((name) => Number(name === stream))
  return [...numbers, ...numbers]
}

function firstFrameEnd(file: string): number {
  return MAGIC.length + 13 + Buffer.from(file, 'latin1').readUInt32BE(MAGIC.length + 1)
}

test('a name that leads nowhere is told as such, and not as a damaged record', () => {
  const path = join(scratchFolder('blackbox'), 'gone')
  expect(() => segmentsAt([path])).toThrow(
    expect.objectContaining({
      code: 'E_CONFIG_FILE',
      message: `cannot read ${path}: there is no such file or folder`,
      hint: 'check the name, and that this user may read it',
    }),
  )
})

test('a folder of the folders of several Sentinels means all of them, and one with segments only its own', () => {
  const all = scratchFolder('blackbox')
  for (const name of ['s1', 's2', 's2/old']) {
    mkdirSync(join(all, name))
    writeFileSync(join(all, name, '00000001.vbb'), '')
  }
  const found = (path: string) => segmentsAt([path]).map((one) => one.path.slice(all.length + 1))
  expect(found(all)).toEqual(['s1/00000001.vbb', 's2/00000001.vbb'])
  expect(found(join(all, 's2'))).toEqual(['s2/00000001.vbb'])
})

test('a bundle that was cut off is told as far as it goes, and then what is missing', async () => {
  const { folder, files, sentinel } = recorded()
  for (let at = 0; at < 3; at++) {
    sentinel.live(1_000)
    files.recorder.cut()
  }
  files.finish()
  const content = readFileSync(segmentsIn(folder)[0] ?? '')
  const bundle = bundleOf([{ name: 's1/00000001.vbb', content }])
  const path = join(scratchFolder('bundle'), 'a.bundle')
  writeFileSync(path, bundle.subarray(0, bundle.length - 5))
  const { lives, faults } = livesIn(segmentsAt([path]))
  expect(lives).toHaveLength(1)
  expect(faults.join()).toMatch(/00000001\.vbb, offset \d+: the bundle ends here, and 5 bytes/)
})
