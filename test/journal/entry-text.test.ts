import { expect, test } from 'vitest'
import {
  entriesText,
  entryText,
  type JournalHead,
  journalHeadText,
  readEntries,
  readJournalHead,
} from '../../src/journal/entry-text.ts'
import { eventInWords, JOURNAL_EVENTS, type JournalEvent } from '../../src/journal/event-table.ts'

const NOW = { monoMs: 5, wallMs: 1_700_000_000_005 }
const HEAD: JournalHead = {
  ...{ program: 'vedette 1', runId: 'a'.repeat(40), address: '10.0.0.1:6379' },
  keeper: 'node',
  now: NOW,
}

/** One of each row of the table. */
const EVENTS = Object.entries(JOURNAL_EVENTS).map(([kind, { fields }]) => {
  const values = Object.entries(fields).map(([name, type]) => [name, type === 'number' ? 7 : name])
  return { kind, ...Object.fromEntries(values) } as JournalEvent
})

test('every event of the table is read as it was written, and has its words', () => {
  const read = readEntries(entriesText(EVENTS.map((event) => entryText(NOW, event))))
  expect(read).toEqual(
    EVENTS.map((event) => ({ now: NOW, kind: event.kind, text: eventInWords(event), event })),
  )
  for (const event of EVENTS) expect(eventInWords(event)).not.toMatch(/undefined|NaN/)
})

test('the words of other processes are cut, and characters that are no bytes are kept', () => {
  const text = entryText(NOW, { kind: 'failed', reason: `→${'x'.repeat(10_000)}` })
  expect(text.length).toBeLessThan(500)
  expect([...text].every((one) => one.charCodeAt(0) < 256)).toBe(true)
  expect(readEntries(entriesText([text]))).toMatchObject([
    { event: { reason: `→${'x'.repeat(299)}…` } },
  ])
})

test('an event of a later version is shown by its name', () => {
  const [entry] = readEntries('[[1,2,"teleported",{"to":"mars"}]]') as readonly object[]
  expect(entry).toMatchObject({ kind: 'teleported', event: undefined })
  expect(entry).toMatchObject({ text: 'teleported (this version does not know it)' })
})

test.each([
  ['no JSON', '[', 'it is no list of entries'],
  ['no list', '{}', 'it is no list of entries'],
  ['an entry that is none', '[7]', 'entry 1: it is no list'],
  ['a moment that is none', '[[1,"2","master",{}]]', 'entry 1: it has no moment'],
  ['no fields', '[[1,2,"starting",null]]', 'entry 1: it has no fields'],
  ['a field that is missing', '[[1,2,"starting",{}],[1,2,"refusing",{}]]', 'entry 2: refusing has'],
  ['a field of another type', '[[1,2,"failed",{"reason":7}]]', 'entry 1: failed has no reason'],
  ['a name of every object', '[[1,2,"failed",{"__proto__":{"reason":"x"}}]]', 'has no reason'],
])('%s, is refused in words', (_what, text, reason) => {
  expect(readEntries(text)).toContain(reason)
})

test('a head is read as it was written, or refused', () => {
  expect(readJournalHead(journalHeadText(HEAD))).toEqual(HEAD)
  for (const wrong of [{}, { ...HEAD, keeper: 'x' }, { ...HEAD, now: {} }, { ...HEAD, runId: 7 }])
    expect(readJournalHead(JSON.stringify(wrong))).toBe('the head of the segment is not complete')
})
