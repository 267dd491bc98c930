/** What counts as a change for the save points: each element, as in redis-server, not each command. */
import { describe, expect, test } from 'vitest'
import { COUNTED } from '../../support/counted-changes.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

function changes(node: NodeHarness): number {
  const text = node.client().say('INFO persistence')
  return Number(/^rdb_changes_since_last_save:(\d+)\r$/m.exec(text)?.[1])
}

describe('a command', () => {
  test('counts as many changes as it changes elements', () => {
    const node = new NodeHarness({ save: '' })
    const client = node.client()
    for (const [command, expected] of COUNTED) {
      const before = changes(node)
      client.say(command)
      expect([command, changes(node) - before]).toEqual([command, expected])
    }
  })

  test('that deletes everything counts the keys', () => {
    const node = new NodeHarness({ save: '' })
    node.client().say('MSET a 1 b 2')
    node.client().say('FLUSHDB')
    expect(changes(node)).toBe(4)
    node.client().say('FLUSHALL')
    expect(changes(node)).toBe(4)
  })
})

test('a save point is reached by one command that changes enough elements', () => {
  const node = new SlowDisk({ save: '1 5' })
  node.disk.isSlow = true
  node.client().say('RPUSH l 1 2 3 4')
  node.advance(2_000)
  expect(node.info('rdb_bgsave_in_progress')).toBe('0')
  node.client().say('RPUSH l 5 6')
  node.advance(2_000)
  expect(node.info('rdb_bgsave_in_progress')).toBe('1')
})
