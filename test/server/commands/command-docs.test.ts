import { expect, test } from 'vitest'
import { proseOf } from '../../../src/server/commands/docs/command-docs.ts'
import { parseDocs } from '../../../src/server/commands/docs/docs-text.ts'
import { nodeCommands } from '../../../src/server/commands/registry.ts'

test('every command has its sentence', () => {
  const without = [...nodeCommands().everyCommand()]
    .map(({ fullName }) => fullName)
    .filter((name) => (proseOf(name)?.summary ?? '') === '')
  expect(without).toEqual([])
})

test('the notation says all that is known of an argument', () => {
  const docs = parseDocs(
    'x 1.0.0~2.0.0!: Does it.\n  key:key#0 how(EX=seconds:integer@2.0.0|keep!|y!WHY)?\n  pair{a b}+*\nz 3.0.0: Else.',
  )
  const [key, how, pair] = docs.get('x')?.parts ?? []
  expect(docs.get('x')).toMatchObject({ deprecatedSince: '2.0.0', isInternal: true })
  expect(key).toMatchObject({ name: 'key', type: 'key', keySpec: 0, flags: [] })
  expect(how).toMatchObject({ type: 'oneof', flags: ['optional'] })
  expect(how?.parts.map(({ type, token }) => [type, token])).toEqual([
    ['integer', 'EX'],
    ['pure-token', 'KEEP'],
    ['pure-token', 'WHY'],
  ])
  expect(pair).toMatchObject({ type: 'block', flags: ['multiple', 'multiple_token'] })
  expect(docs.get('z')?.parts).toEqual([])
})
