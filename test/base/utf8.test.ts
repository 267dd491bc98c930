import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Bytes, utf8Text } from '../../src/base/utf8.ts'

test('text becomes its UTF-8 bytes, and those become the text again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = Buffer.from(text, 'utf8')
      expect(utf8Bytes(text)).toBe(bytes.toString('latin1'))
      expect(utf8Text(utf8Bytes(text))).toBe(bytes.toString('utf8'))
    }),
  )
})

test('a lone surrogate becomes the replacement character', () => {
  expect(utf8Bytes('\ud800x')).toBe('\xef\xbf\xbdx')
})

test.each(['\xff', 'a\xc3', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80'])(
  'bytes that are no UTF-8 stay as they are: %j',
  (bytes) => {
    expect(utf8Text(bytes)).toBe(bytes)
  },
)
