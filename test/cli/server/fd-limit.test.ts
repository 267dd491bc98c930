import { expect, test } from 'vitest'
import { clientRoomFault, fitMaxClients } from '../../../src/cli/server/server.ts'
import { clientRoom } from '../../../src/io/process/file-limit.ts'
import { Settings } from '../../../src/server/settings/settings.ts'

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             95902                95902                processes
Max open files            1024                 4096                 files
`

test('files the node needs itself are kept back', () => {
  expect(clientRoom(LIMITS)).toBe(960)
})

test('a system that does not say how many files there are lowers nothing', () => {
  const settings = new Settings()
  expect(
    fitMaxClients(settings, clientRoom('Max open files            unlimited\n')),
  ).toBeUndefined()
  expect(settings.int('maxclients')).toBe(10_000)
})

test('maxclients is lowered to what there is room for, and the log says what to raise', () => {
  const settings = new Settings()
  expect(fitMaxClients(settings, 960)).toContain('maxclients is 960 instead of 10000')
  expect(settings.int('maxclients')).toBe(960)
  expect(fitMaxClients(settings, 960)).toBeUndefined()
})

test('CONFIG SET beyond it is refused in the words of Redis, and changes nothing', () => {
  const settings = new Settings()
  settings.guard(['maxclients'], () => clientRoomFault(settings, 20_000))
  expect(settings.change([['maxclients', '30000']], '127.0.0.1')).toMatchObject({
    reason:
      'The operating system is not able to handle the specified number of clients, try with 20000',
  })
  expect(settings.int('maxclients')).toBe(10_000)
})
