import { expect, test } from 'vitest'
import { EVENT_NAMES, EVENTS, heardEvent } from '../../src/core/event-table.ts'
import { eventText, eventWords } from '../../src/core/event-words.ts'
import { announce } from '../../src/core/events.ts'
import type { Group, Peer, Turn } from '../../src/core/state.ts'

const wordsOf = (text: string) => [...text.matchAll(/<(\w+)>/g)].map(([, word = '']) => word)

test.each(EVENT_NAMES)('what %s carries is read as it was written', (name) => {
  const { about, text } = EVENTS[name]
  const words = Object.fromEntries(wordsOf(text).map((word, index) => [word, `${word}-${index}`]))
  const described = about === 'group' || about === 'none' ? '' : 'master mymaster 10.0.0.1 6379 '
  const read = eventWords(name, `${described}${eventText(name, words)}`.trimEnd())
  if (wordsOf(text).length > 0) expect({ ...read }).toEqual(words)
})

test('the last word of a payload may be a sentence', () => {
  const payload = 'master m 10.0.0.1 6379 # no reply to PING for 3 s, and # more'
  expect(eventWords('+sdown-evidence', payload)?.reason).toContain('and # more')
})

test('a payload of another shape has no words', () => {
  expect(eventWords('+odown', 'master m 10.0.0.1 6379')).toBeUndefined()
  expect(eventWords('+switch-master', 'm 10.0.0.1 6379')).toBeUndefined()
})

test.each(EVENT_NAMES)('%s in plain words refers to what it carries', (name) => {
  const { about, text, says } = EVENTS[name]
  const described = about === 'group' || about === 'none' ? [] : ['instance', 'port']
  expect([...described, ...wordsOf(text)]).toEqual(expect.arrayContaining(wordsOf(says)))
})

test('an event that has no row is shown and never taken for one of ours', () => {
  expect(heardEvent('+sdown')).toBe('+sdown')
  expect(heardEvent('+from-elsewhere')).toBe('unknown event +from-elsewhere')
  expect(heardEvent('constructor')).toBe('unknown event constructor')
})

test('what is misspelt or carries something else does not compile', () => {
  // Each line that would compile fails the check of types; it is never run.
  const misuse = (turn: Turn, group: Group, peer: Peer): void => {
    // @ts-expect-error: no such event
    announce(turn, '+swich-master', group.master)
    // @ts-expect-error: about a master, not a peer
    announce(turn, '-odown', peer)
    // @ts-expect-error: the quorum is missing
    announce(turn, '+odown', group.master, { agreeing: 2 })
    // @ts-expect-error: carries nothing
    announce(turn, '-odown', group.master, { agreeing: 2 })
    // @ts-expect-error: carries an epoch
    announce(turn, '+new-epoch', group)
  }
  expect(misuse).toBeTypeOf('function')
})
