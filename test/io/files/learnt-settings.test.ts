/** What CONFIG REWRITE kept: a file that cannot be taken over is named with its line and a way out. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfLines } from '../../../src/config/conf-lines.ts'
import { LearntSettings } from '../../../src/io/files/learnt-settings.ts'
import { StartError } from '../../../src/io/start-error.ts'
import { scratchFolder } from '../../support/scratch.ts'

const ACCEPT = () => undefined

function fault(path: string, set: (name: string) => string | undefined = ACCEPT) {
  try {
    new LearntSettings(path).apply(new Map(), set)
  } catch (error) {
    if (error instanceof StartError) return { message: error.message, hint: error.hint }
    throw error
  }
  return undefined
}

function learnt(text: string): string {
  const path = join(scratchFolder('learnt'), 'redis.conf.learnt')
  writeFileSync(path, text)
  return path
}

describe('settings that cannot be taken over', () => {
  test('a value that is refused: with its line', () => {
    const path = learnt('# kept\nport "7000"\nhz "many"\n')
    const set = (name: string) => (name === 'hz' ? 'argument must be a number' : undefined)
    const told = fault(path, set)
    expect(told?.message).toBe(
      `cannot take over the settings in ${path}, line 3: hz: argument must be a number`,
    )
    expect(told?.hint).toContain('mend that line')
  })

  test('quotes that do not balance: with their line', () => {
    const path = learnt('# kept\nport "7000\n')
    expect(fault(path)?.message).toContain('learnt, line 2: Unbalanced quotes')
  })

  test('a folder in their place', () => {
    const path = join(scratchFolder('learnt'), 'redis.conf.learnt')
    mkdirSync(path)
    const told = fault(path)
    expect(told?.message).toContain(`${path}: it is a folder, not a file`)
    expect(told?.hint).toBe('move the folder away')
  })
})

describe('a line of the configuration file that was changed since CONFIG REWRITE', () => {
  /** What counts of the file beside a configuration file that says `filed`. */
  function inForce(path: string, filed: Record<string, string>) {
    const settings = new LearntSettings(path)
    const set: Record<string, string> = {}
    settings.apply(new Map(Object.entries(filed)), (name, value) => {
      set[name] = value
      return undefined
    })
    return { set, told: settings.forgetChanged() }
  }

  const PROMOTED = { replicaof: '', maxmemory: '200', 'repl-timeout': '30' }

  function rewritten(filed: Record<string, string>): string {
    const path = join(scratchFolder('learnt'), 'redis.conf.learnt')
    const settings = new LearntSettings(path)
    settings.apply(new Map(Object.entries(filed)), ACCEPT)
    expect(settings.save(new Map(Object.entries(PROMOTED)), undefined)).toBeUndefined()
    return path
  }

  test('a file that says the same as then leaves all in force', () => {
    const filed = { replicaof: '10.0.0.1 6379', maxmemory: '100' }
    const path = rewritten(filed)
    expect(inForce(path, { ...filed, hz: '20' })).toEqual({ set: PROMOTED, told: [] })
  })

  test.each([
    ['another value', { replicaof: '10.0.0.2 6379', maxmemory: '100' }],
    ['no value', { maxmemory: '100' }],
  ])('counts, with %s, and for ever', (_, edited) => {
    const before = { replicaof: '10.0.0.1 6379', maxmemory: '100' }
    const path = rewritten(before)
    const rest = { maxmemory: '200', 'repl-timeout': '30' }
    expect(inForce(path, edited)).toEqual({
      set: rest,
      told: ['the configuration file has changed replicaof since CONFIG REWRITE, and counts'],
    })
    expect(inForce(path, before)).toEqual({ set: rest, told: [] })
    expect(readFileSync(path, 'latin1')).not.toContain('replicaof')
  })

  test('counts where it is new', () => {
    const path = rewritten({})
    expect(inForce(path, { maxmemory: '5' }).set).toEqual({ replicaof: '', 'repl-timeout': '30' })
  })

  test('is remembered in comments: an earlier version reads the file, which knows no such directive', () => {
    const before = { replicaof: '10.0.0.1 6379', maxmemory: '100' }
    const path = rewritten(before)
    const text = readFileSync(path, 'latin1')
    const { lines } = readConfLines(text, path)
    expect(lines.map(({ directive }) => directive)).toEqual(Object.keys(PROMOTED))
    const bare = learnt(text.replaceAll('# learnt-instead-of', 'learnt-instead-of'))
    expect(inForce(bare, { ...before, maxmemory: '5' })).toMatchObject({
      set: { replicaof: '', 'repl-timeout': '30' },
    })
  })

  test('does not count over a file of an earlier version', () => {
    const path = learnt('maxmemory "200"\n')
    expect(inForce(path, { maxmemory: '5' }).set).toEqual({ maxmemory: '200' })
  })
})
