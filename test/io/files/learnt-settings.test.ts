/** What CONFIG REWRITE kept: a file that cannot be taken over is named with its line and a way out. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LearntSettings } from '../../../src/io/files/learnt-settings.ts'
import { StartError } from '../../../src/io/start-error.ts'
import { scratchFolder } from '../../support/scratch.ts'

const ACCEPT = () => undefined

function fault(path: string, set: (name: string) => string | undefined = ACCEPT) {
  try {
    new LearntSettings(path).apply(set)
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
