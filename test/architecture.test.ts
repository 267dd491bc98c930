/**
 * Which folder may import which. The first line of the table that is wrong for somebody's convenience
 * is the end of "what runs under the simulator is what runs in production".
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  resp: ['base'],
  acl: ['base', 'resp'],
  session: ['base', 'resp', 'acl'],
  core: ['base', 'resp', 'acl', 'session'],
  lua: ['base'],
  journal: ['base'],
  server: ['base', 'resp', 'acl', 'session', 'lua', 'journal'],
  proxy: ['base', 'resp', 'server', 'journal'],
  hooks: ['base', 'core'],
  config: ['base', 'acl', 'core', 'hooks', 'proxy', 'server'],
  blackbox: ['base', 'resp', 'acl', 'core', 'journal'],
  history: ['base', 'core'],
  rehearsal: ['base', 'resp', 'core', 'history', 'sim'],
  sim: ['base', 'resp', 'core', 'server', 'proxy', 'config', 'history'],
  scenario: ['history', 'sim', 'config', 'resp', 'base'],
  http: ['base', 'resp', 'core', 'server', 'proxy'],
  dashboard: ['http'],
  io: ['base', 'resp', 'core', 'server', 'proxy', 'config', 'http', 'hooks', 'blackbox', 'journal'],
  report: ['base', 'history', 'scenario'],
  fuzz: ['base', 'resp', 'core', 'server', 'sim', 'config', 'history', 'scenario'],
  simulate: ['base', 'config', 'core', 'history', 'scenario', 'fuzz'],
  engine: ['base', 'resp', 'core', 'server', 'config', 'history', 'sim', 'scenario', 'io'],
  testing: [
    ...['base', 'resp', 'core', 'server', 'config', 'history', 'sim', 'scenario', 'report', 'io'],
  ],
  cli: [
    ...['base', 'resp', 'acl', 'core', 'server', 'config', 'history', 'scenario', 'io'],
    ...[
      'rehearsal',
      'report',
      'fuzz',
      'simulate',
      'engine',
      'http',
      'proxy',
      'blackbox',
      'journal',
    ],
  ],
  launch: ['cli', 'io'],
  exports: ['resp', 'config', 'server', 'scenario', 'report', 'engine', 'simulate', 'testing'],
}
/** The folders that decide know no package at all; those that read or write files of ours know YAML. */
const PACKAGES: Record<string, readonly string[]> = {
  config: ['yaml', 'zod'],
  scenario: ['yaml', 'zod'],
  fuzz: ['yaml'],
  exports: ['vitest'],
}
/** These talk to the machine they run on. */
const OUTSIDE: readonly string[] = ['io', 'engine', 'testing', 'cli', 'launch']
/** Neither decides: one runs in a browser, the other only names what other folders have. */
const BESIDE: readonly string[] = ['dashboard', 'exports']
const ROOT = new URL('../src/', import.meta.url)

test('every folder of src has its line', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => MAY_IMPORT[name] === undefined)).toEqual(
    [],
  )
})

test.each([
  ['the compiler', '../tsconfig.core.json', /"src\/(\w+)"/g],
  ['Biome', '../biome.json', /"src\/(\w+)\/\*\*"/g],
])('%s keeps every folder that decides from Node', (_, file, pattern) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const kept = [...text.matchAll(pattern)].map(([, name]) => name)
  const deciding = Object.keys(MAY_IMPORT).filter(
    (name) => !OUTSIDE.includes(name) && !BESIDE.includes(name),
  )
  expect(kept.sort()).toEqual(deciding.sort())
})

test('of the scenarios only their engine runs the simulator; the others know what was seen of a run', () => {
  const runners = filesIn('scenario').filter((file) =>
    importsOf(file).some((to) => new URL(to, new URL(file, ROOT)).pathname.includes('/src/sim/')),
  )
  expect(runners).toEqual(['scenario/sim-engine.ts'])
})

describe.each(Object.keys(MAY_IMPORT))('src/%s', (folder) => {
  const imports = filesIn(folder).flatMap((file) => importsOf(file).map((to) => ({ file, to })))

  test('imports only the folders it may', () => {
    const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])]
    const wrong = imports.filter(({ file, to }) => {
      if (!to.startsWith('.')) return false
      return !allowed.includes(folderOf(new URL(to, new URL(file, ROOT)).pathname))
    })
    expect(wrong).toEqual([])
  })

  test('imports only the packages it may', () => {
    if (OUTSIDE.includes(folder)) return
    const allowed = PACKAGES[folder] ?? []
    expect(imports.filter(({ to }) => !to.startsWith('.') && !allowed.includes(to))).toEqual([])
  })
})

test('no file of src is longer than 400 lines', () => {
  const long = readdirSync(ROOT, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(new URL(file, ROOT), 'utf8').split('\n').length > 401)
  expect(long).toEqual([])
})

function filesIn(folder: string): string[] {
  const room = new URL(`${folder}/`, ROOT)
  if (!existsSync(room)) return []
  return readdirSync(room, { recursive: true })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.ts'))
}

function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, ROOT), 'utf8')
  return [...text.matchAll(/^(?:import|export)[^;]*?from '([^']+)'/gm)].map(
    (match) => match[1] ?? '',
  )
}

function folderOf(path: string): string {
  return path.slice(ROOT.pathname.length).split('/')[0] ?? ''
}
