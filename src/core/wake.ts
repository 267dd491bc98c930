/** Deadlines that have come, handed to the mechanism that set them. */
import { unreachable } from '../base/assert.ts'
import { checkDown, keepAsking } from './down.ts'
import { driveFailover } from './failover.ts'
import { keepTold } from './hello-send.ts'
import { keepInformed } from './info.ts'
import { openLinks } from './links.ts'
import { keepInTouch } from './ping.ts'
import { save } from './save.ts'
import { considerFailover } from './start.ts'
import type { Group, Instance, Turn } from './state.ts'
import { onHeartbeat } from './tilt.ts'
import type { TimerName } from './timers.ts'

/** Runs everything that is due. */
export function onWake(turn: Turn): void {
  for (;;) {
    const due = turn.state.timers.takeDue(turn.now.monoMs)
    if (due === undefined) return
    if (due.name === 'tilt') onHeartbeat(turn)
    else if (due.name === 'save') save(turn)
    else if ('group' in due.owner) onInstanceDeadline(turn, due.owner as Instance, due.name)
    else onGroupDeadline(turn, due.owner as Group, due.name)
  }
}

function onInstanceDeadline(
  turn: Turn,
  instance: Instance,
  name: Exclude<TimerName, 'tilt' | 'save'>,
): void {
  switch (name) {
    case 'ping':
      return keepInTouch(turn, instance)
    case 'down':
      return checkDown(turn, instance)
    case 'reconnect':
      return openLinks(turn, instance)
    case 'info':
      return instance.kind === 'sentinel' ? undefined : keepInformed(turn, instance)
    case 'hello':
      return keepTold(turn, instance)
    case 'reconf':
      return driveFailover(turn, instance.group)
    case 'ask':
    case 'start':
    case 'failover':
      throw new Error(`broken invariant: ${name} is a deadline of groups`)
    default:
      return unreachable(name)
  }
}

function onGroupDeadline(turn: Turn, group: Group, name: TimerName): void {
  if (name === 'ask') keepAsking(turn, group)
  else if (name === 'start') considerFailover(turn, group)
  else driveFailover(turn, group)
}
