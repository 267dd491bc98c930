/** A rewrite that is given up half-way: none of its files stays behind for good. */
import { expect, test } from 'vitest'
import { tableOf } from '../../support/key-tables.ts'
import type { NodeHarness } from '../../support/node-harness.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

/** More than any rewrite takes. */
const STEPS = 40

/** A node that has carried out so many steps of a rewrite. */
function rewriting(steps: number): SlowDisk {
  const node = new SlowDisk({ appendonly: 'yes', save: '' })
  node.disk.isSlow = true
  node.client().say('SET a 1')
  node.client().say('BGREWRITEAOF')
  node.advance(1)
  for (let answers = 0; answers < steps && node.asked !== undefined; answers++) node.answer()
  return node
}

function filesInFolder(node: NodeHarness): string[] {
  return node.files.paths().filter((path) => path.startsWith('appendonlydir/'))
}

/** The manifest and the files it names. */
function filesInUse(node: NodeHarness): string[] {
  const manifest = 'appendonlydir/appendonly.aof.manifest'
  const names = [...(node.files.read(manifest) ?? '').matchAll(/^file (\S+) seq/gm)]
  return [...names.map(([, name]) => `appendonlydir/${name}`), manifest].sort()
}

function leftoversOf(node: NodeHarness): string[] {
  const inUse = filesInUse(node)
  return filesInFolder(node).filter((path) => !inUse.includes(path))
}

test('when the file is switched off and on again, only the files of the last manifest stay', () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const node = rewriting(steps)
    node.client().say('CONFIG SET appendonly no')
    node.client().say('CONFIG SET appendonly yes')
    node.settle()
    expect([steps, leftoversOf(node)]).toEqual([steps, []])
  }
})

test('when all keys are replaced, only the files of the last manifest stay', () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const node = rewriting(steps)
    node.node.keyspace.replaceAll([tableOf([])])
    node.settle()
    node.client().say('BGREWRITEAOF')
    node.settle()
    expect([steps, leftoversOf(node)]).toEqual([steps, []])
  }
})

test('when a shutdown is refused, only the files of the last manifest stay', () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const node = rewriting(steps)
    node.client().say('SHUTDOWN SAVE')
    while (node.asked !== undefined && node.asked !== 'create') node.answer()
    if (node.asked !== undefined) node.fail('EIO')
    node.settle()
    node.client().say('BGREWRITEAOF')
    node.settle()
    expect([steps, leftoversOf(node)]).toEqual([steps, []])
  }
})

test('when it fails, only the files of the last manifest stay after the next one', () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const node = rewriting(steps)
    if (node.asked !== undefined) node.fail('ENOSPC')
    node.settle()
    node.client().say('BGREWRITEAOF')
    node.settle()
    expect([steps, leftoversOf(node)]).toEqual([steps, []])
  }
})
