/** Tables of addresses on narrow terminals. */
import { expect, test } from 'vitest'
import { cell, table } from '../../src/cli/table.ts'

function cutTo(text: string, width: number): string | undefined {
  return table([{ head: 'THEN' }], [[cell(text)]], width)[1]
}

test('an address that is too wide keeps its port, also with words behind it', () => {
  expect(cutTo('127.0.0.1:49501', 11)).toBe('….0.1:49501')
  expect(cutTo('127.0.0.1:49501 is master', 24)).toBe('…7.0.0.1:49501 is master')
  expect(cutTo('127.0.0.1:49501 is master', 13)).toBe('…:49501 is m…')
})

test('other words lose their end', () => {
  expect(cutTo('the same master as before', 13)).toBe('the same mas…')
})
