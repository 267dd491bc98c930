/**
 * The append-only file switched on, or written, where files of an earlier life lie that were not loaded:
 * the node had started with appendonly no, or [dir] was another one. Until the new ones are complete the
 * old ones are the data of whoever starts there, and stay as they are.
 */
import { expect, test } from 'vitest'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

const ON = { appendonly: 'yes', save: '' }
const OFF = { save: '' }
const FOLDER = 'appendonlydir/appendonly.aof'

const digest = (node: NodeHarness) => keyspaceDigest(node.node.keyspace)

/** A base and two increments, all with something in them: a rewrite that did not end has left them. */
function earlierLife(): [SlowFiles, string] {
  const files = new SlowFiles()
  const node = new SlowDisk(ON, files)
  const client = node.client()
  client.say('RPUSH list a')
  files.isSlow = true
  client.say('BGREWRITEAOF')
  node.advance(1)
  while (!files.paths().some((path) => path.endsWith('temp-rewriteaof.aof'))) node.answer()
  client.say('RPUSH list b')
  node.fail()
  node.answerAll()
  files.isSlow = false
  expect(files.paths().map((path) => path.slice(FOLDER.length + 1))).toEqual([
    ...['1.base.rdb', '1.incr.aof', '2.incr.aof', 'manifest'],
  ])
  return [files, digest(node)]
}

function copyOf(files: DataFiles): DataFiles {
  const copy = new DataFiles()
  for (const path of files.paths()) copy.install(path, files.read(path) as string)
  return copy
}

const loaded = (files: DataFiles) => digest(new NodeHarness(ON, false, {}, files))

/** After every step of the disk: what a node would load that starts then. */
function statesWhile(node: SlowDisk): Set<string> {
  const states = new Set<string>()
  node.disk.isSlow = true
  for (let round = 0; round < 10; round++) {
    for (; node.asked !== undefined; node.answer()) states.add(loaded(copyOf(node.files)))
    node.advance(1)
  }
  states.add(loaded(copyOf(node.files)))
  return states
}

test.each(['CONFIG SET appendonly yes', 'BGREWRITEAOF'])(
  '%s: a crash on the way finds the old data or the new, and nothing mixed',
  (line) => {
    const [files, old] = earlierLife()
    const node = new SlowDisk(OFF, files)
    node.client().say('SET new 1')
    node.client().say(line)
    expect([...statesWhile(node)]).toEqual([old, digest(node)])
  },
)

test('what the old manifest named is deleted once the new one is there', () => {
  const [files] = earlierLife()
  const node = new NodeHarness(OFF, false, {}, files)
  node.client().say('CONFIG SET appendonly yes')
  node.advance(2000)
  const names = files.paths().map((path) => path.slice(FOLDER.length + 1))
  expect(names).toHaveLength(3)
  expect(files.read(`${FOLDER}.manifest`)).toBe(
    `file appendonly.aof.${names[0]} seq ${names[0]?.[0]} type b\n` +
      `file appendonly.aof.${names[1]} seq ${names[1]?.[0]} type i\n`,
  )
})

test('a manifest nobody understands does not keep the file off, and no other file is lost', () => {
  const [files] = earlierLife()
  files.install(`${FOLDER}.manifest`, 'nonsense\n')
  const others = files.paths().filter((path) => !path.endsWith('manifest'))
  const bytes = others.map((path) => files.read(path))
  const node = new NodeHarness(OFF, false, {}, files)
  node.client().say('SET new 1')
  node.client().say('CONFIG SET appendonly yes')
  node.advance(2000)
  expect(loaded(copyOf(files))).toBe(digest(node))
  expect(others.map((path) => files.read(path))).toEqual(bytes)
})

test('[dir] cannot be changed while files are being written', () => {
  const node = new SlowDisk({ ...OFF, 'enable-protected-configs': 'yes' })
  node.disk.isSlow = true
  const client = node.client()
  client.say('BGREWRITEAOF')
  node.advance(1)
  expect(client.say('CONFIG SET dir /elsewhere')).toContain('is being written there')
  node.answerAll()
  expect(client.say('CONFIG SET dir /elsewhere')).toBe('+OK\r\n')
})
