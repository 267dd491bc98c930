/** What a record leaves out because it was said before, or because no Sentinel reads it. */
import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { BlockWriter, readBlock, SegmentEvents } from '../../src/blackbox/block.ts'
import { EffectTexts, lasting, NOTHING_SAID } from '../../src/blackbox/effect-text.ts'
import type { EntryEvent } from '../../src/blackbox/entry.ts'
import { EventTable, STREAMS, StreamTurns } from '../../src/blackbox/event-table.ts'
import { InfoCompleter, InfoShortener, linesRead } from '../../src/blackbox/info-lines.ts'
import { HIDDEN_ALREADY } from '../../src/blackbox/secrets.ts'
import { DEFAULT_SENTINEL } from '../../src/core/config.ts'
import { HELLO_CHANNEL } from '../../src/core/discovery/hello-format.ts'
import { parseInfo } from '../../src/core/discovery/info-parser.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { GROUP } from '../support/sentinel-stage.ts'
import { differencesOf, KeptRecord } from './support.ts'

const INFO = [
  'role:master',
  'uptime_in_seconds:100',
  'used_memory:1000',
  'slave0:ip=10.0.0.2,port=6379,state=online,offset=500,lag=0',
]

function info(lines: readonly string[]): Extract<Event, { kind: 'reply' }> {
  const reply = { kind: 'bulk', bytes: lines.map((line) => `${line}\r\n`).join('') } as const
  return { kind: 'reply', link: 1, purpose: { kind: 'info' }, reply }
}

test('of an INFO after the first only lines that a Sentinel reads are kept', () => {
  const infos = new InfoShortener()
  const first = info(INFO)
  const shorten = (event: typeof first) => infos.shorten(event, linesRead(event) ?? [])
  expect(shorten(first)).toBe(first)
  const changed = (from: string, to: string) =>
    shorten(info(INFO.map((line) => line.replace(from, to))))
  const nothing = { kind: 'infoAgain', link: 1, lines: [] }
  expect(changed('in_seconds:100', 'in_seconds:110')).toEqual(nothing)
  expect(changed('offset=500', 'offset=900')).toEqual(nothing)
  expect(changed('port=6379', 'port=6380')).toMatchObject({ lines: [[2, expect.any(String)]] })
  // What was kept is what the reader has, so going back is news.
  expect(changed('', '')).toMatchObject({ lines: [[2, INFO[3]]] })
  expect(changed('memory:1000', 'memory:1001')).toMatchObject({
    lines: [[1, 'used_memory:1001']],
  })
})

test('a reader that is told the lines that changed parses what the Sentinel parsed', () => {
  const shortener = new InfoShortener()
  const completer = new InfoCompleter()
  const texts = [
    INFO,
    INFO.map((line) => line.replace('memory:1000', 'memory:2000')),
    INFO.map((line) => line.replace('role:master', 'role:slave').replace('port=6379', 'port=1')),
    [...INFO, 'master_host:10.0.0.9'],
  ]
  for (const lines of texts) {
    const told = info(lines)
    const kept = shortener.shorten(told, linesRead(told) ?? []) as Parameters<
      InfoCompleter['complete']
    >[0]
    const read = completer.complete(kept) as typeof told
    expect(factsOf(read)).toEqual(factsOf(told))
  }
})

function factsOf({ reply }: ReturnType<typeof info>) {
  return parseInfo(reply.kind === 'bulk' ? reply.bytes : '')
}

test('the digest of a block tells apart what was sent, where, why and in which order', () => {
  const texts = new EffectTexts(HIDDEN_ALREADY)
  const ping: Effect = { kind: 'send', link: 1, purpose: { kind: 'ping' }, argv: ['PING'] }
  const others: Effect[][] = [
    [ping],
    [{ ...ping, link: 2 }],
    [{ ...ping, purpose: { kind: 'setup' } }],
    [{ ...ping, argv: ['PING', 'x'] }],
    [{ ...ping, argv: ['PINGx'] }],
    [ping, { ...ping, link: 2 }],
    [{ ...ping, link: 2 }, ping],
    [{ kind: 'respond', client: 1, protocol: 2, reply: { kind: 'simple', text: 'PONG' } }],
    [{ kind: 'respond', client: 1, protocol: 2, reply: { kind: 'simple', text: 'PONh' } }],
  ]
  const digests = others.map((effects) => texts.mix(NOTHING_SAID, effects))
  expect(new Set(digests).size).toBe(others.length)
  const echoes = new Map([['secret', 'hidden-1']])
  const secret: Effect = { ...ping, argv: ['PING', 'secret'] }
  const hidden: Effect = { ...ping, argv: ['PING', 'hidden-1'] }
  expect(texts.mix(1, [secret], echoes)).toBe(texts.mix(1, [hidden]))
})

test('what a Sentinel of many groups saves is not compared: a thousand of them would be written with each save', () => {
  const sentinelOf = (count: number) => {
    const groups = Array.from({ length: count }, (_, at) => ({ ...GROUP, name: `g${at}` }))
    const config = { ...DEFAULT_SENTINEL, groups }
    const now = { monoMs: 1_000, wallMs: 1_700_000_000_000 }
    return startSentinel({ config, saved: undefined, rng: createRng('many'), now })
  }
  const savedBy = ({ state, effects }: ReturnType<typeof sentinelOf>) => {
    const last = lasting(effects, state)
    state.currentEpoch = 7
    return new EffectTexts(HIDDEN_ALREADY).textOf(last)
  }
  expect(savedBy(sentinelOf(16))).toMatch(/save .*"currentEpoch":0,.*"name":"g15"/)
  expect(savedBy(sentinelOf(17))).toMatch(/save .*"groups":\[\]/)
})

test('an event stands once in a segment, and later blocks refer to it', () => {
  const table = new EventTable()
  const pong: EntryEvent = {
    ...{ kind: 'reply', link: 3, purpose: { kind: 'ping' } },
    reply: { kind: 'simple', text: 'PONG' },
  }
  const other: EntryEvent = { ...pong, link: 4 }
  const blocks = [[pong, other], [{ kind: 'wake' } as const, pong], [other]].map((events, at) => {
    const now = { monoMs: at, wallMs: 1_000 + at }
    const block = new BlockWriter(now, table)
    for (const event of events) block.add({ now, event, digest: undefined, extra: undefined })
    return block.text(0)
  })
  expect(blocks.map((text) => JSON.parse(text.split('\n', 1)[0] ?? '').events.length)).toEqual([
    2, 1, 0,
  ])
  const events = new SegmentEvents()
  const read = blocks.flatMap((text) => readBlock(text, events).entries.map(({ event }) => event))
  expect(read).toEqual([pong, other, { kind: 'wake' }, pong, other])
  expect(() => readBlock(blocks[2] ?? '', new SegmentEvents())).toThrow(
    'step 1: there is no such event',
  )
})

const MESSAGES = STREAMS.indexOf('message')
const REQUESTS = STREAMS.indexOf('received')

/** What is written of an event, and whether it was said whole. */
function writer(stream: number) {
  const table = new EventTable()
  return (event: EntryEvent) => {
    let isSaid = false
    const written = table.written(stream, event, () => {
      isSaid = true
    })
    return isSaid ? 'new' : written
  }
}

test('a Sentinel that hears something new each time remembers a bounded number of events', () => {
  const written = writer(MESSAGES)
  const hello = (payload: string): EntryEvent => {
    return { kind: 'message', link: 1, channel: HELLO_CHANNEL, payload }
  }
  for (let at = 0; at < 25_000; at++) expect(written(hello(String(at)))).toBe('new')
  expect(written(hello('24999'))).toBe(1)
  // Forgotten: it stands there again.
  expect(written(hello('0'))).toBe('new')
  const request = writer(REQUESTS)
  const long: EntryEvent = { kind: 'received', client: 1, bytes: 'x'.repeat(60_000) }
  expect([request(long), request(long)]).toEqual(['new', 'new'])
})

test('requests of a client are known again, those of a hundred groups too, until it is closed', () => {
  const written = writer(REQUESTS)
  const requests = Array.from({ length: 100 }, (_, at): EntryEvent => {
    return { kind: 'received', client: 1, bytes: `PUBLISH ${at}` }
  })
  expect(new Set(requests.map(written))).toEqual(new Set(['new']))
  // Each comes after the 99 others.
  expect(new Set(requests.map(written))).toEqual(new Set([100]))
  expect(written({ kind: 'received', client: 2, bytes: 'PUBLISH 0' })).toBe('new')
  written({ kind: 'clientClosed', client: 1 })
  expect(written(requests[0] as EntryEvent)).toBe('new')
})

test('events that come in any order are read as they were written, also those that did not come for long', () => {
  const rng = createRng('turns')
  const writing = new StreamTurns()
  const reading = new StreamTurns()
  for (let at = 0; at < 20_000; at++) {
    // At first many, of which few stay.
    const number = rng.below(at < 5_000 ? 3_000 : 40 * (1 + rng.below(50)))
    const isNew = number >= writing.count
    const told = isNew ? writing.add() : number
    expect(reading.read(isNew ? 0 : writing.again(told))).toBe(told)
  }
  expect(writing.count).toBeGreaterThan(1_500)
  // Made up: beyond what there was.
  expect(reading.read(1_000_000)).toBeGreaterThan(reading.count)
})

test('whole INFO texts that a client is given are not compared, since a record has a part of them', () => {
  const record = new KeptRecord()
  let monoMs = 1_000
  const now = () => ({ monoMs, wallMs: 1_700_000_000_000 + monoMs })
  const config = { ...DEFAULT_SENTINEL, groups: [GROUP] }
  const start = { config, saved: undefined, rng: createRng('told'), now: now() }
  const { state, effects } = startSentinel(start)
  record.recorder.begin(state, start.now, effects)
  const feed = (event: Event) => {
    monoMs += 10
    const done = record.recorder.step(state, now(), event)
    if (done.some(({ kind }) => kind === 'save'))
      record.recorder.step(state, now(), { kind: 'saved' })
    return JSON.stringify(done)
  }
  feed({ kind: 'saved' })
  const ends = { address: '127.0.0.1:5000', localAddress: '127.0.0.1:26379' }
  feed({ kind: 'clientOpened', client: 1, ...ends })
  const [link = 0] = state.connections.keys()
  feed({ kind: 'linkUp', link, localHost: '127.0.0.1' })
  for (const seconds of [100, 110]) {
    const lines = INFO.map((line) => line.replace('seconds:100', `seconds:${seconds}`))
    feed({ ...info(lines), link })
  }
  const bytes = encodeCommand(['SENTINEL', 'INFO-CACHE', GROUP.name])
  expect(feed({ kind: 'received', client: 1, bytes })).toContain('uptime_in_seconds:110')
  expect(differencesOf(record)).toEqual([])
  expect(record.text).not.toContain('uptime_in_seconds:110')
})
