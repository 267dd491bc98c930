import { expect, test } from 'vitest'
import { groupMeant } from '../../src/cli/status/group-named.ts'

/** Latin-1, UTF-8 of another word, and one that is told in part as UTF-8. */
const KNOWN = [
  { word: 'gr\xf6\xdfe', shown: 'größe' },
  { word: '\xc3\xbcbung', shown: 'übung' },
  { word: '\xc3\xbc\xff', shown: 'ü\xff' },
]

test('a name that is no UTF-8 is found as vedette status shows it', () => {
  expect(groupMeant(KNOWN, 'größe')?.word).toBe('gr\xf6\xdfe')
  expect(groupMeant(KNOWN, 'ü\xff')?.word).toBe('\xc3\xbc\xff')
})

test('its own bytes find it, too, in which Node has put U+FFFD for each', () => {
  expect(groupMeant(KNOWN, 'gr\ufffd\ufffde')?.shown).toBe('größe')
})

test('the UTF-8 of a name goes before other names that look like it', () => {
  const twin = { word: 'gr\xc3\xb6\xc3\x9fe', shown: 'größe' }
  expect(groupMeant([...KNOWN, twin], 'größe')).toBe(twin)
})

test('where several could be meant none is, so that no order reaches the wrong group', () => {
  const known = [...KNOWN, { word: 'gr\xe4\xdfe', shown: 'gräße' }]
  expect(groupMeant(known, 'gr\ufffd\ufffde')).toBeUndefined()
  expect(groupMeant(known, 'nope')).toBeUndefined()
})
