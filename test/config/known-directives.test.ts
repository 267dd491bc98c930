/**
 * Every directive `CONFIG GET *` of redis-server 7.0.15 lists may stand in the files we read, and so may
 * those of Redis 7.2 to 8 and of Valkey, with a value that is good there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeDirectives } from '../../src/cli/server/node-directives.ts'
import { UserLines } from '../../src/cli/server/node-users.ts'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { serverDirective } from '../../src/config/server-directives.ts'
import { SETTING_ALIASES } from '../../src/server/settings/setting-table.ts'
import { ignoredBecause, Settings } from '../../src/server/settings/settings.ts'

const FILE = new URL('testdata/directives-7.0.15.txt', import.meta.url)
const NAMES = readFileSync(FILE, 'utf8').trim().split('\n')
const NEWER = readFileSync(new URL('testdata/directives-newer.txt', import.meta.url), 'utf8')
const NEWER_NAMES = NEWER.trim()
  .split('\n')
  .map((line) => line.split(' ', 1)[0] ?? '')

test('a Sentinel knows them', () => {
  expect(NAMES.filter((name) => serverDirective(name) === undefined)).toEqual([])
})

test('a data node knows them', () => {
  const settings = new Settings()
  expect(NAMES.filter((name) => !settings.knows(name))).toEqual([])
})

test('a file with directives of newer servers starts a data node', () => {
  const settings = new Settings()
  const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
  const { problems } = parseRedisConf(NEWER, 'valkey.conf', [], load)
  expect(problems.map(formatProblem)).toEqual([])
  expect(settings.text('masterauth')).toBe('secret')
  expect(settings.text('masteruser')).toBe('replica')
})

test.each(['list-max-ziplist-entries', 'list-max-ziplist-value', 'lua-replicate-commands'])(
  '%s, which Redis 7.0 passes over, starts a data node, and sets nothing',
  (name) => {
    const settings = new Settings()
    const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
    expect(load(name, ['1000000'])).toBeUndefined()
    expect(load(name, ['1', '2'])).toBe('Bad directive or wrong number of arguments')
    expect(settings.differing().size).toBe(0)
    expect(settings.get(name)).toBeUndefined()
    expect(ignoredBecause(name)).toBe('only older versions know it')
    expect(serverDirective(name)).toBeDefined()
  },
)

test('a Sentinel knows directives of newer servers', () => {
  expect(NEWER_NAMES.filter((name) => serverDirective(name) === undefined)).toEqual([])
})

test('what a data node calls without effect, no code of it reads but to show it', () => {
  const folder = new URL('../../src/', import.meta.url)
  const files = ['server', 'io', 'cli'].flatMap((room) =>
    readdirSync(new URL(room, folder), { recursive: true }).map((file) => `${room}/${file}`),
  )
  const code = files
    .filter((file) => file.endsWith('.ts') && !/setting-table|settings.ts|info|simulate/.test(file))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  const isRead = (name: string) => new RegExp(`(int|flag|text)\\('${name}'\\)`).test(code)
  const all = [...NAMES, ...NEWER_NAMES].map((name) => SETTING_ALIASES.get(name) ?? name)
  expect(all.filter((name) => ignoredBecause(name) !== undefined && isRead(name))).toEqual([])
})
