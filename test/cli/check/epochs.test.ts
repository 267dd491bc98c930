/** What `vedette check` says of epochs that no election can have reached. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { checkFile } from '../../../src/cli/check/check-file.ts'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { StateFile } from '../../../src/io/files/state-file.ts'
import { scratchFolder } from '../../support/scratch.ts'

let folder = ''
beforeEach(() => {
  folder = scratchFolder('check-epochs')
})

function write(...lines: string[]): string {
  const path = join(folder, 'sentinel.conf')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Severity, code, line, path and message of all that is found. */
async function found(path: string, elsewhere = false): Promise<string[]> {
  const { problems } = await checkFile(path, elsewhere)
  return problems.map(({ severity, code, line, path: option, message }) => {
    return `${severity} ${code} ${line ?? '-'} ${option}: ${message}`
  })
}

const LAST = '9223372036854775807'
const NONE_LEFT =
  'no epoch is left after 9007199254740991 or more: no Sentinel can be elected, and no failover happens'

function conf(epoch: string): string {
  const lines = ['config-epoch g', 'leader-epoch g', 'current-epoch']
  return write(
    'sentinel monitor g 127.0.0.1 6379 2',
    `sentinel myid ${'a'.repeat(40)}`,
    ...lines.map((words) => `sentinel ${words} ${epoch}`),
  )
}

async function saveState(epoch: number): Promise<string> {
  const path = join(folder, 'sentinel-26379.state')
  const group = { ...DEFAULT_GROUP, name: 'g', host: '127.0.0.1', port: 6379, quorum: 2 }
  const learnt = { configEpoch: epoch, leaderEpoch: epoch, leader: '', replicas: [], peers: [] }
  const stateFile = new StateFile(path)
  await stateFile.save({
    ...{ myid: 'a'.repeat(40), currentEpoch: epoch, removed: [], settings: undefined },
    ...{ users: undefined, groups: [{ file: group, current: group, ...learnt }] },
  })
  await stateFile.close()
  return path
}

test('each line that ends failover is an error, with the way out', async () => {
  const path = conf(LAST)
  const expected = [
    `error E_EPOCHS_USED_UP 5 sentinel current-epoch: ${NONE_LEFT}`,
    `error E_EPOCHS_USED_UP 3 sentinel config-epoch g: ${NONE_LEFT}`,
    `error E_EPOCHS_USED_UP 4 sentinel leader-epoch g: ${NONE_LEFT}`,
  ]
  expect(await found(path)).toEqual(expected)
  expect(await found(path, true)).toEqual(expected)
  const { problems } = await checkFile(path, false)
  expect(problems.every(({ hint }) => hint.includes('vedette epochs --lower'))).toBe(true)
})

test('a number that is far away but leaves epochs is a warning, an honest one is nothing', async () => {
  const codes = async (epoch: number) => {
    const { problems } = await checkFile(conf(String(epoch)), true)
    return [...new Set(problems.map(({ code }) => code))]
  }
  expect(await codes(2 ** 32)).toEqual([])
  expect(await codes(2 ** 32 + 1)).toEqual(['W_EPOCHS_FAR'])
  expect(await codes(2 ** 53 - 2 ** 32 - 2)).toEqual(['W_EPOCHS_FAR'])
  expect(await codes(2 ** 53 - 2 ** 32 - 1)).toEqual(['E_EPOCHS_USED_UP'])
})

test('only the number that is one is named', async () => {
  const path = write(
    'sentinel monitor g 127.0.0.1 6379 2',
    'sentinel current-epoch 7',
    `sentinel config-epoch g ${LAST}`,
  )
  expect(await found(path)).toEqual([
    `error E_EPOCHS_USED_UP 3 sentinel config-epoch g: ${NONE_LEFT}`,
  ])
})

test('a Sentinel that has run goes on from its state, so that counts, and not the file', async () => {
  const path = conf(LAST)
  await saveState(8)
  expect(await found(path)).toEqual([])
  const state = await saveState(2 ** 53 - 1)
  const { problems } = await checkFile(conf('7'), false)
  expect(problems.map((one) => [one.file, one.path, one.message])).toEqual([
    [state, 'current-epoch', NONE_LEFT],
    [state, 'groups.g.config-epoch', NONE_LEFT],
    [state, 'groups.g.leader-epoch', NONE_LEFT],
  ])
})

test('where redis-sentinel has gone on with the file, its lines count as well', async () => {
  const path = write(
    'sentinel monitor g 127.0.0.1 6379 2',
    `sentinel myid ${'a'.repeat(40)}`,
    'sentinel config-epoch g 9',
    `sentinel current-epoch ${LAST}`,
  )
  await saveState(8)
  expect(await found(path)).toEqual([
    `error E_EPOCHS_USED_UP 4 sentinel current-epoch: ${NONE_LEFT}`,
  ])
})
