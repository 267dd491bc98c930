/** docs/compatibility-sentinel.md has a row for every command, event and directive there is: none is forgotten. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GLOBAL_DIRECTIVES } from '../src/config/sentinel-directives.ts'
import { GROUP_DIRECTIVES } from '../src/config/sentinel-group-directives.ts'
import { meaningfulDirectives } from '../src/config/server-directives.ts'
import { ownName } from '../src/core/commands/command.ts'
import { COMMANDS } from '../src/core/commands/table.ts'
import { EVENT_NAMES, isEventName } from '../src/core/event-table.ts'

const ROOT = new URL('../', import.meta.url)
const PAGE = readFileSync(new URL('docs/compatibility-sentinel.md', ROOT), 'utf8')

function section(title: string): string {
  const [, rest = ''] = PAGE.split(`\n### ${title}\n`)
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
  test.each(EVENT_NAMES)('%s', (name) => expect(events).toContain(`\`${name}\``))
  test('and no row is about an event there is not', () => {
    const named = [...events.matchAll(/`([+-][^`]+)`/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !isEventName(name))).toEqual([])
  })
})

describe('every directive has its row', () => {
  const directives = rows('Directives of sentinel.conf')
  const names = ['monitor', ...GLOBAL_DIRECTIVES.keys(), ...GROUP_DIRECTIVES.keys()]
  test.each(names)('sentinel %s', (name) => expect(directives).toMatch(new RegExp(`\\b${name}\``)))
  const ordinary = meaningfulDirectives().filter((name) => !name.startsWith('tls-'))
  test.each(ordinary)('%s', (name) => expect(directives).toMatch(new RegExp(`\`${name}\\b`)))
})

describe('the pages can be read', () => {
  const pages = readdirSync(new URL('docs/', ROOT)).filter((name) => name.startsWith('compatib'))
  test.each(pages)('%s has no cell of more than 200 characters, and rows of one width', (page) => {
    const lines = readFileSync(new URL(`docs/${page}`, ROOT), 'utf8').split('\n')
    const rows = lines.filter((line) => line.startsWith('|')).map(cellsOf)
    expect(rows.flat().filter((cell) => cell.length > 200)).toEqual([])
    const widths = lines.map((line) => (line.startsWith('|') ? cellsOf(line).length : 0))
    const torn = lines.filter((_, at) => {
      const [above = 0, here = 0] = widths.slice(Math.max(0, at - 1), at + 1)
      return at > 0 && above > 0 && here > 0 && above !== here
    })
    expect(torn).toEqual([])
  })
})

function cellsOf(row: string): readonly string[] {
  return row.split(/(?<!\\)\|/).slice(1, -1)
}
