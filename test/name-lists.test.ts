/**
 * One fact, one place: how a command is treated stands in its spec, and what becomes of a directive in the
 * table of settings. A list of their names anywhere else is where the next one would be forgotten.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS } from '../src/core/commands/table.ts'
import { nodeCommands } from '../src/server/commands/registry.ts'
import { Settings } from '../src/server/settings/settings.ts'

const ROOT = new URL('../src/', import.meta.url)

const nodeNames = new Set([...nodeCommands().everyCommand()].map(({ fullName }) => fullName))
const settings = new Settings()

/** Where no command of a data node should be known by name. */
const besideNodeSpecs = filesOf('server', 'config', 'cli').filter(
  (file) =>
    !file.startsWith('server/commands/') &&
    // The directives, of which some are called like commands.
    file !== 'server/settings/setting-table.ts' &&
    // What Sentinels and replicas send, which is tried on other programs; held to docs/users.md.
    file !== 'cli/check/deep/rights.ts',
)

test('names of commands of a data node are listed nowhere but in their specs', () => {
  expect(listsIn(besideNodeSpecs, (word) => nodeNames.has(word), 2)).toEqual([])
})

test('nothing beside the specs of a data node decides by the full name of a command', () => {
  const byName =
    /fullName\)? [!=]== '|\.(?:has|get|includes)\([\w.?!]*fullName\b|switch \([\w.?]*fullName\b/g
  const found = besideNodeSpecs.flatMap((file) =>
    [...codeOf(file).matchAll(byName)].map(([text]) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

test('names of commands of a Sentinel are listed nowhere', () => {
  expect(listsIn(filesOf('core', 'config'), (word) => COMMANDS.has(word), 2)).toEqual([])
})

test('names of directives of a data node are not listed where configurations are read', () => {
  // This one says how a Sentinel writes down those it shares with a data node.
  const files = filesOf('config').filter((file) => file !== 'config/export-ordinary.ts')
  expect(listsIn(files, (word) => settings.knows(word), 3)).toEqual([])
})

test('no command can see the registry: families know the type, and the registry the families', () => {
  const registry = 'server/commands/registry.ts'
  const families = filesOf('server/commands').filter((file) => file !== registry)
  expect(families.length).toBeGreaterThan(50)
  const reached = new Set<string>()
  const open = [...families]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of importsOf(file)) {
      if (!reached.has(next)) open.push(next)
      reached.add(next)
    }
  }
  expect(reached).toContain('server/catalogue/command.ts')
  expect(reached).not.toContain(registry)
})

function filesOf(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  )
}

function codeOf(file: string): string {
  const text = readFileSync(new URL(file, ROOT), 'utf8')
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** What a file needs when it runs: types are gone then. */
function importsOf(file: string): readonly string[] {
  const paths = codeOf(file).matchAll(/^(?:import|export) (?!type )[^;']*?from '(\.[^']+)'/gm)
  return [...paths].map(([, path = '']) => {
    return new URL(path, new URL(file, ROOT)).pathname.slice(ROOT.pathname.length)
  })
}

/** Array literals, and texts that are lists of words, with at least so many different names in them. */
function listsIn(files: readonly string[], isName: (word: string) => boolean, atLeast: number) {
  return files.flatMap((file) => {
    const lists = wordLists(codeOf(file)).map((words) => [...new Set(words.filter(isName))])
    return lists.filter((names) => names.length >= atLeast).map((names) => ({ file, names }))
  })
}

function wordLists(code: string): readonly (readonly string[])[] {
  const arrays = [...code.matchAll(/\[[^[\]]*\]/g)].map(([array]) =>
    [...array.matchAll(/'([^'\n]*)'/g)].map(([, word = '']) => word),
  )
  const texts = [...code.matchAll(/(?:'([^'\n]*)'|`([^`]*)`)\s*\.(?:trim|split)\(/g)]
  const words = texts.map(([, quoted, template]) => (quoted ?? template ?? '').split(/\s+/))
  return [...arrays, ...words]
}
