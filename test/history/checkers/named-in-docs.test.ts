import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createCheckers } from '../../../src/history/checkers/checkers.ts'
import { createTopology } from '../../sim/topology.ts'
import { at } from './support.ts'

test('docs/simulator.md has a row for every checker, by its name, and for nothing else', () => {
  const page = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8')
  const table = page.split('| checker | what must never happen |')[1]?.split('\n\n')[0] ?? ''
  const rows = [...table.matchAll(/^\| ([^|-][^|]*) \|/gm)].map(([, name]) => name)
  const start = { topology: createTopology(), nameOf: () => '', addressOf: at }
  const names = createCheckers(start).flatMap(({ name }) => (name === 'scene' ? [] : [name]))
  expect(rows.sort()).toEqual(names.sort())
})
