/** A dump that was not loaded, because the append-only file comes first, is not lost to the next save. */
import { describe, expect, test } from 'vitest'
import type { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'

/** dbfilename may be changed while it runs. */
const OPEN = { 'enable-protected-configs': 'yes' }
const ASIDE = /^dump\.rdb\.not-loaded-\d+$/

function start(directives: Record<string, string>, files?: DataFiles): NodeHarness {
  return new NodeHarness({ save: '', ...OPEN, ...directives }, false, {}, files)
}

/** A node that has just been switched to an append-only file, beside the dump of its life before. */
function switched(): { node: NodeHarness; dump: string } {
  const before = start({})
  before.client().say('SET only copy')
  before.client().say('SAVE')
  const dump = before.files.read('dump.rdb') as string
  return { node: start({ appendonly: 'yes' }, before.files), dump }
}

function asideOf({ files }: NodeHarness): string | undefined {
  const path = files.paths().find((name) => ASIDE.test(name))
  return path === undefined ? undefined : files.read(path)
}

describe('a dump beside an append-only file that does not exist yet', () => {
  test.each(['SAVE', 'BGSAVE', 'SHUTDOWN SAVE', 'FLUSHALL'])('%s moves it aside', (command) => {
    const { node, dump } = switched()
    node.settings.set('save', '3600 1')
    const client = node.client()
    expect(client.say('EXISTS only')).toBe(':0\r\n')
    client.say('SET new 1')
    client.say(command)
    node.advance(1000)
    expect(asideOf(node)).toBe(dump)
    expect(node.files.read('dump.rdb')).not.toBe(dump)
    expect(node.logs.join('\n')).toContain('dump.rdb was not loaded when this node started: it is')
  })

  test('is moved once: the dumps that follow are our own', () => {
    const { node, dump } = switched()
    node.client().say('SAVE')
    node.client().say('SET new 1')
    node.client().say('SAVE')
    expect(asideOf(node)).toBe(dump)
    expect(node.files.paths().filter((name) => ASIDE.test(name))).toHaveLength(1)
  })

  test('that somebody took away meanwhile hinders no save', () => {
    const { node } = switched()
    node.files.ask({ kind: 'remove', path: 'dump.rdb' })
    expect(node.client().say('SAVE')).toBe('+OK\r\n')
  })

  test('stays where it is under another dbfilename', () => {
    const { node, dump } = switched()
    node.client().say('CONFIG SET dbfilename other.rdb')
    node.client().say('SAVE')
    expect(node.files.read('dump.rdb')).toBe(dump)
    expect(asideOf(node)).toBeUndefined()
  })
})

test('a dump that was loaded is replaced, as ever', () => {
  const before = start({})
  before.client().say('SET a 1')
  before.client().say('SAVE')
  const node = start({}, before.files)
  node.client().say('SAVE')
  expect(asideOf(node)).toBeUndefined()
})
