import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { PageFiles } from '../../../src/io/http/page-files.ts'
import { scratchFolder } from '../../support/scratch.ts'

test('a page that could not be read is read by the next request, and then kept', async () => {
  const folder = join(scratchFolder('page'), 'dashboard')
  const files = new PageFiles(pathToFileURL(`${folder}/`))
  await expect(files.at('/')).rejects.toThrow('ENOENT')
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), 'first')
  expect((await files.at('/'))?.body).toBe('first')
  writeFileSync(join(folder, 'index.html'), 'second')
  expect((await files.at('/'))?.body).toBe('first')
  expect(await files.at('/../index.html')).toBeUndefined()
})
