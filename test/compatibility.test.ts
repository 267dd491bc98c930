/** docs/compatibility.md has a row for every command, event and directive there is: none is forgotten. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GLOBAL_DIRECTIVES } from '../src/config/sentinel-directives.ts'
import { GROUP_DIRECTIVES } from '../src/config/sentinel-group-directives.ts'
import { meaningfulDirectives } from '../src/config/server-directives.ts'
import { ownName } from '../src/core/commands/command.ts'
import { COMMANDS } from '../src/core/commands/table.ts'

const ROOT = new URL('../', import.meta.url)
const PAGE = readFileSync(new URL('docs/compatibility.md', ROOT), 'utf8')

function section(title: string): string {
  const [, rest = ''] = PAGE.split(`\n#### ${title}\n`)
  return rest.split(/\n#{2,4} /)[0] ?? ''
}

/** The words in code marks of the first column. */
function rows(title: string): string {
  const lines = section(title).split('\n')
  return lines.map((line) => line.split('|')[1] ?? '').join('\n')
}

describe('every command has its row', () => {
  const commands = rows('Commands')
  const names = [...COMMANDS.values()].map(({ name }) => name.toUpperCase())
  test.each(names)('%s', (name) => expect(commands).toMatch(new RegExp(`\`${name}\\b`)))
  const subcommands = [...(COMMANDS.get('sentinel')?.subcommands.values() ?? [])]
  test.each(subcommands.map((one) => ownName(one).toUpperCase()))('SENTINEL %s', (name) =>
    expect(commands).toMatch(new RegExp(`\\b${name}\\b`)),
  )
})

describe('every event has its row', () => {
  const events = rows('Events')
  const names = new Set(
    sourcesOfCore().flatMap((text) => text.match(/(?<=')[+-][a-z][a-z-]+(?=')/g) ?? []),
  )
  test.each([...names].sort())('%s', (name) => expect(events).toContain(`\`${name}\``))
  test('there are more than forty of them', () => expect(names.size).toBeGreaterThan(40))
})

describe('every directive has its row', () => {
  const directives = rows('Directives of sentinel.conf')
  const names = ['monitor', ...GLOBAL_DIRECTIVES.keys(), ...GROUP_DIRECTIVES.keys()]
  test.each(names)('sentinel %s', (name) => expect(directives).toMatch(new RegExp(`\\b${name}\``)))
  const ordinary = meaningfulDirectives().filter((name) => !name.startsWith('tls-'))
  test.each(ordinary)('%s', (name) => expect(directives).toMatch(new RegExp(`\`${name}\\b`)))
})

function sourcesOfCore(): readonly string[] {
  const folder = new URL('src/core/', ROOT)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
}
