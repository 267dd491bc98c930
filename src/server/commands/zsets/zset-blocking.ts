/**
 * BZPOPMIN, BZPOPMAX and BZMPOP: the ordinary command if there is something to take, otherwise the client
 * waits.
 */
import type { Reply } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { popOrWait } from '../blocking-pop.ts'
import { type End, parsePopMany, zsetTaking } from './zset-popping.ts'

function bzPop(end: End) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined =>
    popOrWait(context, zsetTaking(argv.slice(1, -1), { kind: 'one', end }), argv.at(-1))
}

function bzMPop(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const pop = parsePopMany(argv, 2)
  return 'kind' in pop ? pop : popOrWait(context, zsetTaking(pop.keys, pop.action), argv[1])
}

const WAITS = 'write noscript blocking fast'
const TAKEN = ['1..-2 RW access delete']

export const blockingZsetFamily: Family = {
  group: 'sorted-set',
  category: '@sortedset',
  commands: [
    command('bzpopmin', -3, WAITS, TAKEN, bzPop('MIN')),
    command('bzpopmax', -3, WAITS, TAKEN, bzPop('MAX')),
    command('bzmpop', -5, 'write blocking', ['2# RW access delete'], bzMPop),
  ],
}
