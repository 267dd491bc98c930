import { expect, test } from 'vitest'
import { isOurs, parseInfo, programIn } from '../../src/cli/status/info.ts'

test.each([
  [
    'a node or a Sentinel that tells its version',
    'redis_version:7.0.15\r\nvedette_version:0.2.0',
    'vedette 0.2.0',
  ],
  ['an earlier Sentinel', 'redis_version:7.0.15\r\n# Vedette\r\nvedette:1', 'vedette ?'],
  ['an earlier node', 'redis_version:7.0.15\r\nserver_name:vedette', 'vedette ?'],
  ['Valkey', 'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1', 'valkey 8.1.1'],
  ['Redis', 'redis_version:7.0.15', 'redis 7.0.15'],
  ['one whose user may not ask', '', undefined],
])('%s is named by its program and version', (_, text, name) => {
  const program = programIn(parseInfo(text))
  expect(program).toBe(name)
  expect(isOurs(program ?? '')).toBe(name?.startsWith('vedette') === true)
})
