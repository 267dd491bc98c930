import { expect, test } from 'vitest'
import { ReplicationWorld } from '../../support/replication-harness.ts'

const HISTORY = [
  'XADD s 1 f v',
  'XADD s MAXLEN ~ 2 LIMIT 5 2-* f v',
  'XADD s MINID ~ 1 3 f v',
  'XGROUP CREATE s g 0',
  'XREADGROUP GROUP g a COUNT 1 STREAMS s >',
  'XREADGROUP GROUP g b NOACK COUNT 1 STREAMS s >',
  'XADD s * f v',
  'XREADGROUP GROUP g b STREAMS s >',
  'XCLAIM s g a 0 3 JUSTID',
  'XDEL s 3',
  'XAUTOCLAIM s g c 0 0',
  'XGROUP DELCONSUMER s g a',
  'XTRIM s MAXLEN ~ 0 LIMIT 1',
]

test('a replica ends up with the same entries, whatever was trimmed about, and the same pending ids', () => {
  const world = new ReplicationWorld()
  const directives = { 'enable-debug-command': 'yes', 'stream-node-max-entries': '1' }
  const [master, replica] = [world.node(directives), world.node({ 'enable-debug-command': 'yes' })]
  replica.follow(master)
  world.untilInStep(master, replica)
  for (const line of HISTORY) {
    master.call(...line.split(' '))
    world.untilInStep(master, replica)
    for (const question of ['XRANGE s - +', 'XPENDING s g', 'XLEN s', 'DEBUG DIGEST']) {
      const words = question.split(' ')
      expect(replica.call(...words), `${question} after ${line}`).toEqual(master.call(...words))
    }
  }
})
