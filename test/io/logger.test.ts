import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLogger } from '../../src/io/logger.ts'
import { scratchFolder } from '../support/scratch.ts'

test('the level can be changed while the log is written, in both directions', async ({
  onTestFinished,
}) => {
  const folder = scratchFolder('log')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log')
  const logger = await openLogger({ level: 'warning', file, program: 'sentinel', port: 1 })
  logger.log('notice', 'one')
  logger.setLevel('debug')
  logger.log('debug', 'two')
  logger.setLevel('nothing')
  logger.log('warning', 'three')
  logger.setLevel('warning')
  logger.log('warning', 'four')
  logger.flush()
  const texts = [...readFileSync(file, 'utf8').matchAll(/"msg":"(\w+)"/g)].map(([, text]) => text)
  expect(texts).toEqual(['two', 'four'])
})
