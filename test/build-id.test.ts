import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
// @ts-expect-error: a module without types
import { buildIdOf } from '../scripts/build-id.mjs'
import { scratchFolder } from './support/scratch.ts'

test('a build is named as git names the folder of its sources', () => {
  const folder = scratchFolder('build-id')
  for (const name of ['a', 'a.b']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'a/one.ts'), 'one\n')
  writeFileSync(join(folder, 'a.b/zwei.ts'), 'zwei\n')
  writeFileSync(join(folder, 'a-c.ts'), '')
  writeFileSync(join(folder, 'run'), '#!/bin/sh\n')
  chmodSync(join(folder, 'run'), 0o755)
  // `git write-tree` of a repository with these files.
  expect(buildIdOf(folder)).toBe('b3169eee')
})
