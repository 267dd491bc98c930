/** [rdbchecksum] no: files say that they carry no checksum, and none is checked. */
import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'
import { restarted } from '../../support/slow-disk.ts'

const NONE = '\0'.repeat(8)
const BASE = 'appendonlydir/appendonly.aof.1.base.rdb'

function saved(directives: Record<string, string>): NodeHarness {
  const node = new NodeHarness({ save: '', ...directives })
  const client = node.client()
  client.say('SET key value')
  client.say('SAVE')
  return node
}

const ending = (node: NodeHarness, path: string) => node.files.read(path)?.slice(-8)

test('eight zeros stand where the checksum would, in dumps and in bases', () => {
  expect(ending(saved({ rdbchecksum: 'no' }), 'dump.rdb')).toBe(NONE)
  expect(ending(saved({ rdbchecksum: 'no', appendonly: 'yes' }), BASE)).toBe(NONE)
  expect(ending(saved({}), 'dump.rdb')).not.toBe(NONE)
  expect(ending(saved({ appendonly: 'yes' }), BASE)).not.toBe(NONE)
})

test('the rest of the file is the same', () => {
  const files = ['yes', 'no'].map((rdbchecksum) => saved({ rdbchecksum }).files.read('dump.rdb'))
  expect(files[1]?.slice(0, -8)).toBe(files[0]?.slice(0, -8))
})

test('a node that checks loads it', () => {
  const { files } = saved({ rdbchecksum: 'no' })
  expect(restarted(files).client().say('GET key')).toBe('$5\r\nvalue\r\n')
})

test.each([
  ['yes', 1],
  ['no', undefined],
])('a wrong checksum, with rdbchecksum %s: exit status %s', (rdbchecksum, status) => {
  for (const appendonly of ['no', 'yes']) {
    const node = saved({ appendonly })
    const path = appendonly === 'yes' ? BASE : 'dump.rdb'
    const bytes = node.files.read(path) ?? ''
    node.files.install(path, `${bytes.slice(0, -8)}12345678`)
    const again = restarted(node.files, { rdbchecksum, appendonly })
    expect(again.exitStatus).toBe(status)
  }
})
