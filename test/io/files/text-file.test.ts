import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, readTextLater } from '../../../src/io/files/text-file.ts'
import { scratchFolder } from '../../support/scratch.ts'

test('a file is read whole, up to its largest size', async () => {
  const path = join(scratchFolder('text'), 'a.conf')
  writeFileSync(path, Buffer.from('gr\u00fcn\n', 'latin1'))
  expect(readText(path, 'latin1', 5)).toBe('gr\u00fcn\n')
  expect(await readTextLater(path, 5)).toBe('gr\u00fcn\n')
  expect(() => readText(path, 'latin1', 4)).toThrow('it is too long, 0 MiB: at most 0 MiB are read')
  await expect(readTextLater(path, 4)).rejects.toThrow('it is too long')
})

test('devices and folders are no text, and nothing is empty', async () => {
  expect(() => readText('/dev/zero', 'utf8')).toThrow('it is a device, not a file')
  expect(() => readText(scratchFolder('text'), 'utf8')).toThrow('it is a folder')
  expect(readText('/dev/null', 'utf8')).toBe('')
  await expect(readTextLater('/dev/zero')).rejects.toThrow('it is a device, not a file')
  expect(() => readText('/there/is/none', 'utf8')).toThrow('ENOENT')
})

test('a pipe that nobody writes to keeps no program that runs', async () => {
  const path = join(scratchFolder('text'), 'pipe')
  execFileSync('mkfifo', [path])
  await expect(readTextLater(path)).rejects.toThrow('it is a pipe, not a file')
})
