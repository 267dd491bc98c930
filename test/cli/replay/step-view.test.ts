/** `vedette replay --step` on small terminals. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { fitted } from '../../../src/cli/replay/step-view.ts'

const LINES = [
  { text: 'heard: a deadline' },
  { text: '  replica 127.0.0.1:49501 not connected, never well so far, has named no master' },
  ...Array.from({ length: 40 }, (_, at) => ({ text: `  due in ${at} ms` })),
]

function shown(size: { columns?: number; rows?: number }): readonly string[] {
  return fitted(LINES, size).map((line) => stripVTControlCharacters(line))
}

test('on a narrow terminal no word is broken', () => {
  const lines = shown({ columns: 40 })
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40)
  expect(lines.slice(1, 4)).toEqual([
    '  replica 127.0.0.1:49501 not connected,',
    '    never well so far, has named no',
    '    master',
  ])
  expect(lines.slice(-3)).toEqual([
    '',
    'space, n: next decision · s: next step',
    'm: ten decisions on · b: back · q: end',
  ])
})

test('of what is too tall the end is left out, and what was heard and the keys are in sight', () => {
  const lines = shown({ columns: 80, rows: 20 })
  expect(lines).toHaveLength(19)
  expect(lines[0]).toBe('heard: a deadline')
  expect(lines.at(-3)).toMatch(/^… \d+ more lines$/)
  expect(lines.at(-1)).toContain('q: end')
})

test('without a size everything is shown', () => {
  expect(shown({})).toHaveLength(LINES.length + 2)
})
