/** Moments no clock has shown, as a damaged or hostile file may give them to consumers and deliveries. */
import { expect, test } from 'vitest'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'

test('what was seen before 64 bits can count is idle for no time, as in Redis', () => {
  const harness = new NodeHarness({ save: '' })
  const client = harness.client()
  client.say('XADD x 1-1 f v')
  client.say('XGROUP CREATE x g 0')
  client.say('XREADGROUP GROUP g c STREAMS x >')
  client.say('SAVE')
  const moment = Buffer.alloc(8)
  moment.writeBigInt64LE(BigInt(harness.wallMs))
  const seen = moment.toString('latin1')
  const past = `${seen.slice(0, 7)}\x80`
  const saved = (harness.files.read('dump.rdb') ?? '').slice(0, -8)
  const files = new DataFiles()
  files.install('dump.rdb', `${saved.replaceAll(seen, past)}${'\0'.repeat(8)}`)
  const node = new NodeHarness({ save: '' }, false, {}, files)
  expect(saved).toContain(seen)
  expect(node.client().say('XINFO CONSUMERS x g')).toMatch(/\$4\r\nidle\r\n:0\r\n/)
  expect(node.client().say('XPENDING x g - + 1')).toContain('$1\r\nc\r\n:0\r\n:1\r\n')
})
