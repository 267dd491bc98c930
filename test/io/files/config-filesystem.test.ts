import { expect, test } from 'vitest'
import { within } from '../../../src/config/config-filesystem.ts'
import { nodeOutside } from '../../../src/io/files/config-filesystem.ts'

test('an empty folder is none, as for redis-server, and not the one a program was started in', () => {
  const outside = nodeOutside(process.cwd())
  expect(outside.folderFault('')).toBe('No such file or directory')
  expect(outside.folderFault(within('/tmp', ''))).toBe('No such file or directory')
  expect(outside.folderFault('.')).toBeUndefined()
})
