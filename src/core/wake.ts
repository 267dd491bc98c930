/** Deadlines that have come, handed to the mechanism that set them. */
import { assert, unreachable } from '../base/assert.ts'
import { suspect } from './confer.ts'
import { checkDown, keepAsking } from './down.ts'
import { driveFailover } from './failover.ts'
import { keepTold } from './hello-send.ts'
import { keepInformed } from './info.ts'
import { openLinks } from './links.ts'
import { save } from './memory/save.ts'
import { keepInTouch } from './ping.ts'
import { onScriptDeadline } from './scripts/scripts.ts'
import { considerFailover } from './start.ts'
import type { Group, Instance, Link, Turn } from './state.ts'
import { onHeartbeat } from './tilt.ts'
import type { TimerName } from './timers.ts'

/** Runs everything that is due. */
export function onWake(turn: Turn): void {
  for (;;) {
    const due = turn.state.timers.takeDue(turn.now.monoMs)
    if (due === undefined) return
    const { owner, name } = due
    if (owner.kind === 'tilt') onMachineDeadline(turn, name)
    else if (owner.kind === 'group') onGroupDeadline(turn, owner, name)
    else if (owner.kind === 'link') onLinkDeadline(turn, owner, name)
    else onInstanceDeadline(turn, owner, name)
  }
}

function onMachineDeadline(turn: Turn, name: TimerName): void {
  if (name === 'save') save(turn)
  else if (name === 'scripts') onScriptDeadline(turn)
  else onHeartbeat(turn)
}

function onLinkDeadline(turn: Turn, link: Link, name: TimerName): void {
  if (name === 'ping') keepInTouch(turn, link)
  else if (name === 'suspect') suspect(turn, link)
  else openLinks(turn, link)
}

function onInstanceDeadline(turn: Turn, instance: Instance, name: TimerName): void {
  switch (name) {
    case 'down':
      return checkDown(turn, instance)
    case 'info':
      return instance.kind === 'sentinel' ? undefined : keepInformed(turn, instance)
    case 'hello':
      return keepTold(turn, instance)
    case 'reconf':
      return driveFailover(turn, instance.group)
    case 'ping':
    case 'suspect':
    case 'reconnect':
    case 'ask':
    case 'start':
    case 'failover':
    case 'tilt':
    case 'save':
    case 'scripts':
      return assert(false, `${name} is no deadline of an instance`)
    default:
      return unreachable(name)
  }
}

function onGroupDeadline(turn: Turn, group: Group, name: TimerName): void {
  if (name === 'ask') keepAsking(turn, group)
  else if (name === 'start') considerFailover(turn, group)
  else driveFailover(turn, group)
}
