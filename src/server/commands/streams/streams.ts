/** The stream commands: a log of entries with ids, read by position or shared out within groups. */
import { command, type Family } from '../../catalogue/command.ts'
import { xAdd, xDel, xLen, xTrim } from './streams-adding.ts'
import { xAutoClaim, xClaim } from './streams-claiming.ts'
import { xAck, xGroup } from './streams-groups.ts'
import { xInfo } from './streams-info.ts'
import { xPending } from './streams-pending.ts'
import { xRange, xRevRange } from './streams-ranges.ts'
import { xRead } from './streams-reading.ts'
import { xSetId } from './streams-setid.ts'

const UPDATED = ['1 RW update']
const DELETED = ['1 RW delete']
const READ = ['1 RO access']

export const streamFamily: Family = {
  group: 'stream',
  category: '@stream',
  commands: [
    command('xadd', -5, 'write denyoom fast', UPDATED, xAdd),
    command('xtrim', -4, 'write', DELETED, xTrim),
    command('xdel', -3, 'write fast', DELETED, xDel),
    command('xlen', 2, 'readonly fast', ['1 RO'], xLen),
    command('xsetid', -3, 'write denyoom fast', UPDATED, xSetId),
    command('xrange', -4, 'readonly', READ, xRange),
    command('xrevrange', -4, 'readonly', READ, xRevRange),
    command('xread', -4, 'readonly blocking', ['STREAMS@1..-1 RO access'], xRead),
    command('xreadgroup', -7, 'write blocking', ['STREAMS@4..-1 RO access'], xRead),
    command('xack', -4, 'write fast', UPDATED, xAck),
    command('xpending', -3, 'readonly', READ, xPending),
    command('xclaim', -6, 'write fast', UPDATED, xClaim),
    command('xautoclaim', -6, 'write fast', DELETED, xAutoClaim),
    xGroup,
    xInfo,
  ],
}
