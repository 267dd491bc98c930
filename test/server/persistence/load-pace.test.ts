/** [key-load-delay]: a load that takes as long as a test wants, and clients that are answered meanwhile. */
import { expect, test } from 'vitest'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { restarted, SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

const KEYS = 3000
const LOADING = '-LOADING Redis is loading the dataset in memory\r\n'

function dump(): SlowFiles {
  const files = new DataFiles()
  const client = restarted(files, { save: '' }).client()
  for (let key = 0; key < KEYS; key++) client.send('SET', `key ${key}`, 'v'.repeat(20))
  client.say('SAVE')
  const disk = new SlowFiles(true)
  for (const path of files.paths()) disk.install(path, files.read(path) ?? '')
  return disk
}

/** How long the load of KEYS keys takes; the disk itself takes no time. */
function loadMs(delay: string, look?: (node: SlowDisk) => void): number {
  const directives = { save: '', 'loading-process-events-interval-bytes': '1024' }
  const node = new SlowDisk({ ...directives, 'key-load-delay': delay }, dump())
  const startMs = node.now.monoMs
  for (let turns = 0; !node.isReady; turns++) {
    expect(turns).toBeLessThan(10_000)
    node.answerAll()
    if (node.isReady) break
    if (turns === 0) look?.(node)
    node.advance((node.node.nextWakeUpMs() ?? 0) - node.now.monoMs)
  }
  return node.now.monoMs - startMs
}

test('each key takes the time that was asked for', () => {
  expect(loadMs('1000')).toBeCloseTo(KEYS, -1)
  expect(loadMs('50')).toBeCloseTo(KEYS / 20, -1)
  expect(loadMs('1')).toBeCloseTo(KEYS / 1000, -1)
})

test('below zero, so many keys together take a microsecond', () => {
  expect(loadMs('-10')).toBeLessThan(5)
})

test('without a delay nothing waits', () => {
  expect(loadMs('0')).toBe(0)
})

test('clients are answered as soon as the first bytes of the interval are read', () => {
  let answer = ''
  loadMs('100', (node) => {
    answer = node.client().say('GET k')
  })
  expect(answer).toBe(LOADING)
})
