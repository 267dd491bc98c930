import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeResult, writeResultIn } from '../../src/cli/files.ts'
import { scratchFolder } from '../support/scratch.ts'

const CANNOT = (path: string, reason: string) =>
  expect.objectContaining({
    code: 'E_REPORT_FILE',
    message: expect.stringMatching(new RegExp(`^cannot write ${path}: ${reason}`)),
  })

test('a result is written, and its folders are made', () => {
  const path = join(scratchFolder('files'), 'a/b/result.yml')
  writeResultIn(path, 'name: x\n')
  expect(readFileSync(path, 'utf8')).toBe('name: x\n')
})

test('a place that takes no file is told with the reason, also where folders cannot be made', () => {
  const file = join(scratchFolder('files'), 'file')
  writeFileSync(file, '')
  const within = join(file, 'result.yml')
  expect(() => writeResult(within, '')).toThrow(CANNOT(within, 'ENOTDIR'))
  expect(() => writeResultIn(within, '')).toThrow(CANNOT(within, 'ENOTDIR'))
})

test.runIf(process.platform === 'linux')('a folder in /proc is refused at once', () => {
  expect(() => writeResultIn('/proc/vedette/result.yml', '')).toThrow(
    CANNOT('/proc/vedette/result.yml', 'E'),
  )
})

test.runIf(process.platform === 'linux')('a full disk has a remedy of its own', () => {
  expect(() => writeResult('/dev/full', 'x')).toThrow(
    expect.objectContaining({
      message: 'cannot write /dev/full: the disk is full (ENOSPC)',
      hint: expect.stringMatching(/^make room/),
    }),
  )
})
