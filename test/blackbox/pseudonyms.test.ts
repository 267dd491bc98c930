import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { readBlock, SegmentEvents } from '../../src/blackbox/block.ts'
import { Player } from '../../src/blackbox/player.ts'
import { Pseudonyms } from '../../src/blackbox/pseudonyms.ts'
import { headText, readHead } from '../../src/blackbox/record-head.ts'
import { SegmentRewriter } from '../../src/blackbox/rewrite.ts'
import { bundleOf, openBundle } from '../../src/io/blackbox/bundle.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { playScenario } from '../../src/scenario/run.ts'
import { scratchFolder } from '../support/scratch.ts'
import { differencesOf, digest, KeptRecord, recordingEngine } from './support.ts'

async function recordsOf(name: string): Promise<readonly KeptRecord[]> {
  const path = new URL(`../../scenarios/${name}`, import.meta.url)
  const parsed = parseScenario(readFileSync(path, 'utf8'), name)
  if (!parsed.ok) throw new Error(`${name} cannot be read`)
  const records: KeptRecord[] = []
  await playScenario(parsed.value, { seed: '1', engine: recordingEngine(records, 1_000) })
  return records
}

/** The same record under other names. */
function renamed(record: KeptRecord, names: Pseudonyms): KeptRecord {
  record.recorder.cut()
  const other = new KeptRecord()
  for (const { head, blocks } of record.segments) {
    const rewriter = new SegmentRewriter(readHead(head), names, digest)
    const events = new SegmentEvents()
    for (const text of blocks) rewriter.take(readBlock(text, events))
    const written = rewriter.rewritten()
    other.segments.push({ head: headText(written.head), blocks: [...written.blocks] })
  }
  return other
}

test('a record under pseudonyms plays without a difference, and no name or address of before is in it', async () => {
  const records = await recordsOf('01-master-killed.yml')
  const names = new Pseudonyms(createRng('pseudonyms'))
  let announced = 0
  for (const record of records) {
    const { text } = record
    expect(text).toContain('mymaster')
    expect(text).toContain('10.0.0.1')
    const other = renamed(record, names)
    const seen = (step: { effects: readonly { kind: string }[] }) => {
      announced += step.effects.filter(({ kind }) => kind === 'log').length
    }
    expect(differencesOf(other, seen as never)).toEqual([])
    expect(other.text).not.toMatch(/mymaster|10\.0\.0\.\d/)
  }
  expect(announced).toBeGreaterThan(20)
})

test('a change of the record is noticed: the machine must do the same under both names', async () => {
  const [record] = await recordsOf('01-master-killed.yml')
  record?.recorder.cut()
  const { head = '', blocks = [] } = record?.segments[0] ?? {}
  const rewriter = new SegmentRewriter(readHead(head), new Pseudonyms(createRng('x')), digest)
  const block = readBlock(blocks[0] ?? '', new SegmentEvents())
  const [first, ...others] = block.entries
  expect(first).toBeDefined()
  expect(() => rewriter.take({ ...block, entries: others })).toThrow()
})

describe('pseudonyms', () => {
  const names = new Pseudonyms(createRng('names'))

  test('an address has one of the same length, the same wherever it stands', () => {
    const [one, other] = names.rename('10.0.0.10,6379 and 10.0.0.10:26379').split(' and ')
    expect(one).toMatch(/^\d\d\.\d\.\d\.\d\d,6379$/)
    expect(one).not.toContain('10.0.0.10')
    expect(other?.split(':')[0]).toBe(one?.split(',')[0])
  })

  test.each(['127.0.0.1', '0.0.0.0', '7.0.15', '1.2.3.4.5', '999.1.1.1', '224.0.0.1'])(
    '%s stays as it is',
    (text) => expect(names.rename(text)).toBe(text),
  )

  test('of a path the form is left', () => {
    expect(names.rename('/etc/redis/sentinel.conf')).toBe('/xxx/xxxxx/xxxxxxxx.xxxx')
  })

  test('many addresses have as many pseudonyms', () => {
    const all = Array.from({ length: 200 }, (_, at) => names.rename(`192.168.1.${at + 1}`))
    expect(new Set(all).size).toBe(200)
  })
})

test('pseudonyms of a head that is no image are refused with words', () => {
  const head = readHead(
    JSON.stringify({
      ...{ myid: 'a', program: 'p', now: { monoMs: 1, wallMs: 1 }, image: '[]', confidants: [] },
    }),
  )
  expect(() => new SegmentRewriter(head, new Pseudonyms(createRng('x')), digest)).toThrow(
    /the image of the Sentinel cannot be read/,
  )
  expect(() => new Player(head, digest)).toThrow()
})

describe('a bundle', () => {
  const members = [
    { name: '10.0.0.1:26379/00000001.vbb', content: Buffer.from('one\n') },
    { name: '[fd00::1]:26379/00000002.vbb', content: Buffer.alloc(0) },
    { name: '4be1/00000003.vbb', content: Buffer.from([0, 10, 255]) },
  ]
  const magic = 'vedette-bundle 1\n'
  const written = (content: Buffer | string) => {
    const path = join(scratchFolder('bundle'), 'a.bundle')
    writeFileSync(path, content)
    return path
  }

  test('gives back what was put into it', () => {
    const path = written(bundleOf(members))
    const read = openBundle(path)?.map((one) => ({ ...one, path: one.path.slice(path.length + 1) }))
    expect(read).toEqual(members.map(({ name, content }) => ({ path: name, content, missing: 0 })))
  })

  test('of one that was cut off, what is there is given back, and what is missing told', () => {
    const read = openBundle(written(`${magic}{"name":"s1/00000001.vbb","bytes":9}\nshort`)) ?? []
    expect(read.map(({ content, missing }) => [content?.toString(), missing])).toEqual([
      ['short', 4],
    ])
  })

  test('what is no bundle is none', () =>
    expect(openBundle(written('vedette-blackbox 2\n'))).toBeUndefined())

  test.each([
    ['begins with', '{"name":"../../00000001.vbb","bytes":0}\n', 17],
    ['begins with', '{"name":"s1/00000001.vbb","bytes":-1}\n', 17],
    ['begins with', 'x'.repeat(2_000), 17],
  ])('%s: a damaged one is refused with its offset', (what, text, offset) => {
    expect(() => openBundle(written(magic + text))).toThrow(
      new RegExp(`a\\.bundle, offset ${offset}: .*${what}`),
    )
  })
})
