/**
 * One meaning per word: two exported types of one name make every import a riddle, and every search
 * for the name finds the wrong one first.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../src/', import.meta.url)
const EXPORTED_TYPE = /^export (?:abstract )?(?:interface|type|class) (\w+)/gm

test('no two exported types share a name', () => {
  const files = readdirSync(ROOT, { recursive: true }).map(String)
  const places = new Map<string, string[]>()
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    for (const name of typesIn(readFileSync(new URL(file, ROOT), 'utf8'))) {
      places.set(name, [...(places.get(name) ?? []), file])
    }
  }
  expect(places.size).toBeGreaterThan(500)
  expect([...places].filter(([, where]) => where.length > 1)).toEqual([])
})

function typesIn(source: string): readonly string[] {
  return [...source.matchAll(EXPORTED_TYPE)].map(([, name = '']) => name)
}
