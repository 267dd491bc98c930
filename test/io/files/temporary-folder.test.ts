import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../src/io/files/temporary-folder.ts'
import { reasonAndHintOf } from '../../../src/io/start-error.ts'
import { scratchFolder } from '../../support/scratch.ts'

/** Nothing else runs in between: it is put back before this returns. */
function withTmpdir<Result>(folder: string, act: () => Result): Result {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    return act()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

function refusal(): string {
  try {
    return temporaryFolder('a cluster', 'x-')
  } catch (error) {
    return reasonAndHintOf(error)
  }
}

test('a folder for temporary files that cannot be made says what needs it, and how to mend it', () => {
  const folder = scratchFolder('temporary')
  const made = withTmpdir(folder, () => temporaryFolder('a cluster', 'x-'))
  expect(made.startsWith(join(folder, 'x-')) && existsSync(made)).toBe(true)
  const missing = join(folder, 'missing')
  expect(withTmpdir(missing, refusal)).toBe(
    `a cluster needs a folder in ${missing}, and cannot make one: ENOENT; ` +
      'set TMPDIR to a folder that is there, and that this user may write to',
  )
  rmSync(folder, { recursive: true })
})
