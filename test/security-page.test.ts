/**
 * docs/security.md names the tests that stand for its lines, as `file` “title”: each of them exists, and so
 * do all titles behind a file up to the next one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const ROOT = new URL('../', import.meta.url)
const PAGE = readFileSync(new URL('docs/security.md', ROOT), 'utf8')

interface Claim {
  readonly file: string
  readonly titles: readonly string[]
}

function claims(): readonly Claim[] {
  return [...PAGE.matchAll(/`(test\/[\w/-]+\.test\.ts)`([^`|]*)/g)].map(
    ([, file = '', rest = '']) => ({
      file,
      titles: [...rest.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
    }),
  )
}

const lines = claims().flatMap(({ file, titles }) =>
  titles.length === 0 ? [[file, ''] as const] : titles.map((title) => [file, title] as const),
)

describe('every test the page names exists', () => {
  test.each(lines)('%s “%s”', (file, title) => {
    const text = readFileSync(new URL(file, ROOT), 'utf8')
    if (title !== '') expect(text).toMatch(asWritten(title))
  })
})

test('every file of attacks has a line', () => {
  const files = readdirSync(new URL('test/attack/', ROOT)).map((name) => `test/attack/${name}`)
  expect(files.filter((file) => !lines.some(([named]) => named === file))).toEqual([])
})

test('every attack has a line with four cells', () => {
  const rows = PAGE.split('\n').filter((line) => line.startsWith('|'))
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter((row) => row.split('|').length !== 6)).toEqual([])
})

/** Between quotes of one kind, so that a part of a title is no title. */
function asWritten(title: string): RegExp {
  return new RegExp(`(['"\`])${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1`)
}
